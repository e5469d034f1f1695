// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Integrators with the structure, memory and failures of all planned schemes, but with trivial physics: every mass is one.
// They show that the interfaces (Model, State, Input, ForceField, ConstraintRow, Status, Integrator) support these schemes.
#include <Eigen/Cholesky>

#include <array>
#include <utility>
#include <vector>

#include "actio/constraints/row.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/model/capabilities.hpp"

namespace actio::test {

/// Returns invalid_step, invalid_input or converged: the first check of every scheme.
template <class Model, class S>
Status checked(const Model& model, const Input<S>& input, const S& h, bool reversible) noexcept {
  if (!detail::is_valid_step(model, h, reversible)) return Status::invalid_step;
  return is_valid(model, input) ? Status::converged : Status::invalid_input;
}

/// Computes the mean of an input's joint forces over the step, plus the wrenches on each joint's child along the joint.
template <class Model, class S>
void mean_forces(const Model& model, const Input<S>& input, VectorX<S>& tau) noexcept {
  tau.setZero();
  if (input.tau_begin.size() > 0) tau += input.tau_begin / S(2);
  if (input.tau_at_end().size() > 0) tau += input.tau_at_end() / S(2);
  if (input.wrench_begin.size() == 0) return;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      model.template v_of<J>(i, tau) += joint.motion_subspace(joints::neutral(joint)).transpose() * input.wrench_begin[i];
    });
  }
}

/// Computes the poses of the bodies in the world.
template <class Model, class S>
void place_bodies(const Model& model, const VectorX<S>& q, BodyArray<Pose<S>>& T_WB) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      T_WB[i] = T_WB[model.parent(i)] * model.placement(i) * joint.pose(model.template q_of<J>(i, q));
    });
  }
}

/// Joint coordinates: a symmetric step with a force field evaluated at its middle.
template <class ModelType, class Force = NoForce>
class JointCoordinates {
 public:
  using Model = ModelType;
  using Scalar = typename Model::Scalar;
  using Memory = State<Scalar>;
  static constexpr int order = 2;
  static constexpr bool reversible = true;

  explicit JointCoordinates(const Model& model, Force force = {})
      : model_(&model), force_(std::move(force)), node_(rest_state(model)), next_(node_), x_(node_.v), tau_(node_.v), field_(node_.v) {
    require_support(model, {}, "joint_coordinates");
  }
  const Model& model() const noexcept { return *model_; }
  const VectorX<Scalar>& configuration() const noexcept { return node_.q; }
  Scalar time() const noexcept { return node_.time; }
  void reset(const State<Scalar>& x) {
    detail::require_state(*model_, x);
    node_ = x;
  }
  Status read(State<Scalar>& state) noexcept {
    state = node_;
    return Status::converged;
  }
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept {
    StepResult<Scalar> result;
    result.status = checked(*model_, input, h, reversible);
    if (!result) return result;
    const Scalar half = h / Scalar(2);
    x_ = half * node_.v;
    model_->integrate(node_.q, x_, next_.q);
    mean_forces(*model_, input, tau_);
    field_.setZero();
    if (!force_(node_.time + half, next_.q, node_.v, field_)) {
      result.status = Status::callback_failed;
      return result;
    }
    next_.v = node_.v + h * (tau_ + field_);
    x_ = half * next_.v;
    model_->integrate(next_.q, x_, next_.q);
    next_.time = node_.time + h;
    if (!detail::is_finite_vector(next_.q) || !detail::is_finite_vector(next_.v)) {
      result.status = Status::not_finite;
      return result;
    }
    std::swap(node_, next_);
    return result;
  }
  Memory make_memory() const { return node_; }
  void save(Memory& memory) const noexcept { memory = node_; }
  void restore(const Memory& memory) noexcept { node_ = memory; }

 private:
  const Model* model_;
  Force force_;
  State<Scalar> node_, next_;
  VectorX<Scalar> x_, tau_, field_;
};

