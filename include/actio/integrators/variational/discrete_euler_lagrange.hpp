// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The equation of one variational step, as a problem for root finders.
#include <concepts>
#include <limits>

#include "actio/integrators/integrator.hpp"
#include "actio/integrators/variational/step_rows.hpp"
#include "actio/solvers/root/root.hpp"

namespace actio::detail {

/// f(x) + G^T L = 0,  g(q_k (+) x) = 0  in the increment x = q_{k+1} (-) q_k (nv) [rad, m] and the impulses L of StepRows, with
///   f = left momentum of the bodies + joint terms - h/2 field - known  [N m s, N s].
/// The norm is sqrt(f^T M^-1 f) over the scale of the motion; with rows it is that of StepRows. A RootProblem; a NewtonProblem or
/// DenseProblem where `use` asks for one, a DenseProblem only without rows.   [vi_math.md, sections 3, 7 and 8]
template <class Model, class Residual, class Force, JacobianUse use>
class DiscreteEulerLagrange {
 public:
  using Scalar = typename Model::Scalar;  ///< scalar type of all numbers
  using S = Scalar;                       ///< the same
  using V = ValueOf<S>;                   ///< value type of norms

  /// @param model outlives this.  @param mass of the same model.  @param force evaluated at the middle of the step.
  DiscreteEulerLagrange(const Model& model, NodeMass<Model>& mass, Force force)
      : model_(&model), force_(std::move(force)), data_(model), linear_(model), rows_(model, mass) {
    for (VectorX<S>* work : {&left_over_, &field_, &v_mid_, &value_}) work->setZero(model.nv());
    q_mid_ = model.neutral();
  }

  /// Begins a step. All arguments outlive it.  @param mass, fresh, keeps, compliance as in NodeMass::begin().  @param node with `tree`,
  /// `p` [N m s, N s], `gravity` [N m, N], `energy` of the last step [J], `time`, and what NodeMass::begin() reads.
  /// @param known (nv) p_k + F_d^-, the part of f that does not depend on x [N m s, N s].  @param h length [s].
  template <class Node>
  void begin(NodeMass<Model>& mass, Node& node, const VectorX<S>& known, const S& h, AbiData<S>& fresh, bool keeps = false,
             const S& compliance = S(0)) noexcept {
    mass.begin(node, h, fresh, keeps, compliance);
    step_ = {&mass, &node.p, &node.gravity, &known, node.energy, node.time};
    h_ = h;
    rows_.begin(mass);
    field_failed_ = false;
    singular_ = 0;
    scale_ = S(0);
  }
  /// Begins with a guess, after begin().  @param L (rows) its impulses.  @param energy its squared momenta in the metric M^-1, which add to
  /// the scale of the norm [J].
  void set_guess(const VectorX<S>& L, const S& energy) noexcept {
    rows_.set_impulses(L);
    add_to_scale(energy);
  }
  /// Adds squared momenta in the metric M^-1 to the scale of the norm [J], before the first norm of a step.
  void add_to_scale(const S& energy) noexcept { step_.energy += energy; }

  /// See RootProblem.  The norm is NaN if M is singular.
  S residual(const VectorX<S>& x) noexcept {
    if (!step_.mass->ready()) return S(std::numeric_limits<V>::quiet_NaN());
    evaluate(x);
    by_jacobian_ = false;
    return relative(rows_.any() ? rows_.solve_mass(value()) : reduce());
  }
  /// Computes z = -h M^-1 f, or -J^-1 f after a norm by the factors of J.
  void update(VectorX<S>& z) noexcept {
    if (rows_.any()) {
      z = rows_.update();
    } else if (by_jacobian_) {
      if constexpr (use == JacobianUse::factored) Residual::expand(*model_, tree(), linear_, z);
      z = -z;
    } else {
      abi_expand(*model_, tree(), step_.mass->of_tree(), z);
      z *= -h_;
    }
  }
  /// Returns the rounding error of the norm, relative to all that cancels in f. The factor of four is measured on chains from rest: up to
  /// 2.3 times the bracket on 100 spherical links.                                             [vi_math.md, section 4]
  V floor() noexcept { return tree_floor() + rows_.floor() / value_of(scale_); }
  /// Returns the same without the rows.
  V tree_floor() noexcept {
    const auto depth = static_cast<V>(model_->depth());
    const V least = 4 * epsilon<S> * (10 + depth * depth / 10);
    if (!step_.mass->tree_ready()) return least;
    AbiData<S>& mass = step_.mass->of_tree();
    v_mid_.setZero();
    add_spring_forces(*model_, tree().q, v_mid_);
    const auto load = [&](const VectorX<S>& f) { return abi_reduce(*model_, tree(), mass, f); };
    S loads = load(*step_.p) + h_ * h_ * (load(*step_.gravity) + load(v_mid_));
    v_mid_ = *step_.known - *step_.p;  // inputs
    if constexpr (!Residual::includes_gravity) v_mid_ -= (h_ / S(2)) * *step_.gravity;
    loads += load(v_mid_);
    reduce();  // restores what a following update() expands
    return least * std::sqrt(1 + value_of(S(loads)) / value_of(S(scale_ * scale_)));
  }

