// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The balance of momenta of a compliant step without its constraint rows: the impulses that the rows must supply, with dampers and springs.
#include "actio/dynamics/joint_terms.hpp"
#include "actio/dynamics/generalized_forces.hpp"
#include "actio/dynamics/rnea.hpp"
#include "actio/model/state.hpp"

namespace actio::detail {

/// The impulses that the rows of a step of semi-implicit Euler must supply:
///   M (v1 - v) + added v1 - h (tau + springs - c(q, v)) = h G^T lambda,      added = h damping + h^2 stiffness.
/// Forces, constant ones included, are those at the beginning of the step, but damping and the springs of flat joints are implicit. Springs
/// between points are rows.
///                                                                              [compliant_math.md, section 2.1]
template <class ModelType>
class MomentumBalance {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< scalar type of all numbers

  /// @param model outlives this.
  explicit MomentumBalance(const Model& model)
      : model_(&model), rnea_(model), added_(VectorX<S>::Zero(model.nv())), rate_(added_), missing_(added_), tree_(model), constant_(model) {
    for (const S& stiffness : model.properties().stiffness) has_springs_ |= any(stiffness > S(0));
  }

  /// Returns `added` (nv), which adds to the diagonal of M [kg m^2, kg]; valid until the next call.  @param h [s].
  const VectorX<S>& added(const S& h) noexcept {
    const ModelProperties<S>& joints = model_->properties();
    added_ = h * joints.damping;
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      visit_joint(*model_, i, [&]<JointType J>(const J&) {
        if constexpr (joints::is_flat<J>()) model_->template v_of<J>(i, added_) += h * h * model_->template v_of<J>(i, joints.stiffness);
      });
    }
    return added_;
  }

  /// Returns the left-hand side above (nv): the impulse that rows must supply for v1 [N m s, N s]; valid until the next call. Momentum is
  /// balanced in axes that keep their directions over the step.  @param v1 (nv).  @param input its beginning counts.  @param h [s].
  const VectorX<S>& missing(const State<S>& x, const VectorX<S>& v1, const Input<S>& input, const S& h) noexcept {
    set_rate(x, v1, h);
    missing_ =
        input.wrench_begin.size() > 0 ? rnea(*model_, rnea_, x.q, x.v, rate_, input.wrench_begin) : rnea(*model_, rnea_, x.q, x.v, rate_);
    missing_ = -missing_;
    if (has_springs_) add_spring_forces(*model_, x.q, missing_);
    missing_ += model_->properties().force;
    if (!model_->forces().empty()) {
      place(*model_, tree_, x.q);
      constant_.add(*model_, tree_, [](std::size_t) { return false; }, missing_);
    }
    if (input.tau_begin.size() > 0) missing_ += input.tau_begin;
    missing_ = added(h).cwiseProduct(v1) - h * missing_;
    return missing_;
  }
  /// Returns the forces (nv) on the joints over a step from x to v1, those of joints, rows and inputs together, without gravity [N m, N];
  /// valid until the next call.
  const VectorX<S>& forces(const State<S>& x, const VectorX<S>& v1, const S& h) noexcept {
    set_rate(x, v1, h);
    return missing_ = rnea(*model_, rnea_, x.q, x.v, rate_);
  }

 private:
  /// Sets rate_ (nv), the accelerations of a step from x to the velocities v1.
  void set_rate(const State<S>& x, const VectorX<S>& v1, const S& h) noexcept {
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      visit_joint(*model_, i, [&]<JointType J>(const J& joint) {
        model_->template v_of<J>(i, rate_) = joints::fixed_rate(joint, typename J::Tangent(model_->template v_of<J>(i, x.v)));
      });
    }
    rate_ += (v1 - x.v) / h;
  }

  const Model* model_;
  RneaData<S> rnea_;
  VectorX<S> added_, rate_, missing_;
  TreePose<S> tree_;
  PointWrenches<S> constant_;
  bool has_springs_ = false;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class MomentumBalance<Model<double>>;
#endif

}  // namespace actio::detail