/// Maximal coordinates: poses and twists of the bodies. q is stored too; v is solved for, joint by joint, which fails where S loses
/// rank.
template <class ModelType>
class MaximalCoordinates {
 public:
  using Model = ModelType;
  using Scalar = typename Model::Scalar;
  static constexpr int order = 1;
  static constexpr bool reversible = false;
  struct Memory {
    BodyArray<Pose<Scalar>> T_WB;
    BodyArray<Vector6<Scalar>> V;  ///< twists in the bodies' frames
    VectorX<Scalar> q, v_given;
    bool fresh = true;  ///< v is v_given, as passed to reset
    Scalar time{};
  };

  explicit MaximalCoordinates(const Model& model) : model_(&model), v_(VectorX<Scalar>::Zero(model.nv())), x_(v_), tau_(v_) {
    require_support(model, {.loops = true, .couplings = true, .nonholonomic = true}, "maximal_coordinates");
    node_ = {BodyArray<Pose<Scalar>>(model.num_bodies(), Pose<Scalar>::identity()),
             BodyArray<Vector6<Scalar>>(model.num_bodies(), Vector6<Scalar>::Zero()), model.neutral(), v_, true, Scalar(0)};
    next_ = node_;
    reset(rest_state(model));
  }
  const Model& model() const noexcept { return *model_; }
  const VectorX<Scalar>& configuration() const noexcept { return node_.q; }
  Scalar time() const noexcept { return node_.time; }
  void reset(const State<Scalar>& x) {
    detail::require_state(*model_, x);
    node_.q = x.q;
    node_.v_given = x.v;
    node_.fresh = true;
    node_.time = x.time;
    spread(node_, x.v);
  }
  Status read(State<Scalar>& state) noexcept {
    if (!node_.fresh && solve(node_) != 0) return Status::singular;  // the state stays as it was
    state.q = node_.q;
    state.v = node_.fresh ? node_.v_given : v_;
    state.time = node_.time;
    return Status::converged;
  }
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept {
    StepResult<Scalar> result;
    result.status = checked(*model_, input, h, reversible);
    if (!result) return result;
    if (const BodyIndex body = solve(node_); body != 0) {
      result.status = Status::singular;
      result.culprit = Culprit::body(static_cast<int>(body));
      return result;
    }
    mean_forces(*model_, input, tau_);
    v_ += h * tau_;
    x_ = h * v_;
    model_->integrate(node_.q, x_, next_.q);
    if (!detail::is_finite_vector(next_.q) || !detail::is_finite_vector(v_)) {
      result.status = Status::not_finite;
      return result;
    }
    spread(next_, v_);
    next_.fresh = false;
    next_.time = node_.time + h;
    std::swap(node_, next_);
    return result;
  }
  Memory make_memory() const { return node_; }
  void save(Memory& memory) const noexcept { memory = node_; }
  void restore(const Memory& memory) noexcept { node_ = memory; }

 private:
  /// Computes poses and twists of the bodies from q and v.
  void spread(Memory& node, const VectorX<Scalar>& v) noexcept {
    place_bodies(*model_, node.q, node.T_WB);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      visit_joint(*model_, i, [&]<JointType J>(const J& joint) {
        const Pose<Scalar> T_PB = node.T_WB[model_->parent(i)].inverse() * node.T_WB[i];
        const typename J::Config q_i = model_->template q_of<J>(i, node.q);
        node.V[i] = T_PB.twist_to_child(node.V[model_->parent(i)]) + joint.motion_subspace(q_i) * model_->template v_of<J>(i, v);
      });
    }
  }
  /// Computes v_ from the twists, by least squares.  @returns the first body whose joint has lost rank, or 0.
  BodyIndex solve(const Memory& node) noexcept {
    BodyIndex singular = 0;
    for (BodyIndex i = 1; i < model_->num_bodies() && singular == 0; ++i) {
      visit_joint(*model_, i, [&]<JointType J>(const J& joint) {
        using Square = Eigen::Matrix<Scalar, J::nv, J::nv>;
        const Pose<Scalar> T_PB = node.T_WB[model_->parent(i)].inverse() * node.T_WB[i];
        const Vector6<Scalar> relative = node.V[i] - T_PB.twist_to_child(node.V[model_->parent(i)]);
        const joints::Subspace<J> subspace = joint.motion_subspace(model_->template q_of<J>(i, node.q));
        const Square normal = subspace.transpose() * subspace;
        const Eigen::LLT<Square> factor(normal);
        if (factor.info() != Eigen::Success) singular = i;
        const typename J::Tangent projected = subspace.transpose() * relative;
        model_->template v_of<J>(i, v_) = factor.solve(projected);
      });
    }
    return singular;
  }

  const Model* model_;
  Memory node_, next_;
  VectorX<Scalar> v_, x_, tau_;
};

