// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The equation of one variational step as root finders see it.
#include <concepts>

#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/joint_terms.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/solvers/root/root.hpp"

namespace actio::detail {

/// f(x) = left momentum of the bodies + joint terms - h/2 field - known = 0 in the increment x = q_{k+1} (-) q_k, with the norm
/// sqrt(f^T M^-1 f) / scale; x (nv) [rad, m], f and momenta (nv) [N m s, N s].
/// A RootProblem, and what more its Residual makes of it.        [vi_math.md, sections 3, 7 and 8]
template <class Model, class Residual, class Force, JacobianUse use>
class DiscreteEulerLagrange {
 public:
  using Scalar = typename Model::Scalar;  ///< of all numbers
  using S = Scalar;                       ///< the same
  using V = ValueOf<S>;                   ///< of norms

  /// @param model outlives this.  @param force taken at the middle of the step.
  DiscreteEulerLagrange(const Model& model, SpringRule springs, Force force)
      : model_(&model), force_(std::move(force)), data_(model), linear_(model), terms_(model, springs) {
    for (VectorX<S>* work : {&known_, &left_over_, &field_, &v_mid_, &value_}) work->setZero(model.nv());
    q_mid_ = model.neutral();
  }

  /// Begins a step of length h [s] from a node, of which `tree`, `p`, `gravity`, `energy` and `time` are taken; it outlives the step.
  /// @param keeps_mass whether the factors of M in its `mass`, of a node not far away, will do.  @param fresh where new ones go.
  template <class Node>
  void begin(Node& node, const S& h, bool keeps_mass, AbiData<S>& fresh) noexcept {
    tree_ = &node.tree;
    p_ = &node.p;
    gravity_ = &node.gravity;
    mass_ = keeps_mass ? &node.mass : &fresh;
    fresh_ = &fresh;
    mass_is_factored_ = keeps_mass;
    factorizations_ = 0;
    energy_ = node.energy;
    time_ = node.time;
    h_ = h;
    field_failed_ = false;
    singular_ = 0;
    scale_ = S(0);
  }
  /// p_k + F_d^-, all that does not depend on x, to be filled in after begin().
  VectorX<S>& known() noexcept { return known_; }
  /// Adds to what the norm is relative to: squares of momenta in the metric M^-1.  [kg m^2/s^2]
  void add_to_scale(const S& energy) noexcept { energy_ += energy; }
  /// Twice the kinetic energy of the step under way, for the scale of the next [J].
  const S& energy() const noexcept { return energy_; }

  /// Factors M(q_k) with the implicit part of the joint terms.  @returns whether it can be.
  bool factor_mass() noexcept {
    mass_ = fresh_;
    singular_ = abi_factor(*model_, *tree_, *mass_, terms_.diagonal(*model_, h_));
    ++factorizations_;
    return mass_is_factored_ = singular_ == 0;
  }
  int factorizations() const noexcept { return factorizations_; }  ///< of M, since begin()
  /// The body of a singular joint that a factorisation met; 0 when there was none.
  BodyIndex singular() const noexcept { return singular_; }
  /// z = M^-1 f.  @returns f^T M^-1 f.  @pre factor_mass()
  S mass_solve(const VectorX<S>& f, VectorX<S>& z) noexcept { return abi_solve(*model_, *tree_, *mass_, f, z); }

  /// As RootProblem says, see there.  The norm is sqrt(f^T M^-1 f) over the scale; not a number where M is singular.
  S residual(const VectorX<S>& x) noexcept {
    if (!mass_is_factored_ && !factor_mass()) return S(std::numeric_limits<V>::quiet_NaN());
    evaluate(x);
    return relative(Residual::reduce(*model_, *tree_, data_, *mass_, wanted()));
  }
  /// z = -h M^-1 f
  void update(VectorX<S>& z) noexcept {
    abi_expand(*model_, *tree_, *mass_, z);
    z *= -h_;
  }
  /// Relative to all that cancels in f. The factor of four: measured on chains from rest, up to 2.3 times the bracket on 100
  /// spherical links.                                                                          [vi_math.md, section 4]
  V floor() noexcept {
    const auto depth = static_cast<V>(model_->depth());
    const V least = 4 * epsilon<S> * (10 + depth * depth / 10);
    if (!mass_is_factored_ && !factor_mass()) return least;
    v_mid_.setZero();
    add_spring_forces(*model_, tree_->q, v_mid_);
    S loads = abi_reduce(*model_, *tree_, *mass_, *p_) + h_ * h_ * (abi_reduce(*model_, *tree_, *mass_, *gravity_) + abi_reduce(*model_, *tree_, *mass_, v_mid_));
    v_mid_ = known_ - *p_;  // inputs
    if constexpr (!Residual::includes_gravity) v_mid_ -= (h_ / S(2)) * *gravity_;
    loads += abi_reduce(*model_, *tree_, *mass_, v_mid_);
    Residual::reduce(*model_, *tree_, data_, *mass_, wanted());  // which an update may still want
    return least * std::sqrt(1 + value_of(S(loads)) / value_of(S(scale_ * scale_)));
  }

