// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Any model with loops and couplings as a Waveform marches it, in joint coordinates.
#include <string>
#include <utility>
#include <vector>

#include "actio/constraints/row_weights.hpp"
#include "actio/constraints/tree_rows.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/integrators/acceleration.hpp"
#include "actio/integrators/require_body_inertia.hpp"
#include "actio/integrators/waveform.hpp"

namespace actio {

/// The tree by ABA, couplings and loops as rows, couplings first; rows are weighed by RowWeights.        [srm_math.md, sections 5 and 5.1]
template <class ModelType, class Force = NoForce>
class JointLoops {
 public:
  using Space = ModelType;
  using Scalar = typename Space::Scalar;
  using Drive = Input<Scalar>;

  /// @param model outlives this.  @throws ModelError where a loop or coupling acts on a body that on its own resists not every motion.
  explicit JointLoops(const Space& model, Force force = {})
      : model_(&model), groups_(groups_of(model)), kinematics_(model), weights_(model, acts_on(model)), E_(groups_.size(), Matrix6<Scalar>::Zero()),
        acceleration_(model, std::move(force)) {
    std::size_t rows = 0;
    for (Group& group : groups_) {
      group.first = rows;
      rows += group.count;
    }
    rows_ = ConstraintRows<Scalar>(rows);
    gap_ = rate_ = VectorX<Scalar>::Zero(static_cast<Eigen::Index>(rows));
  }
  explicit JointLoops(Space&&, Force = {}) = delete;  // would dangle

  const Space& space() const noexcept { return *model_; }
  Eigen::Index rows() const noexcept { return gap_.size(); }
  const VectorX<Scalar>& gap() const noexcept { return gap_; }
  const VectorX<Scalar>& rate() const noexcept { return rate_; }
  /// Index in model.loops(); couplings count on behind them.
  int loop_of(Eigen::Index row) const noexcept {
    std::size_t g = groups_.size();
    while (g > 1 && groups_[g - 1].first > static_cast<std::size_t>(row)) --g;
    return number(groups_[g - 1]);
  }
  const VectorX<Scalar>& acceleration() const noexcept { return acceleration_.value(); }
  const ConstraintRow<Scalar>& row(Eigen::Index r) const noexcept { return rows_[static_cast<std::size_t>(r)]; }