/// Compliant contact: spheres on a ground at z = 0, one row each, limited by the capacity; multipliers are stored for a warm start.
template <class ModelType>
class CompliantContact {
 public:
  using Model = ModelType;
  using Scalar = typename Model::Scalar;
  static constexpr int order = 1;
  static constexpr bool reversible = false;
  struct Options {
    int contact_capacity = 8;
    ValueOf<Scalar> stiffness = 10;
  };
  struct Memory {
    State<Scalar> state;
    VectorX<Scalar> lambda;  ///< (capacity) of the last step, a warm start
  };

  explicit CompliantContact(const Model& model, const Options& options = {})
      : model_(&model), options_(options), x_(VectorX<Scalar>::Zero(model.nv())), tau_(x_),
        T_WB_(model.num_bodies(), Pose<Scalar>::identity()), F_(model.num_bodies(), Vector6<Scalar>::Zero()),
        rows_(static_cast<std::size_t>(options.contact_capacity)) {
    require_support(model, {.loops = true, .couplings = true, .limits = true, .friction = true, .contact = true}, "compliant_contact");
    node_ = {rest_state(model), VectorX<Scalar>::Zero(options.contact_capacity)};
    next_ = node_;
  }
  const Model& model() const noexcept { return *model_; }
  const VectorX<Scalar>& configuration() const noexcept { return node_.state.q; }
  Scalar time() const noexcept { return node_.state.time; }
  std::size_t contacts() const noexcept { return rows_.size(); }
  void reset(const State<Scalar>& x) {
    detail::require_state(*model_, x);
    node_.state = x;
    node_.lambda.setZero();
  }
  Status read(State<Scalar>& state) noexcept {
    state = node_.state;
    return Status::converged;
  }
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept {
    StepResult<Scalar> result;
    result.method = Method::cone;
    result.status = checked(*model_, input, h, reversible);
    if (!result) return result;
    if (const int full = find_contacts(); full >= 0) {
      result.culprit = Culprit::body(full);
      result.status = Status::capacity;
      return result;
    }
    mean_forces(*model_, input, tau_);
    for (Vector6<Scalar>& F : F_) F.setZero();
    next_.lambda.setZero();
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const auto at = static_cast<Eigen::Index>(k);
      next_.lambda[at] = (node_.lambda[at] - Scalar(options_.stiffness) * rows_[k].value) / Scalar(2);
      rows_[k].apply(next_.lambda[at], F_, tau_);
    }
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      visit_joint(*model_, i, [&]<JointType J>(const J& joint) {
        const typename J::Config q_i = model_->template q_of<J>(i, node_.state.q);
        model_->template v_of<J>(i, tau_) += joint.motion_subspace(q_i).transpose() * F_[i];
      });
    }
    next_.state.v = node_.state.v + h * tau_;
    x_ = h * next_.state.v;
    model_->integrate(node_.state.q, x_, next_.state.q);
    next_.state.time = node_.state.time + h;
    if (!detail::is_finite_vector(next_.state.q) || !detail::is_finite_vector(next_.state.v)) {
      result.status = Status::not_finite;
      return result;
    }
    std::swap(node_, next_);
    return result;
  }
  Memory make_memory() const { return node_; }
  void save(Memory& memory) const noexcept { memory = node_; }
  void restore(const Memory& memory) noexcept { node_ = memory; }

 private:
  /// Adds one row for each sphere below the ground.  @returns the body of the first sphere that exceeds the capacity, or -1.
  int find_contacts() noexcept {
    rows_.clear();
    if (!model_->enforced().contact) return -1;
    place_bodies(*model_, node_.state.q, T_WB_);
    for (const Shape<Scalar>& shape : model_->shapes()) {
      const Sphere<Scalar>* sphere = std::get_if<Sphere<Scalar>>(&shape.geometry);
      if (!sphere) continue;
      const Pose<Scalar>& T = T_WB_[shape.body];
      const Scalar gap = (T * shape.T_BS.p)[2] - sphere->radius;
      if (gap > Scalar(0)) continue;
      const Vector3<Scalar> normal = T.R.transpose() * Vector3<Scalar>::UnitZ(), point = shape.T_BS.p - sphere->radius * normal;
      ConstraintRow<Scalar> row;
      row.value = gap;
      row.bodies[0] = {shape.body, spatial<Scalar>(point.cross(normal), normal)};
      if (!rows_.add(row)) return static_cast<int>(shape.body);
    }
    return -1;
  }

  const Model* model_;
  Options options_;
  Memory node_, next_;
  VectorX<Scalar> x_, tau_;
  BodyArray<Pose<Scalar>> T_WB_;
  BodyArray<Vector6<Scalar>> F_;
  detail::ConstraintRows<Scalar> rows_;
};