  /// As NewtonProblem says, see there.
  ///@{
  void evaluate(const VectorX<S>& x) noexcept {
    x_ = &x;
    Residual::move(*model_, *tree_, data_, x, h_);
    set_left_over(x);
  }
  bool linearize() noexcept requires(use == JacobianUse::factored) {
    singular_ = Residual::factor(*model_, *tree_, data_, linear_, *x_, h_, terms_.left_rate(*model_, h_));
    return singular_ == 0;
  }
  /// J is M/h to first order: close to the norm that residual() has.
  S newton_norm() noexcept requires(use == JacobianUse::factored) {
    using std::abs;
    return relative(Residual::reduce(*model_, *tree_, data_, linear_, wanted()) / abs(h_));
  }
  void newton_update(VectorX<S>& z) noexcept requires(use == JacobianUse::factored) {
    Residual::expand(*model_, *tree_, linear_, z);
    z = -z;
  }
  ///@}
  /// Whether x lies where the iteration should keep.
  bool plausible() noexcept { return Residual::plausible(data_); }

  /// As DenseProblem says, see there.
  ///@{
  const VectorX<S>& value() noexcept {
    return value_ = Residual::left_momentum(*model_, *tree_, data_) - wanted();
  }
  void jacobian(MatrixX<S>& J) noexcept requires(use == JacobianUse::dense) {
    Residual::jacobian(*model_, *tree_, data_, linear_, *x_, h_, terms_.left_rate(*model_, h_), J);
  }
  ///@}

  /// Ends the step with the x that was evaluated last.
  /// @param next the tree at q_{k+1}.  @param f (nv) out: f(x).  @param p (nv) out: right momentum D2 K_d + joint terms + h/2 field.
  void finish(const TreePose<S>& next, const VectorX<S>& x, VectorX<S>& f, VectorX<S>& p) noexcept {
    f = Residual::momenta(*model_, *tree_, next, data_, p) - wanted();
    terms_.add_right(*model_, next.q, x, h_, p);
    if constexpr (has_field) p += (h_ / S(2)) * field_;
  }
  /// The first body that turned by half a turn or more, which no displacement represents; 0 when there is none.
  BodyIndex overturned() const noexcept { return Residual::overturned(data_); }

  static constexpr bool has_field = !std::same_as<Force, NoForce>;  ///< else it costs nothing
  /// (nv) the force field at the middle of the step over x [N m, N]; valid until the next call.
  const VectorX<S>& evaluate_field(const VectorX<S>& x) noexcept {
    v_mid_ = x / S(2);
    model_->integrate(tree_->q, v_mid_, q_mid_);
    v_mid_ = x / h_;
    field_.setZero();
    field_failed_ |= !force_(time_ + h_ / S(2), q_mid_, v_mid_, field_);
    return field_;
  }
  bool field_failed() const noexcept { return field_failed_; }  ///< in this step: what was evaluated then is of no use
  const Force& force() const noexcept { return force_; }        ///< as given

 protected:
  AbiData<S>& mass() noexcept { return *mass_; }  ///< @pre factor_mass()
  JointTerms<S>& terms() noexcept { return terms_; }                                  ///< armature, damping and springs
  const typename Residual::template Data<S>& data() const noexcept { return data_; }  ///< what the residual found at the x that was evaluated last
  auto& linear() noexcept { return linear_; }  ///< factors of J, or what it is assembled from; empty where no Jacobian is used
  const S& scale() const noexcept { return scale_; }  ///< of the norm, from the first on
  /// sqrt(energy) over the scale, which the first evaluation of a step completes.
  S relative(const S& energy) noexcept {
    using std::sqrt;
    if (scale_ == S(0)) {
      const S of_step = Residual::energy(data_, h_);
      scale_ = sqrt(energy_ + of_step + energy);
      energy_ = of_step;
    }
    return energy == S(0) ? energy : sqrt(energy) / scale_;
  }

 private:
  /// What the left momentum of the bodies must equal: the known part less what acts along the joints, where that depends on x.
  const VectorX<S>& wanted() const noexcept { return depends_on_x() ? left_over_ : known_; }
  bool depends_on_x() const noexcept { return has_field || terms_.any(); }
  void set_left_over(const VectorX<S>& x) noexcept {
    if (!depends_on_x()) return;
    left_over_.setZero();
    terms_.add_left(*model_, tree_->q, x, h_, left_over_);
    left_over_ = known_ - left_over_;
    if constexpr (has_field) left_over_ += (h_ / S(2)) * evaluate_field(x);
  }

  struct Nothing {
    explicit Nothing(const Model&) {}
  };
  template <JacobianUse u, class R> struct LinearOf { using type = Nothing; };
  template <class R> struct LinearOf<JacobianUse::factored, R> { using type = typename R::template Factors<S>; };
  template <class R> struct LinearOf<JacobianUse::dense, R> { using type = typename R::template JacobianData<S>; };

  const Model* model_;
  [[no_unique_address]] Force force_;
  const TreePose<S>* tree_ = nullptr;  // of the step under way, as the next
  const VectorX<S>* x_ = nullptr;
  const VectorX<S>*p_ = nullptr, *gravity_ = nullptr;
  S time_{}, h_{}, energy_{}, scale_{};
  AbiData<S>*mass_ = nullptr, *fresh_ = nullptr;
  int factorizations_ = 0;
  BodyIndex singular_ = 0;
  bool mass_is_factored_ = false;
  typename Residual::template Data<S> data_;
  [[no_unique_address]] typename LinearOf<use, Residual>::type linear_;
  JointTerms<S> terms_;
  VectorX<S> known_, left_over_, field_, v_mid_, q_mid_, value_;
  bool field_failed_ = false;
};

}  // namespace actio::detail
