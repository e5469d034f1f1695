// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The variational integrator in joint coordinates, position-momentum form.
#include <utility>

#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/drnea.hpp"
#include "actio/dynamics/generalized_forces.hpp"
#include "actio/dynamics/momentum.hpp"
#include "actio/dynamics/velocity_forces.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/integrators/require_inertia.hpp"
#include "actio/integrators/variational_options.hpp"
#include "actio/model/capabilities.hpp"
#include "actio/solvers/riqn.hpp"

namespace actio {

/// Makes the discrete action stationary: symplectic, symmetric, of second order, momentum conserving, O(bodies) a step.
/// Given (q_k, p_k) it finds the increment x with   -D1 L_d(q_k, q_k (+) x) = p_k + F_d^-   and sets
/// p_{k+1} = D2 L_d + F_d^+.                                          [Lee et al. 2016; vi_math.md, sections 3, 4, 6-8]
/// @tparam Residual how the equation is evaluated.  @tparam Root how it is solved.  @tparam Force a ForceField, taken at
/// the middle of the step (t + h/2, q (+) x/2, x/h).
template <class ModelType, class Residual = Drnea<Split>, class Root = Riqn, class Force = NoForce>
class VariationalIntegrator {
 public:
  using Model = ModelType;
  using Scalar = typename Model::Scalar;
  using Options = VariationalOptions<Scalar>;
  static constexpr int order = 2;
  static constexpr bool reversible = true;

  /// The discrete state at a node and what is computed from it once.
  struct Memory {
    TreePose<Scalar> tree;               ///< at q_k
    VectorX<Scalar> p;                   ///< (nv) discrete momentum p_k [N m s, N s]
    VectorX<Scalar> gravity;             ///< (nv) its joint forces at q_k [N m, N]
    VectorX<Scalar> v;                   ///< (nv) as given to reset, until the first step
    bool fresh = true;                   ///< v is valid
    Scalar time{};
    IncrementHistory<Scalar> history;
  };

  /// @param model outlives the integrator.  @throws ModelError when it has something active that this scheme cannot take,
  /// or a joint that moves no mass; OptionsError when an option is out of range.
  explicit VariationalIntegrator(const Model& model, const Options& options = {}, Residual residual = {}, Root = {}, Force force = {})
      : model_(&model), options_(options), residual_(std::move(residual)), force_(std::move(force)), node_(blank_memory(model)), next_(node_),
        backup_(node_), abi_(model), data_(model), sweeps_(model), momentum_(model), gravity_(model), terms_(model, options.springs) {
    options_.check();
    require_support(model, {}, "variational");
    require_inertia(model, "variational");
    for (VectorX<Scalar>* work : {&x_, &z_, &rhs_, &forces_, &field_, &v_mid_, &f_}) work->setZero(model.nv());
    q_mid_ = model.neutral();
    if (model.num_bodies() > 0) wrench_ = BodyArray<Vector6<Scalar>>(model.num_bodies(), Vector6<Scalar>::Zero());
    reset(rest_state(model));
  }
  explicit VariationalIntegrator(Model&&, const Options& = {}, Residual = {}, Root = {}, Force = {}) = delete;  // would dangle

  const Model& model() const noexcept { return *model_; }
  const Options& options() const noexcept { return options_; }
  const VectorX<Scalar>& configuration() const noexcept { return node_.tree.q; }
  const VectorX<Scalar>& momentum() const noexcept { return node_.p; }  ///< p_k (nv)
  Scalar time() const noexcept { return node_.time; }
  IncrementHistory<Scalar>& increment_history() noexcept { return node_.history; }  ///< what guesses continue: exchanged by who interleaves steps