/// Sequential regularization: `copies` of the state advance in parallel, each with the multipliers that the previous one left.
template <class ModelType, int copies = 3>
class Regularization {
 public:
  using Model = ModelType;
  using Scalar = typename Model::Scalar;
  static constexpr int order = 1;
  static constexpr bool reversible = false;
  struct Memory {
    std::array<State<Scalar>, copies> state;
    std::vector<VectorX<Scalar>> lambda;  ///< of each copy, three for each loop
  };

  explicit Regularization(const Model& model) : model_(&model), x_(VectorX<Scalar>::Zero(model.nv())), tau_(x_) {
    require_support(model, {.loops = true}, "regularization");
    T_WB_ = BodyArray<Pose<Scalar>>(model.num_bodies(), Pose<Scalar>::identity());
    node_.state.fill(rest_state(model));
    node_.lambda.assign(copies, VectorX<Scalar>::Zero(3 * static_cast<Eigen::Index>(model.loops().size())));
    next_ = node_;
  }
  const Model& model() const noexcept { return *model_; }
  const VectorX<Scalar>& configuration() const noexcept { return node_.state.back().q; }
  Scalar time() const noexcept { return node_.state.back().time; }
  void reset(const State<Scalar>& x) {
    detail::require_state(*model_, x);
    node_.state.fill(x);
    for (VectorX<Scalar>& lambda : node_.lambda) lambda.setZero();
  }
  Status read(State<Scalar>& state) noexcept {
    state = node_.state.back();
    return Status::converged;
  }
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept {
    StepResult<Scalar> result;
    result.method = Method::sweeps;
    result.status = checked(*model_, input, h, reversible);
    if (!result) return result;
    for (std::size_t s = 0; s < copies; ++s) {
      const State<Scalar>& from = node_.state[s];
      State<Scalar>& to = next_.state[s];
      next_.lambda[s] = s == 0 ? node_.lambda[s] : next_.lambda[s - 1];
      place_bodies(*model_, from.q, T_WB_);
      Eigen::Index row = 0;
      for (const Loop<Scalar>& loop : model_->loops()) {
        const Vector3<Scalar> a = T_WB_[loop.body_a] * loop.T_A.p, b = T_WB_[loop.body_b] * loop.T_B.p;
        if (loop.active) next_.lambda[s].template segment<3>(row) += Scalar(0.1f) * (a - b);
        row += 3;
      }
      mean_forces(*model_, input, tau_);
      to.v = from.v + h * tau_;
      to.v[0] -= h * next_.lambda[s].sum();
      x_ = h * to.v;
      model_->integrate(from.q, x_, to.q);
      to.time = from.time + h;
      if (!detail::is_finite_vector(to.q) || !detail::is_finite_vector(to.v)) {
        result.status = Status::not_finite;
        return result;
      }
    }
    result.evaluations = copies;
    std::swap(node_, next_);
    return result;
  }
  Memory make_memory() const { return node_; }
  void save(Memory& memory) const noexcept { memory = node_; }
  void restore(const Memory& memory) noexcept { node_ = memory; }