  Status place(const State<Scalar>& x, int& culprit) noexcept {
    forward_kinematics(*model_, kinematics_, x.q, x.v);
    rows_.clear();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const bool fits = groups_[g].coupling ? add_coupling(*groups_[g].coupling, x.q) : add_loop(*groups_[g].loop, groups_[g].count);
      if (fits && weights_.finish(E_[g])) continue;
      if (!detail::all_finite(x.q) || !detail::all_finite(x.v)) return Status::not_finite;
      culprit = number(groups_[g]);
      return Status::singular;
    }
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      gap_[static_cast<Eigen::Index>(k)] = rows_[k].value;
      rate_[static_cast<Eigen::Index>(k)] = rows_[k].rate(kinematics_.V, x.v);
    }
    return Status::converged;
  }
  void weigh(const VectorX<Scalar>& y, VectorX<Scalar>& out) const noexcept {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const auto first = static_cast<Eigen::Index>(groups_[g].first), count = static_cast<Eigen::Index>(groups_[g].count);
      for (Eigen::Index r = 0; r < count; ++r) {
        Scalar sum(0);
        for (Eigen::Index c = 0; c < count; ++c) sum += E_[g](r, c) * y[first + c];
        out[first + r] = sum;
      }
    }
  }
  Scalar kinetic_energy(const State<Scalar>& x) const noexcept {
    Scalar sum(0);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) sum += model_->inertia(i).kinetic_energy(kinematics_.V[i]);
    return sum + model_->properties().armature.dot(x.v.cwiseAbs2()) / Scalar(2);
  }
  Status accelerate(const State<Scalar>& x, const Input<Scalar>& input, const Scalar& share, const Scalar& time, const VectorX<Scalar>& lambda,
                    int& culprit) noexcept {
    const auto add = [&](BodyArray<Vector6<Scalar>>& wrenches, VectorX<Scalar>& tau) {
      for (std::size_t k = 0; k < rows_.size(); ++k) rows_[k].apply(-lambda[static_cast<Eigen::Index>(k)], wrenches, tau);
    };
    return acceleration_.evaluate(*model_, input, share, time, x.q, x.v, Scalar(0), culprit, add);
  }

 private:
  /// Rows of one loop or coupling.
  struct Group {
    const Loop<Scalar>* loop = nullptr;
    const Coupling<Scalar>* coupling = nullptr;
    std::size_t count = 0, first = 0;
  };
  static std::vector<Group> groups_of(const Space& model) {
    std::vector<Group> groups;
    for (const Coupling<Scalar>& coupling : model.couplings()) {
      if (coupling.active) groups.push_back({nullptr, &coupling, 1, 0});
    }
    for (const Loop<Scalar>& loop : model.loops()) {
      if (loop.active) groups.push_back({&loop, nullptr, static_cast<std::size_t>(num_rows(loop.type)), 0});
    }
    return groups;
  }
  static BodyArray<int> acts_on(const Space& model) {
    BodyArray<int> acts_on(model.num_bodies(), 0);
    const auto act = [&](BodyIndex b, const std::string& what) {
      if (b > 0 && !detail::has_full_inertia(model.inertia(b))) {
        throw ModelError("srm weighs loops by the bodies they tie, but body '" + model.body_name(b) + "', which " + what +
                         " acts on, has no mass or no moment of inertia about one of its axes: give it some, or take another integrator");
      }
      ++acts_on[b];
    };
    for (const Group& group : groups_of(model)) {
      if (group.loop) {
        for (const BodyIndex b : {group.loop->body_a, group.loop->body_b}) act(b, "loop '" + group.loop->name + "'");
      } else {
        for (const BodyIndex b : {group.coupling->follower_body, group.coupling->leader_body}) {
          for (const BodyIndex side : {b, model.parent(b)}) act(side, "the coupling of joint '" + group.coupling->name + "'");
        }
      }
    }
    return acts_on;
  }
  int number(const Group& group) const noexcept {
    return group.loop ? static_cast<int>(group.loop - model_->loops().data())
                      : static_cast<int>(model_->loops().size()) + static_cast<int>(group.coupling - model_->couplings().data());
  }
  /// @returns false where there is no room, which there is.
  bool add_loop(const Loop<Scalar>& loop, std::size_t count) noexcept {
    std::array<ConstraintRow<Scalar>, 6> rows;
    loop_rows(loop, kinematics_.T_WB[loop.body_a], kinematics_.T_WB[loop.body_b], rows);
    weights_.begin(count);
    for (std::size_t side = 0; side < 2; ++side) {
      weights_.add(rows[0].bodies[side].body, [&](int r) -> const Vector6<Scalar>& { return rows[static_cast<std::size_t>(r)].bodies[side].wrench; });
    }
    bool fits = true;
    for (std::size_t k = 0; k < count; ++k) fits = fits && rows_.add(rows[k]);
    return fits;
  }
  /// A joint's rate is a wrench times the twist of its child against its parent; any such wrench gives a bound.
  bool add_coupling(const Coupling<Scalar>& coupling, const VectorX<Scalar>& q) noexcept {
    weights_.begin(1);
    const auto add_joint = [&](BodyIndex child, Eigen::Index v, const Scalar& factor) {
      const Vector6<Scalar> S_i = kinematics_.tree.subspace.col(v), on_child = S_i * (factor / S_i.squaredNorm());
      weights_.add(child, [&](int) { return on_child; });
      weights_.add(model_->parent(child), [&](int) { return Vector6<Scalar>(-kinematics_.tree.T_PB[child].wrench_to_parent(on_child)); });
    };
    add_joint(coupling.follower_body, coupling.follower_v, Scalar(1));
    add_joint(coupling.leader_body, coupling.leader_v, Scalar(-coupling.ratio));
    return rows_.add(coupling_row<Scalar>(coupling, q));
  }

  const Space* model_;
  std::vector<Group> groups_;
  KinematicsData<Scalar> kinematics_;
  RowWeights<Scalar> weights_;
  std::vector<Matrix6<Scalar>> E_;  // of each group in the upper left
  ConstraintRows<Scalar> rows_;
  VectorX<Scalar> gap_, rate_;
  Acceleration<Space, Force> acceleration_;
};

}  // namespace actio
