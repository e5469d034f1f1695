// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/model/model.hpp"
#include "actio/model/state.hpp"

namespace actio {

/// q and v after a time h of motion straight on: free bodies keep their velocities in the world, other joints their rates.
/// @param q (nq), v (nv).  @param h [s], of either sign.  @param end out, of the right sizes; its time is left alone.  Allocates and throws
/// nothing.
template <Scalar S, class Joints>
void go_straight(const Model<S, Joints>& model, const VectorX<S>& q, const VectorX<S>& v, const S& h, State<S>& end) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      const typename J::Tangent rate = model.template v_of<J>(i, v), x = h * rate;
      model.template q_of<J>(i, end.q) = joints::straight(joint, typename J::Config(model.template q_of<J>(i, q)), x);
      model.template v_of<J>(i, end.v) = joints::carried(joint, rate, x);
    });
  }
}

}  // namespace actio
