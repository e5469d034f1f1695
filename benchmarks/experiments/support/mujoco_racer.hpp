// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MuJoCo as a contestant in races.
#include <algorithm>
#include <memory>
#include <utility>

#include "actio/io/peers.hpp"
#include "support/mujoco.hpp"
#include "support/race.hpp"

namespace experiments {

/// A scene with the bodies of one of our models, as write_mjcf_bodies() writes them.
class MujocoRacer final : public Racer {
 public:
  /// @param settle number of steps in which the scene comes to rest before the motion starts.
  MujocoRacer(std::unique_ptr<MujocoScene> scene, actio::Model<double> model, const actio::State<double>& start, int settle = 0)
      : model_(std::move(model)), layout_(model_, actio::peers::mujoco), scene_(std::move(scene)) {
    const actio::PeerState<double> theirs = layout_.to_peer(start);
    std::copy(theirs.q.begin(), theirs.q.end(), scene_->q());
    std::copy(theirs.v.begin(), theirs.v.end(), scene_->v());
    for (int k = 0; k < settle; ++k) scene_->step();
    scene_->save();
  }

  void restart() override {
    scene_->restore();
    fetch();
  }
  void run(int steps, Lap& lap) override {
    for (int k = 0; k < steps && lap.end == actio::Status::converged; ++k) {
      if (!scene_->step()) {
        lap.end = actio::Status::not_finite;
        return;
      }
      lap.iterations += scene_->iterations();
      ++lap.steps;
    }
    fetch();
  }
  const actio::VectorX<double>& configuration() const override { return state_.q; }
  actio::Status read(actio::State<double>& state) override {
    state = state_;
    return actio::Status::converged;
  }

 private:
  void fetch() {
    state_ = layout_.from_peer({Eigen::Map<const actio::VectorX<double>>(scene_->q(), layout_.nq()),
                                Eigen::Map<const actio::VectorX<double>>(scene_->v(), layout_.nv())});
  }

  actio::Model<double> model_;
  actio::PeerLayout<actio::Model<double>> layout_;
  std::unique_ptr<MujocoScene> scene_;
  actio::State<double> state_;
};

}  // namespace experiments
