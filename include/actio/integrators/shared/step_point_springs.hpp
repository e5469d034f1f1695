// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The springs between points that are rows of a variational step: those that it does not resolve, and dampers.
#include <cstddef>
#include <utility>
#include <vector>

#include "actio/constraints/spring_row.hpp"
#include "actio/integrators/shared/applied_forces.hpp"
#include "actio/integrators/shared/step_springs.hpp"
#include "actio/math/displacement.hpp"

namespace actio::detail {

/// The springs of a model that are stiff in a step, see AppliedForces, at its beginning and at an iterate. Only the constructor allocates.
template <class ModelType>
class StepPointSprings {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< float or double

  /// A spring over the step.
  struct One {
    const PointSpring<S>* spring = nullptr;
    StepSpring<S> law;
    ConstraintRow<S> begin, end;  ///< where the step begins, and at the iterate
    bool is_row = false;          ///< in this step
  };

  /// @param model outlives this.
  explicit StepPointSprings(const Model& model) : model_(&model), T_begin_(0), T_end_(0) {
    if (model.springs().empty()) return;
    for (const PointSpring<S>& spring : model.springs()) {
      all_.push_back({&spring, StepSpring<S>(Compliance<S>{spring.stiffness, spring.damping}, !spring.tension_only), {}, {}, false});
    }
    T_begin_ = T_end_ = BodyArray<Pose<S>>(model.num_bodies(), Pose<S>::identity());
  }

  std::size_t size() const noexcept { return all_.size(); }  ///< number of springs of the model
  /// Returns the number of springs between two moving bodies.
  std::size_t num_ties() const noexcept {
    std::size_t count = 0;
    for (const One& one : all_) count += one.spring->body_a > 0 && one.spring->body_b > 0;
    return count;
  }
  bool any() const noexcept { return any_; }                          ///< whether one is a row in this step
  One& operator[](std::size_t k) noexcept { return all_[k]; }              ///< spring k of the model
  const One& operator[](std::size_t k) const noexcept { return all_[k]; }  ///< the same

  /// Returns the distance of the ends of spring k from the world's origin, in sum [m].
  S reach(std::size_t k) const noexcept {
    const PointSpring<S>& spring = *all_[k].spring;
    return (T_begin_[spring.body_a] * spring.point_a).norm() + (T_begin_[spring.body_b] * spring.point_b).norm();
  }

  /// Begins a step.  @param tree the pose at q_k.  @param applied begun for this step.
  void begin(const TreePose<S>& tree, const AppliedForces<Model>& applied) noexcept {
    any_ = applied.any_stiff();
    if (!any_) return;
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) T_begin_[i] = T_begin_[model_->parent(i)] * tree.T_PB[i];
    for (std::size_t k = 0; k < all_.size(); ++k) {
      One& one = all_[k];
      one.is_row = applied.is_stiff(k);
      if (one.is_row) one.begin = one.end = row(one, T_begin_);
    }
  }
  /// Goes to an iterate, at which the bodies have moved by dT (bodies) from the pose of begin().
  void move(const BodyArray<Displacement<S>>& dT) noexcept {
    if (!any_) return;
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) T_end_[i] = T_begin_[i] * dT[i].pose();
    for (One& one : all_) {
      if (one.is_row) one.end = row(one, T_end_);
    }
  }

 private:
  static ConstraintRow<S> row(const One& one, const BodyArray<Pose<S>>& T_WB) noexcept {
    return spring_row(*one.spring, T_WB[one.spring->body_a], T_WB[one.spring->body_b]);
  }

  const Model* model_;
  std::vector<One> all_;
  BodyArray<Pose<S>> T_begin_, T_end_;
  bool any_ = false;
};

}  // namespace actio::detail