  /// See NewtonProblem. J is M/h to first order, so that the norm by its factors is close to that of residual().
  ///@{
  void evaluate(const VectorX<S>& x) noexcept {
    x_ = &x;
    Residual::move(*model_, tree(), data_, x, h_);
    set_left_over(x);
    if constexpr (takes_loops) rows_.evaluate(Residual::displacements(data_), x);
  }
  S linearize() noexcept requires(use == JacobianUse::factored) {
    const VectorX<S>& joint = step_.mass->terms().left_rate(*model_, h_);
    singular_ = Residual::factor(*model_, tree(), data_, linear_, *x_, h_, joint);
    bool is_regular = singular_ == 0;
    if constexpr (takes_loops) {
      if (is_regular && rows_.any())
        is_regular = rows_.factor_step(Residual::displacements(data_), linear_.rates, linear_.of_jacobian, *x_, joint);
    }
    return is_regular ? newton_norm() : S(std::numeric_limits<V>::infinity());
  }
  S newton_residual(const VectorX<S>& x) noexcept requires(use == JacobianUse::factored) {
    evaluate(x);
    return newton_norm();
  }
  /// Returns whether no body rotates by more than a safeguarded iteration allows.
  bool plausible() noexcept { return Residual::plausible(data_); }
  ///@}

  /// See DenseProblem.
  ///@{
  const VectorX<S>& value() noexcept {
    return value_ = Residual::left_momentum(*model_, tree(), data_) - wanted();
  }
  void jacobian(MatrixX<S>& J) noexcept requires(use == JacobianUse::dense) {
    Residual::jacobian(*model_, tree(), data_, linear_, *x_, h_, step_.mass->terms().left_rate(*model_, h_), J);
  }
  ///@}

  /// Returns sqrt(energy) over the scale; the first norm of a step sets the scale.  @param energy squared norm of a residual [J].
  S relative(const S& energy) noexcept {
    using std::sqrt;
    if (scale_ == S(0)) {
      energy_ = Residual::energy(data_, h_);
      scale_ = sqrt(step_.energy + energy_ + energy);
    }
    return energy == S(0) ? energy : sqrt(energy) / scale_;
  }
  const S& scale() const noexcept { return scale_; }                            ///< of norms, after the first one [J^1/2]
  const S& h() const noexcept { return h_; }                                    ///< length of the step [s]
  TreeClosures<Model>& closures() noexcept { return step_.mass->closures(); }  ///< rows of loops and couplings at q_k

  /// Ends the step with the x of the last evaluation.
  /// @param next the tree at q_{k+1}.  @param impulses (nv) of all rows, if they were not found by this equation.
  /// @param f (nv) out: the residual at x.  @param p (nv) out: right momentum D2 K_d + joint terms + h/2 field.
  void finish(const TreePose<S>& next, const VectorX<S>& x, const VectorX<S>* impulses, VectorX<S>& f, VectorX<S>& p) noexcept {
    f = Residual::momenta(*model_, tree(), next, data_, p) - wanted();
    if (impulses != nullptr) f -= *impulses;
    else if (rows_.any()) rows_.finish(f);
    step_.mass->terms().add_right(*model_, next.q, x, h_, p);
    if constexpr (has_field) p += (h_ / S(2)) * field_;
  }

