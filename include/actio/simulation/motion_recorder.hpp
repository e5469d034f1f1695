// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An observer that records the configuration, the poses of all bodies and the forces of contacts, for films.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "actio/core/options.hpp"
#include "actio/simulation/node.hpp"

namespace actio {

/// The force of a contact.
struct ContactForce {
  Vector3<double> p,  ///< where it acts, in the world [m]
      force;          ///< on body b of the contact, in the world [N]
};

/// The configuration and the poses of all bodies, frame by frame.
struct Motion {
  std::vector<double> times;                   ///< of the frames, ascending [s]
  std::vector<BodyArray<Pose<double>>> poses;  ///< T_WB of each body at each of them; body 0 is the world
  std::vector<VectorX<double>> q{};            ///< (nq) at each of them [rad, m]; empty if only poses are known
  std::vector<std::vector<ContactForce>> contacts{};  ///< that carried a force in the step before each of them; empty if unknown
};

/// An observer that records q, the poses of all bodies and, of integrators with contact_force(), the contacts at a frame rate: the first node at or after each frame's time. Frames are nodes,
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
    if constexpr (requires { node.integrator().contact_force(0); }) {
      const auto& integrator = node.integrator();
      std::vector<ContactForce>& forces = motion_.contacts.emplace_back();
      for (std::size_t k = 0; node.step() > 0 && k < integrator.contacts().size(); ++k) {
        const ContactForce contact{integrator.contacts()[k].p.unaryExpr(value), integrator.contact_force(k).unaryExpr(value)};
        if (!contact.force.isZero(0) && contact.force.allFinite() && contact.p.allFinite()) forces.push_back(contact);
      }
    }
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
