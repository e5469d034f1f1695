// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The constant forces of a model and its springs between points in a variational step.
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "actio/constraints/mobility.hpp"
#include "actio/constraints/row_products.hpp"
#include "actio/constraints/spring_row.hpp"
#include "actio/core/status.hpp"
#include "actio/dynamics/abi.hpp"

namespace actio::detail {

/// Forces that depend on the pose alone, half of whose impulse acts at either end of a step: constant ones, and springs between points
/// that the step resolves. These are the gradient of a potential in the discrete action, so that the step remains symplectic, symmetric and
/// explicit in them. A spring with a damper, or with  h^2 k A/4 > 1/16  for the mobility A of its ends, h times its frequency above 1/2, is
/// not among them.                                                                                            [vi_math.md, section 8]
template <class ModelType>
class AppliedForces {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< scalar type of all numbers

  /// @param model outlives this.
  explicit AppliedForces(const Model& model) : model_(&model), wrenches_(model) {
    if (model.springs().empty()) return;
    const VectorX<S> zero = VectorX<S>::Zero(model.nv());
    springs_.emplace(Springs{FreeMobility<Model>(model), RowProducts<Model>(model), AbiData<S>(model), zero, zero, zero,
                             std::vector<char>(model.springs().size())});
  }

  /// Begins a step.  @param tree where it begins.  @param h its length [s].
  void begin(const TreePose<S>& tree, const S& h) noexcept {
    any_stiff_ = false;
    if (!springs_) return;
    const BodyArray<Pose<S>>& T_WB = wrenches_.place(*model_, tree);
    bool is_factored = false;
    for (std::size_t k = 0; k < springs_->is_stiff.size(); ++k) {
      const PointSpring<S>& spring = model_->springs()[k];
      const std::array<ConstraintRow<S>, 1> row{spring_row(spring, T_WB[spring.body_a], T_WB[spring.body_b])};
      const auto is_long = [&](const S& A) { return S(4) * h * h * spring.stiffness * A > S(1); };
      bool is_stiff = spring.damping > S(0);
      // The mobility of the bodies without joints is an upper bound, which as a rule decides.
      if (!is_stiff && (!is_bounded(spring.body_a) || !is_bounded(spring.body_b) || is_long(springs_->free(tree, row[0])))) {
        if (!is_factored && abi_factor(*model_, tree, springs_->mass, springs_->none) != 0) return;  // the step itself finds that M is singular
        is_factored = true;
        springs_->g.setZero();
        springs_->products.add_forces(tree, row, Eigen::Matrix<S, 1, 1>::Ones(), springs_->g);
        is_stiff = is_long(abi_solve(*model_, tree, springs_->mass, springs_->g, springs_->z));
      }
      springs_->is_stiff[k] = is_stiff;
      any_stiff_ = any_stiff_ || is_stiff;
    }
  }
  bool any_stiff() const noexcept { return any_stiff_; }                                ///< whether a spring is not among them in this step
  /// Returns the first such spring, for a step that does not take it.
  Culprit culprit() const noexcept {
    std::size_t k = 0;
    while (!is_stiff(k)) ++k;
    return Culprit::spring(static_cast<int>(k));
  }
  bool is_stiff(std::size_t k) const noexcept { return springs_->is_stiff[k] != 0; }    ///< whether spring k is not

  /// Adds their joint forces in a pose to tau (nv) [N m, N].
  void add(const TreePose<S>& tree, VectorX<S>& tau) noexcept {
    tau += model_->properties().force;
    wrenches_.add(*model_, tree, acts(), tau);
  }
  /// Returns the wrenches (bodies) in a pose of those that act at points, in the bodies' frames [N m, N]; valid until the next call.
  /// @pre has_point_forces(model)
  const BodyArray<Vector6<S>>& wrenches(const TreePose<S>& tree) noexcept { return wrenches_.at(*model_, tree, acts()); }

  const BodyArray<Pose<S>>& poses() const noexcept { return wrenches_.poses(); }  ///< (bodies) in the world, in that pose
  /// Returns a function of the index of a spring: whether it is among them in this step.
  auto acts() const noexcept {
    return [this](std::size_t k) { return !is_stiff(k); };
  }

 private:
  struct Springs {
    FreeMobility<Model> free;
    RowProducts<Model> products;
    AbiData<S> mass;
    VectorX<S> none, g, z;  // (nv); none: zero
    std::vector<char> is_stiff;
  };
  /// Returns whether FreeMobility bounds the mobility of a body: the others count as immobile there.
  bool is_bounded(BodyIndex body) const noexcept { return body == 0 || model_->inertia(body).is_full(); }

  const Model* model_;
  PointWrenches<S> wrenches_;
  std::optional<Springs> springs_;  // if the model has any
  bool any_stiff_ = false;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class AppliedForces<Model<double>>;
#endif

}  // namespace actio::detail
