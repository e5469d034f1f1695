// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A model with loops and couplings in joint coordinates, as a LoopedTree for Waveform.
#include <array>
#include <utility>

#include "actio/constraints/closure_weights.hpp"
#include "actio/constraints/tree_rows.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/integrators/explicit/acceleration.hpp"
#include "actio/integrators/srm/waveform.hpp"

namespace actio::detail {

/// A LoopedTree: accelerations by the articulated-body algorithm, rows of loops and couplings, weights by ClosureWeights.
///                                                                                 [srm_math.md, sections 5 and 5.1]
/// @tparam Force a ForceField.
template <class ModelType, class Force = NoForce>
class JointLoops {
 public:
  using Space = ModelType;                ///< where q is integrated
  using Scalar = typename Space::Scalar;  ///< scalar type of all numbers
  using Drive = Input<Scalar>;            ///< inputs that act besides the loop forces

  /// @param model outlives this.  @throws ModelError if a loop or coupling acts on a body without full inertia.
  explicit JointLoops(const Space& model, Force force = {})
      : model_(&model), kinematics_(model), weights_(model, "srm"), rows_(weights_.rows()),
        gap_(VectorX<Scalar>::Zero(static_cast<Eigen::Index>(weights_.rows()))), rate_(gap_), acceleration_(model, std::move(force)) {}
  explicit JointLoops(Space&&, Force = {}) = delete;  // would dangle

  /// See LoopedTree. Gaps [m, rad] and rates [m/s, rad/s], loops before couplings.
  ///@{
  const Space& space() const noexcept { return *model_; }
  Eigen::Index rows() const noexcept { return gap_.size(); }
  const VectorX<Scalar>& gap() const noexcept { return gap_; }
  const VectorX<Scalar>& rate() const noexcept { return rate_; }
  Culprit loop_of(Eigen::Index row) const noexcept { return detail::culprit(*model_, closure_of(weights_.groups(), row)); }
  const VectorX<Scalar>& acceleration() const noexcept { return acceleration_.value(); }
  ///@}
  const ConstraintRow<Scalar>& row(Eigen::Index r) const noexcept { return rows_[static_cast<std::size_t>(r)]; }  ///< at the last place()

  /// See LoopedTree.  The culprit of place() is a loop or coupling, that of accelerate() a body whose joint moves no mass.
  ///@{
  Status place(const State<Scalar>& x, Culprit& culprit) noexcept {
    forward_kinematics(*model_, kinematics_, x.q, x.v);
    rows_.clear();
    for (const Group& group : weights_.groups()) add_rows(group, x.q);
    const Group* const singular = weights_.set(kinematics_.tree, [&](Eigen::Index k) -> const ConstraintRow<Scalar>& { return row(k); });
    if (singular) {
      if (!detail::all_finite(x.q) || !detail::all_finite(x.v)) return Status::not_finite;
      culprit = detail::culprit(*model_, *singular);
      return Status::singular;
    }
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      gap_[static_cast<Eigen::Index>(k)] = rows_[k].value;
      rate_[static_cast<Eigen::Index>(k)] = rows_[k].rate(kinematics_.V, x.v);
    }
    return Status::converged;
  }
  void weigh(const VectorX<Scalar>& y, VectorX<Scalar>& out) const noexcept { weights_.times(y, out); }
  Scalar kinetic_energy(const State<Scalar>& x) const noexcept { return actio::kinetic_energy(*model_, kinematics_, x.v); }
  Status accelerate(const State<Scalar>& x, const Input<Scalar>& input, const Scalar& share, const Scalar& time,
                    const VectorX<Scalar>& lambda, Culprit& culprit) noexcept {
    const auto add = [&](BodyArray<Vector6<Scalar>>& wrenches, VectorX<Scalar>& tau) {
      for (std::size_t k = 0; k < rows_.size(); ++k) rows_[k].apply(-lambda[static_cast<Eigen::Index>(k)], wrenches, tau);
    };
    return acceleration_.evaluate(*model_, input, share, time, x.q, x.v, Scalar(0), culprit, add);
  }
  ///@}

 private:
  using Group = Closure<Scalar>;
  void add_rows(const Group& group, const VectorX<Scalar>& q) noexcept {
    std::array<ConstraintRow<Scalar>, 6> rows;
    if (group.loop) loop_rows(*group.loop, kinematics_.T_WB[group.loop->body_a], kinematics_.T_WB[group.loop->body_b], rows);
    else rows[0] = coupling_row<Scalar>(*group.coupling, q);
    for (std::size_t k = 0; k < group.count; ++k) {
      [[maybe_unused]] const bool fits = rows_.add(rows[k]);
      ACTIO_ASSERT(fits);
    }
  }

  const Space* model_;
  KinematicsData<Scalar> kinematics_;
  ClosureWeights<Space> weights_;
  ConstraintRows<Scalar> rows_;
  VectorX<Scalar> gap_, rate_;
  Acceleration<Space, Force> acceleration_;
};

}  // namespace actio::detail