  /// p = M(q) v: the Legendre transform, no half step.                                         [vi_math.md, section 6]
  void reset(const State<Scalar>& x) {
    detail::require_state(*model_, x);
    place(*model_, node_.tree, x.q);
    node_.v = x.v;
    node_.fresh = true;
    node_.time = x.time;
    node_.history.clear();
    node_.p = joint_momentum(*model_, node_.tree, momentum_, x.v);
    gravity_forces(*model_, node_.tree, gravity_, node_.gravity);
  }
  /// Goes on with another model, such as one with a grasped load; as the constructor, and one that throws changes nothing.
  void reset(const Model& model, const State<Scalar>& x) requires std::is_move_assignable_v<Force> {
    VariationalIntegrator other(model, options_, residual_, Root{}, force_);
    other.reset(x);
    *this = std::move(other);
  }

  /// v = M(q)^-1 p: one factorisation and one solve.                                           [vi_math.md, section 6]
  Status read(State<Scalar>& state) noexcept {
    if (node_.fresh) {
      state.v = node_.v;
    } else {
      z_.setZero();
      if (abi_factor(*model_, node_.tree, abi_, z_) != 0) return Status::singular;
      abi_solve(*model_, node_.tree, abi_, node_.p, z_);
      state.v = z_;
    }
    state.q = node_.tree.q;
    state.time = node_.time;
    return Status::converged;
  }

  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept {
    StepResult<Scalar> result;
    result.method = Root::method;
    if (!detail::is_valid_step(*model_, h, reversible)) result.status = Status::invalid_step;
    else if (!is_valid(*model_, input)) result.status = Status::invalid_input;
    if (!result) return result;
    advance(input, h, Scalar(0), Scalar(1), result);
    if (result || options_.max_halvings == 0) return result;

    backup_ = node_;
    for (int halvings = 1, pieces = 2; halvings <= options_.max_halvings; ++halvings, pieces *= 2) {
      const Scalar share = Scalar(1) / Scalar(pieces);
      result.status = Status::converged;
      result.substeps = pieces;
      result.residual = Scalar(0);
      for (int k = 0; k < pieces && result; ++k) advance(input, h * share, Scalar(k) * share, Scalar(k + 1) * share, result);
      if (result) {
        node_.time = backup_.time + h;  // not the sum of the pieces
        return result;
      }
      node_ = backup_;
    }
    return result;
  }

  Memory make_memory() const { return node_; }
  void save(Memory& memory) const noexcept { memory = node_; }
  void restore(const Memory& memory) noexcept { node_ = memory; }

 private:
  static Memory blank_memory(const Model& model) {
    const VectorX<Scalar> zero = VectorX<Scalar>::Zero(model.nv());
    return {TreePose<Scalar>(model), zero, zero, zero, true, Scalar(0), IncrementHistory<Scalar>(model.nv())};
  }

  /// The equation as a root finder sees it.
  struct Problem {
    VariationalIntegrator& self;
    Scalar h, scale;
    /// sqrt(f^T M^-1 f) / scale at the increment x.
    Scalar residual(const VectorX<Scalar>& x) noexcept {
      using std::sqrt;
      Residual::move(*self.model_, self.node_.tree, self.data_, x, h);
      self.set_known_momentum(x, h);
      const Scalar norm = sqrt(Residual::reduce(*self.model_, self.node_.tree, self.data_, self.abi_, self.known_momentum()));
      return norm == Scalar(0) ? norm : norm / scale;
    }
    /// z = -h M^-1 f
    void update(VectorX<Scalar>& z) noexcept {
      abi_expand(*self.model_, self.node_.tree, self.abi_, z);
      z *= -h;
    }
  };

  /// What the left momentum of the bodies must equal: p_k + F_d^- less what acts along the joints, where that depends on x.
  const VectorX<Scalar>& known_momentum() const noexcept { return depends_on_x() ? f_ : rhs_; }
  bool depends_on_x() const noexcept { return !std::same_as<Force, NoForce> || terms_.any(); }
  void set_known_momentum(const VectorX<Scalar>& x, const Scalar& h) noexcept {
    if (!depends_on_x()) return;
    f_.setZero();
    terms_.add_left(*model_, node_.tree.q, x, h, f_);
    f_ = rhs_ - f_;
    if constexpr (!std::same_as<Force, NoForce>) {
      evaluate_field(x, h);
      f_ += (h / Scalar(2)) * field_;
    }
  }

