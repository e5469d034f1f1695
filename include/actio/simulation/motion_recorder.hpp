// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An observer that records the configuration and the poses of all bodies, for films.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "actio/core/options.hpp"
#include "actio/simulation/node.hpp"

namespace actio {

/// The configuration and the poses of all bodies, frame by frame.
struct Motion {
  std::vector<double> times;                   ///< of the frames, ascending [s]
  std::vector<BodyArray<Pose<double>>> poses;  ///< T_WB of each body at each of them; body 0 is the world
  std::vector<VectorX<double>> q{};            ///< (nq) at each of them [rad, m]; empty if only poses are known
};

/// An observer that records q and the poses of all bodies at a frame rate: the first node at or after each frame's time. Frames are nodes,
/// not interpolated; where steps are longer than a frame, every node is one. Leaves out nodes that are not finite and, in runs back in
/// time, nodes before the last frame. Each frame allocates.
class MotionRecorder {
 public:
  /// @param rate frames per second of simulated time [1/s]; infinite keeps every node.  @throws OptionsError when it is not above 0.
  explicit MotionRecorder(double rate = 60) : rate_(rate) {
    detail::require_option(rate > 0, "MotionRecorder", "rate", rate, "> 0 frames per second");
  }

  /// Records the node if it is the next frame.
  template <class N>
  void operator()(N& node) {
    const double time = static_cast<double>(value_of(node.time()));
    if (!(time >= due_)) return;
    const auto& T_WB = node.kinematics().T_WB;
    const auto value = [](const auto& x) { return static_cast<double>(value_of(x)); };
    BodyArray<Pose<double>> poses(T_WB.size());
    for (BodyIndex i = 0; i < T_WB.size(); ++i) {
      poses[i] = {T_WB[i].R.unaryExpr(value), T_WB[i].p.unaryExpr(value)};
      if (!poses[i].R.allFinite() || !poses[i].p.allFinite()) return;
    }
    motion_.times.push_back(time);
    motion_.poses.push_back(std::move(poses));
    motion_.q.push_back(node.configuration().unaryExpr(value));
    due_ = std::nextafter(time, std::numeric_limits<double>::infinity());
    if (std::isfinite(rate_)) due_ = std::max(due_, (std::floor(time * rate_ + forgiven) + 1 - forgiven) / rate_);
  }

  const Motion& motion() const { return motion_; }  ///< the frames recorded so far
  /// Returns the frames and begins anew.
  Motion take() {
    due_ = -std::numeric_limits<double>::infinity();
    return std::exchange(motion_, {});
  }

 private:
  static constexpr double forgiven = 1e-6;  ///< share of a frame, for the rounding of times
  double rate_, due_ = -std::numeric_limits<double>::infinity();
  Motion motion_;
};

}  // namespace actio
