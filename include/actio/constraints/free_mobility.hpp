// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How a row gives way to its own multiplier where nothing else holds its bodies.
#include <vector>

#include "actio/constraints/body_rows.hpp"
#include "actio/constraints/row.hpp"
#include "actio/dynamics/tree_pose.hpp"
#include "actio/math/invert.hpp"

namespace actio {

/// Sum of J I^-1 J^T over a row's bodies, I the inertia of the single body: not less than G M^-1 G^T without armature, and no less where a
/// singular pose lets the row move nothing.  O(1) a row.                                                    [srm_math.md, section 5]
template <class ModelType>
class FreeMobility {
 public:
  using Model = ModelType;
  using S = typename Model::Scalar;

  /// @param model outlives this.
  explicit FreeMobility(const Model& model) : model_(&model), bodies_(model.num_bodies()) {
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      body_of_.insert(body_of_.end(), static_cast<std::size_t>(model.nv(i)), i);
      if (!model.inertia(i).is_full()) continue;  // gives way like nothing that can be told: other bodies of the row tell
      [[maybe_unused]] const bool regular = invert<S, 3>(model.inertia(i).I_com, bodies_[i].turn);
      ACTIO_ASSERT(regular);
      bodies_[i].shift = S(1) / model.inertia(i).mass;
    }
  }

  /// Zero where none of the row's bodies has full inertia.
  S operator()(const TreePose<S>& tree, const ConstraintRow<S>& row) const noexcept {
    S sum(0);
    for (const auto& part : row.bodies) sum += of_body(part.body, part.wrench);
    for (const auto& part : row.joints) {
      if (part.v < 0) continue;
      const BodyIndex i = body_of_[static_cast<std::size_t>(part.v)];
      const Vector6<S> S_i = tree.subspace.col(part.v), on_child = S_i * (part.coefficient / S_i.squaredNorm());
      sum += of_body(i, on_child) + of_body(model_->parent(i), tree.T_PB[i].wrench_to_parent(on_child));
    }
    return sum;
  }

 private:
  struct FreeBody {  // moved by a unit force or moment
    S shift{};
    Matrix3<S> turn = Matrix3<S>::Zero();
  };
  S of_body(BodyIndex i, const Vector6<S>& wrench) const noexcept {
    if (i == 0) return S(0);
    const Vector6<S> F = detail::about_point<S>(wrench, model_->inertia(i).com);
    const Vector3<S> turned = detail::times(bodies_[i].turn, F[0], F[1], F[2]);
    return (turned[0] * F[0] + turned[1] * F[1] + turned[2] * F[2]) + bodies_[i].shift * (F[3] * F[3] + F[4] * F[4] + F[5] * F[5]);
  }

  const Model* model_;
  BodyArray<FreeBody> bodies_;
  std::vector<BodyIndex> body_of_;  // of each entry of v
};

}  // namespace actio