 private:
  const Model* model_;
  Memory node_, next_;
  BodyArray<Pose<Scalar>> T_WB_;
  VectorX<Scalar> x_, tau_;
};

/// Composition: three steps of an inner scheme, the second of them backwards; a failure of one undoes the steps before it.
template <Integrator Inner>
  requires(Inner::reversible)
class TripleJump {
 public:
  using Model = typename Inner::Model;
  using Scalar = typename Inner::Scalar;
  static constexpr int order = Inner::order + 2;
  static constexpr bool reversible = true;
  struct Memory {
    typename Inner::Memory inner;
    Scalar time{};
  };

  explicit TripleJump(Inner inner) : inner_(std::move(inner)), before_(inner_.make_memory()), time_(inner_.time()) {
    const VectorX<Scalar> zero = VectorX<Scalar>::Zero(model().nv());
    const BodyArray<Vector6<Scalar>> none(model().num_bodies(), Vector6<Scalar>::Zero());
    part_.tau_begin = part_.tau_end = zero;
    part_.wrench_begin = part_.wrench_end = none;
  }
  const Model& model() const noexcept { return inner_.model(); }
  const VectorX<Scalar>& configuration() const noexcept { return inner_.configuration(); }
  Scalar time() const noexcept { return time_; }  // t + h, not the sum of the inner steps
  void reset(const State<Scalar>& x) {
    inner_.reset(x);
    time_ = x.time;
  }
  Status read(State<Scalar>& state) noexcept {
    const Status status = inner_.read(state);
    if (status == Status::converged) state.time = time_;
    return status;
  }
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept {
    StepResult<Scalar> result;
    result.status = checked(model(), input, h, reversible);
    result.method = Method::composition;
    if (!result) return result;
    const Scalar cube_root_of_2(1.259921049894873), outer = Scalar(1) / (Scalar(2) - cube_root_of_2);
    const std::array<Scalar, 4> nodes{Scalar(0), outer, Scalar(1) - outer, Scalar(1)};
    inner_.save(before_);
    for (std::size_t k = 0; k < 3 && result; ++k) {
      take_part(input, nodes[k], nodes[k + 1]);
      const StepResult<Scalar> inner = inner_.step(part_, h * (nodes[k + 1] - nodes[k]));
      result.status = inner.status;
      result.culprit = inner.culprit;
      result.evaluations += inner.evaluations;
    }
    if (result) time_ += h;
    else inner_.restore(before_);
    return result;
  }
  Memory make_memory() const { return {inner_.make_memory(), time_}; }
  void save(Memory& memory) const noexcept {
    inner_.save(memory.inner);
    memory.time = time_;
  }
  void restore(const Memory& memory) noexcept {
    inner_.restore(memory.inner);
    time_ = memory.time;
  }

 private:
  /// Sets part_ to the input between two fractions of the step. Its vectors are always full, because resizing them would allocate.
  void take_part(const Input<Scalar>& input, const Scalar& begin, const Scalar& end) noexcept {
    const auto blend = [](auto& out, const auto& from, const auto& to, const Scalar& share) {
      out.setZero();
      if (from.size() > 0) out += (Scalar(1) - share) * from;
      if (to.size() > 0) out += share * to;
    };
    blend(part_.tau_begin, input.tau_begin, input.tau_at_end(), begin);
    blend(part_.tau_end, input.tau_begin, input.tau_at_end(), end);
    const Vector6<Scalar> zero = Vector6<Scalar>::Zero();
    for (BodyIndex i = 0; i < model().num_bodies(); ++i) {
      const Vector6<Scalar>& from = input.wrench_begin.size() > 0 ? input.wrench_begin[i] : zero;
      const Vector6<Scalar>& to = input.wrench_at_end().size() > 0 ? input.wrench_at_end()[i] : zero;
      blend(part_.wrench_begin[i], from, to, begin);
      blend(part_.wrench_end[i], from, to, end);
    }
  }

  Inner inner_;
  typename Inner::Memory before_;
  Input<Scalar> part_;
  Scalar time_;
};

}  // namespace actio::test