  const StepRows<Model>& rows() const noexcept { return rows_; }                           ///< loops and couplings, with their impulses
  const typename Residual::template Data<S>& data() const noexcept { return data_; }  ///< of the residual, at the last evaluation
  const S& energy() const noexcept { return energy_; }            ///< twice the kinetic energy of the step, after the first norm [J]
  /// Returns the body at whose joint M or J was singular; 0 if none.
  BodyIndex singular() const noexcept { return singular_ != 0 ? singular_ : step_.mass->singular(); }
  /// Returns the first body that rotates by pi or more, which a displacement cannot represent; 0 if none.
  BodyIndex overturned() const noexcept { return Residual::overturned(data_); }

  static constexpr bool has_field = !std::same_as<Force, NoForce>;  ///< whether there is a force field; without it nothing is evaluated
  /// Whether the residual provides the displacements of the bodies, which loops need.
  static constexpr bool takes_loops = requires(const typename Residual::template Data<S>& data) { Residual::displacements(data); };
  /// Returns the force field (nv) at the middle of the step over x [N m, N]; valid until the next call.
  const VectorX<S>& evaluate_field(const VectorX<S>& x) noexcept {
    v_mid_ = x / S(2);
    model_->integrate(tree().q, v_mid_, q_mid_);
    v_mid_ = x / h_;
    field_.setZero();
    field_failed_ |= !force_(step_.time + h_ / S(2), q_mid_, v_mid_, field_);
    return field_;
  }
  /// Returns the displacements of the bodies at the last evaluation, in their own frames.
  const BodyArray<Displacement<S>>& displacements() const noexcept requires takes_loops { return Residual::displacements(data_); }
  bool field_failed() const noexcept { return field_failed_; }  ///< whether the force field failed in this step
  const Force& force() const noexcept { return force_; }        ///< as given

 private:
  const TreePose<S>& tree() const noexcept { return step_.mass->tree(); }
  /// Returns f^T M^-1 f of the tree, and leaves f for abi_expand().
  S reduce() noexcept { return Residual::reduce(*model_, tree(), data_, step_.mass->of_tree(), wanted()); }
  S newton_norm() noexcept {
    using std::abs;
    by_jacobian_ = true;
    return relative(rows_.any() ? rows_.solve_step(value()) : S(Residual::reduce(*model_, tree(), data_, linear_, wanted()) / abs(h_)));
  }
  /// Returns what the left momentum of the bodies must equal: the known part minus the joint terms and the field, which depend on x.
  const VectorX<S>& wanted() const noexcept { return depends_on_x() ? left_over_ : *step_.known; }
  bool depends_on_x() const noexcept { return has_field || step_.mass->terms().any(); }
  void set_left_over(const VectorX<S>& x) noexcept {
    if (!depends_on_x()) return;
    left_over_.setZero();
    step_.mass->terms().add_left(*model_, tree().q, x, h_, left_over_);
    left_over_ = *step_.known - left_over_;
    if constexpr (has_field) left_over_ += (h_ / S(2)) * evaluate_field(x);
  }

  struct Nothing {
    explicit Nothing(const Model&) {}
  };
  template <JacobianUse u, class R> struct LinearOf { using type = Nothing; };
  template <class R> struct LinearOf<JacobianUse::factored, R> { using type = typename R::template Factors<S>; };
  template <class R> struct LinearOf<JacobianUse::dense, R> { using type = typename R::template JacobianData<S>; };

  struct Step {
    NodeMass<Model>* mass = nullptr;
    const VectorX<S>*p = nullptr, *gravity = nullptr, *known = nullptr;
    S energy{};  // squared momenta of the motion in the metric M^-1, for the scale [J]
    S time{};
  };
  const Model* model_;
  [[no_unique_address]] Force force_;
  Step step_;  // as begin() was given
  const VectorX<S>* x_ = nullptr;
  S h_{}, energy_{}, scale_{};
  BodyIndex singular_ = 0;
  typename Residual::template Data<S> data_;
  [[no_unique_address]] typename LinearOf<use, Residual>::type linear_;  // factors of J, or what it is assembled from
  StepRows<Model> rows_;
  VectorX<S> left_over_, field_, v_mid_, q_mid_, value_;
  bool field_failed_ = false, by_jacobian_ = false;  // the latter: whether the last norm is by J
};

}  // namespace actio::detail