  /// field_ = the force field at the middle of the step.
  void evaluate_field(const VectorX<Scalar>& x, const Scalar& h) noexcept {
    v_mid_ = x / Scalar(2);
    model_->integrate(node_.tree.q, v_mid_, q_mid_);
    v_mid_ = x / h;
    field_.setZero();
    field_failed_ |= !force_(node_.time + h / Scalar(2), q_mid_, v_mid_, field_);
  }

  /// tau += input's joint forces and body wrenches at a share of the step, at the pose of `tree`.
  void add_input(const Input<Scalar>& input, const Scalar& share, const TreePose<Scalar>& tree, VectorX<Scalar>& tau) noexcept {
    if (input.tau_begin.size() > 0) tau += (Scalar(1) - share) * input.tau_begin;
    if (input.tau_at_end().size() > 0) tau += share * input.tau_at_end();
    if (input.wrench_at_end().size() == 0) return;
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      wrench_[i] = share * input.wrench_at_end()[i];
      if (input.wrench_begin.size() > 0) wrench_[i] += (Scalar(1) - share) * input.wrench_begin[i];
    }
    add_wrench_forces(*model_, tree, wrench_, tau);
  }

  /// x_ = where the root finder starts.  The factors of M are at hand.
  void guess(const Scalar& h) noexcept {
    const int wanted = options_.guess >= InitialGuess::linear ? static_cast<int>(options_.guess) - static_cast<int>(InitialGuess::linear) + 2
                                                              : (options_.guess == InitialGuess::last || options_.guess == InitialGuess::dynamics ? 1 : 0);
    const bool has_history = node_.history.extrapolate(wanted, h, x_) >= std::min(wanted, 3);  // below, the momentum knows more
    if (options_.guess == InitialGuess::zero) {
      x_.setZero();
    } else if (has_history && options_.guess != InitialGuess::momentum) {
      if (options_.guess == InitialGuess::dynamics) {
        v_mid_ = x_ / h;
        acceleration(v_mid_, z_);
        x_ += (h * h) * z_;
      }
    } else {
      abi_solve(*model_, node_.tree, abi_, node_.p, v_mid_);
      acceleration(v_mid_, z_);
      x_ = h * v_mid_ + (h * h / Scalar(2)) * z_;
    }
  }
  /// a = M^-1 (forces - D v - C(q, v) v): forward dynamics with the factors at hand.
  void acceleration(const VectorX<Scalar>& v, VectorX<Scalar>& a) noexcept {
    velocity_forces(*model_, node_.tree, sweeps_, v, f_);
    f_ = forces_ - f_;
    add_damping_forces(*model_, v, f_);
    abi_solve(*model_, node_.tree, abi_, f_, a);
  }

