// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The equation of one variational step of a tree, as a problem for root finders.
#include <concepts>

#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/joint_terms.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/solvers/root/root.hpp"

namespace actio::detail {

/// f(x) = left momentum of the bodies + joint terms - h/2 field - known = 0 in the increment x = q_{k+1} (-) q_k, with the norm
/// sqrt(f^T M^-1 f) / scale; x (nv) [rad, m], f and momenta (nv) [N m s, N s].
/// A RootProblem; a NewtonProblem or DenseProblem where `use` asks for one.        [vi_math.md, sections 3, 7 and 8]
template <class Model, class Residual, class Force, JacobianUse use>
class DiscreteEulerLagrange {
 public:
  using Scalar = typename Model::Scalar;  ///< scalar type of all numbers
  using S = Scalar;                       ///< the same
  using V = ValueOf<S>;                   ///< value type of norms

  /// @param model outlives this.  @param force evaluated at the middle of the step.
  DiscreteEulerLagrange(const Model& model, SpringRule springs, Force force)
      : model_(&model), force_(std::move(force)), data_(model), linear_(model), terms_(model, springs) {
    for (VectorX<S>* work : {&known_, &left_over_, &field_, &v_mid_, &value_}) work->setZero(model.nv());
    q_mid_ = model.neutral();
  }

  /// Begins a step of length h [s] from a node; reads its `tree`, `p`, `gravity`, `energy`, `time` and `mass`. The node outlives the step.
  /// @param keeps_mass whether to use the factors of M in its `mass`, which belong to a node near by.  @param fresh where new factors go.
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
  /// Returns p_k + F_d^-, the part that does not depend on x; the caller sets it after begin().
  VectorX<S>& known() noexcept { return known_; }
  /// Adds a squared momentum, in the metric M^-1, to the scale of the norm [kg m^2/s^2].
  void add_to_scale(const S& energy) noexcept { energy_ += energy; }
  /// Returns twice the kinetic energy of the present step, for the scale of the next one [J].
  const S& energy() const noexcept { return energy_; }

  /// Factors M(q_k) with the implicit part of the joint terms.  @returns false if that is singular.
  bool factor_mass() noexcept {
    mass_ = fresh_;
    singular_ = abi_factor(*model_, *tree_, *mass_, terms_.diagonal(*model_, h_));
    ++factorizations_;
    return mass_is_factored_ = singular_ == 0;
  }
  int factorizations() const noexcept { return factorizations_; }  ///< of M, since begin()
  /// Returns the body at whose joint the last factorisation was singular; 0 if none.
  BodyIndex singular() const noexcept { return singular_; }
  /// Computes z = M^-1 f.  @returns f^T M^-1 f.  @pre factor_mass()
  S mass_solve(const VectorX<S>& f, VectorX<S>& z) noexcept { return abi_solve(*model_, *tree_, *mass_, f, z); }

  /// See RootProblem.  The norm is sqrt(f^T M^-1 f) over the scale; NaN if M is singular.
  S residual(const VectorX<S>& x) noexcept {
    if (!mass_is_factored_ && !factor_mass()) return S(std::numeric_limits<V>::quiet_NaN());
    evaluate(x);
    return relative(Residual::reduce(*model_, *tree_, data_, *mass_, wanted()));
  }
  /// Computes z = -h M^-1 f.
  void update(VectorX<S>& z) noexcept {
    abi_expand(*model_, *tree_, *mass_, z);
    z *= -h_;
  }
  /// Returns the rounding error of the norm, relative to all that cancels in f. The factor of four is measured on chains from rest: up to
  /// 2.3 times the bracket on 100 spherical links.                                             [vi_math.md, section 4]
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
    Residual::reduce(*model_, *tree_, data_, *mass_, wanted());  // restores what a following update() expands
    return least * std::sqrt(1 + value_of(S(loads)) / value_of(S(scale_ * scale_)));
  }

  /// See NewtonProblem.
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
  /// J is M/h to first order, so that this norm is close to that of residual().
  S newton_norm() noexcept requires(use == JacobianUse::factored) {
    using std::abs;
    return relative(Residual::reduce(*model_, *tree_, data_, linear_, wanted()) / abs(h_));
  }
  void newton_update(VectorX<S>& z) noexcept requires(use == JacobianUse::factored) {
    Residual::expand(*model_, *tree_, linear_, z);
    z = -z;
  }
  ///@}
  /// Whether no body rotates by more than a safeguarded iteration allows.
  bool plausible() noexcept { return Residual::plausible(data_); }

  /// See DenseProblem.
  ///@{
  const VectorX<S>& value() noexcept {
    return value_ = Residual::left_momentum(*model_, *tree_, data_) - wanted();
  }
  void jacobian(MatrixX<S>& J) noexcept requires(use == JacobianUse::dense) {
    Residual::jacobian(*model_, *tree_, data_, linear_, *x_, h_, terms_.left_rate(*model_, h_), J);
  }
  ///@}

  /// Ends the step with the x of the last evaluation.
  /// @param next the tree at q_{k+1}.  @param f (nv) out: f(x).  @param p (nv) out: right momentum D2 K_d + joint terms + h/2 field.
  void finish(const TreePose<S>& next, const VectorX<S>& x, VectorX<S>& f, VectorX<S>& p) noexcept {
    f = Residual::momenta(*model_, *tree_, next, data_, p) - wanted();
    terms_.add_right(*model_, next.q, x, h_, p);
    if constexpr (has_field) p += (h_ / S(2)) * field_;
  }
  /// Returns the first body that rotates by pi or more, which a displacement cannot represent; 0 if none.
  BodyIndex overturned() const noexcept { return Residual::overturned(data_); }

  static constexpr bool has_field = !std::same_as<Force, NoForce>;  ///< whether there is a force field; without it nothing is evaluated
  /// Returns the force field (nv) at the middle of the step over x [N m, N]; valid until the next call.
  const VectorX<S>& evaluate_field(const VectorX<S>& x) noexcept {
    v_mid_ = x / S(2);
    model_->integrate(tree_->q, v_mid_, q_mid_);
    v_mid_ = x / h_;
    field_.setZero();
    field_failed_ |= !force_(time_ + h_ / S(2), q_mid_, v_mid_, field_);
    return field_;
  }
  bool field_failed() const noexcept { return field_failed_; }  ///< whether the force field failed in this step
  const Force& force() const noexcept { return force_; }        ///< as given

 protected:
  AbiData<S>& mass() noexcept { return *mass_; }  ///< @pre factor_mass()
  JointTerms<S>& terms() noexcept { return terms_; }                                  ///< armature, damping and springs
  const typename Residual::template Data<S>& data() const noexcept { return data_; }  ///< the residual's workspace at the last evaluation
  auto& linear() noexcept { return linear_; }  ///< factors of J, or what it is assembled from; empty where no Jacobian is used
  const S& scale() const noexcept { return scale_; }  ///< of the norm, after the first evaluation
  /// Returns sqrt(energy) over the scale; the first evaluation of a step sets the scale.
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
  /// Returns what the left momentum of the bodies must equal: the known part minus the joint terms and the field, which depend on x.
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
  const TreePose<S>* tree_ = nullptr;  // of the present step, as the following ones
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