  /// One step of length h that covers the shares [begin, end] of the input; on failure nothing of the node has changed.
  void advance(const Input<Scalar>& input, const Scalar& h, const Scalar& begin, const Scalar& end, StepResult<Scalar>& result) noexcept {
    using std::abs;
    using std::sqrt;
    const Scalar half = h / Scalar(2);
    field_failed_ = false;
    forces_ = node_.gravity;
    add_input(input, begin, node_.tree, forces_);
    rhs_ = node_.p + half * forces_;
    add_spring_forces(*model_, node_.tree.q, forces_);
    if (const BodyIndex body = abi_factor(*model_, node_.tree, abi_, terms_.diagonal(*model_, h)); body != 0) {
      result.status = Status::singular;
      result.culprit = static_cast<int>(body);
      return;
    }
    guess(h);
    if constexpr (!std::same_as<Force, NoForce>) {
      evaluate_field(x_, h);
      forces_ += field_;
    }
    const auto [of_momentum, of_forces] = abi_energies(*model_, node_.tree, abi_, node_.p, forces_);
    Problem problem{*this, h, sqrt(of_momentum + h * h * of_forces)};
    const RootOptions<ValueOf<Scalar>> root_options{options_.tolerance, rounding_floor(), options_.max_iterations};
    const RootResult<ValueOf<Scalar>> root = Root::solve(problem, x_, z_, root_options);
    result.iterations += root.evaluations;
    if (!(root.norm <= result.residual)) result.residual = root.norm;  // of the worst piece
    result.status = root.status;
    if (field_failed_) result.status = Status::callback_failed;
    if (!result) return;
    if (const BodyIndex body = residual_.overturned(data_); body != 0) {
      result.status = Status::rotation_too_large;
      result.culprit = static_cast<int>(body);
      return;
    }

    if (options_.carry_residual) z_ = Residual::left_momentum(*model_, node_.tree, data_) - known_momentum();
    model_->integrate(node_.tree.q, x_, next_.tree.q);
    place(*model_, next_.tree, next_.tree.q);
    Residual::right_momentum(*model_, next_.tree, data_, next_.p);
    terms_.add_right(*model_, next_.tree.q, x_, h, next_.p);
    gravity_forces(*model_, next_.tree, gravity_, next_.gravity);
    forces_ = next_.gravity;
    add_input(input, end, next_.tree, forces_);
    next_.p += half * forces_;
    if constexpr (!std::same_as<Force, NoForce>) next_.p += half * field_;
    if (options_.carry_residual) {
      turn_with_base(z_);
      next_.p -= z_;
    }
    if (!detail::is_finite_vector(next_.p) || !detail::is_finite_vector(next_.tree.q)) {
      result.status = Status::not_finite;
      return;
    }
    std::swap(node_.tree, next_.tree);
    std::swap(node_.p, next_.p);
    std::swap(node_.gravity, next_.gravity);
    node_.fresh = false;
    node_.time += h;
    node_.history.push(x_, h);
  }

  /// Joint forces at q_k along joints on the world, seen from q_{k+1}: where a joint's axes turn with its body they turn too, so
  /// that what is carried changes no momentum in space.
  void turn_with_base(VectorX<Scalar>& f) noexcept {
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      if (model_->parent(i) > 0) continue;
      visit_joint(*model_, i, [&]<JointType J>(const J& joint) {
        if constexpr (!joints::is_flat<J>()) {  // S^T S = 1 there
          const Eigen::Index v = model_->v_index(i);
          const Displacement<Scalar> E = joints::increment(joint, typename J::Config(model_->template q_of<J>(i, node_.tree.q)),
                                                           typename J::Tangent(model_->template v_of<J>(i, x_)));
          const Vector6<Scalar> F = node_.tree.template S_of<J>(v) * model_->template v_of<J>(i, f);
          model_->template v_of<J>(i, f) = next_.tree.template S_of<J>(v).transpose() * E.wrench_to_end(F);
        }
      });
    }
  }

  /// What rounding leaves of the relative residual.                                            [vi_math.md, section 4]
  ValueOf<Scalar> rounding_floor() const noexcept {
    const auto depth = static_cast<ValueOf<Scalar>>(model_->depth());
    return 4 * epsilon<Scalar> * (10 + depth * depth / 10);  // measured: up to 2.3 times the bracket on 100 spherical links
  }

  const Model* model_;
  Options options_;
  [[no_unique_address]] Residual residual_;
  [[no_unique_address]] Force force_;
  Memory node_, next_, backup_;
  AbiData<Scalar> abi_;
  typename Residual::template Data<Scalar> data_;
  VelocityData<Scalar> sweeps_;
  JointMomentumData<Scalar> momentum_;
  GravityData<Scalar> gravity_;
  JointTerms<Scalar> terms_;
  VectorX<Scalar> x_, z_, rhs_, forces_, field_, v_mid_, f_, q_mid_;
  BodyArray<Vector6<Scalar>> wrench_;
  bool field_failed_ = false;
};

}  // namespace actio
