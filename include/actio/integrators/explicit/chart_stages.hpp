// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Stages of an explicit Runge-Kutta method on the manifold of configurations.
#include <array>
#include <cstddef>

#include "actio/integrators/explicit/tableaus.hpp"
#include "actio/model/state.hpp"

namespace actio::detail {

/// Computes rate = dlog(-x) v, joint by joint: the rate of the chart x at q_0 where q = q_0 (+) x moves with the velocity v.
/// @param x (nv) [rad, m], v (nv).  @param rate (nv) out.
template <Scalar S, class Joints>
void chart_rate(const Model<S, Joints>& model, const VectorX<S>& x, const VectorX<S>& v, VectorX<S>& rate) noexcept {
  rate = v;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      if constexpr (!joints::is_flat<J>()) {
        const typename J::Tangent x_i = model.template v_of<J>(i, x), v_i = model.template v_of<J>(i, v);
        model.template v_of<J>(i, rate) = joints::dlog(joint, typename J::Tangent(-x_i)) * v_i;
      }
    });
  }
}

/// The stages of an explicit Runge-Kutta step on a manifold. q is represented by the chart x at q_0, q = q_0 (+) x, so that the order of
/// the tableau holds for rotations too.                                                                       [Munthe-Kaas 1999]
/// @tparam Space a Model, or another type with integrate(q, x, out) and a chart_rate.  @tparam Tableau as for RungeKutta.
template <class Space, class Tableau>
class ChartStages {
 public:
  using S = typename Space::Scalar;  ///< scalar type of all numbers

  /// @param nv size of v.
  explicit ChartStages(Eigen::Index nv) : x_(VectorX<S>::Zero(nv)) {
    x_rate_.fill(x_);
    v_rate_.fill(x_);
  }

  /// Computes the state of stage s, except its time.
  /// @param node at the beginning of a step of length h [s].  @param stage out, with q and v of the same sizes as those of `node`.
  void begin(const Space& space, std::size_t s, const State<S>& node, const S& h, State<S>& stage) noexcept {
    combine(space, Tableau::a[s], s, node, h, stage);
  }
  /// Ends stage s, the last one begun.  @param a (nv) accelerations there [rad/s^2, m/s^2].
  void end(const Space& space, std::size_t s, const State<S>& stage, const VectorX<S>& a) noexcept {
    v_rate_[s] = a;
    chart_rate(space, x_, stage.v, x_rate_[s]);
  }
  /// Computes the end of the step, except its time.  @param next out, of the sizes of `node`.
  void finish(const Space& space, const State<S>& node, const S& h, State<S>& next) noexcept {
    combine(space, Tableau::b, Tableau::stages, node, h, next);
  }

 private:
  /// Moves node by h times a weighted sum of the first `count` rates; sets x_ to the chart of the result.
  template <std::size_t n>
  void combine(const Space& space, const std::array<double, n>& weights, std::size_t count, const State<S>& node, const S& h,
               State<S>& out) noexcept {
    x_.setZero();
    out.v = node.v;
    for (std::size_t s = 0; s < count; ++s) {
      if (weights[s] == 0) continue;
      const S weight = h * S(static_cast<ValueOf<S>>(weights[s]));
      x_ += weight * x_rate_[s];
      out.v += weight * v_rate_[s];
    }
    space.integrate(node.q, x_, out.q);
  }

  VectorX<S> x_;
  std::array<VectorX<S>, Tableau::stages> x_rate_, v_rate_;
};

}  // namespace actio::detail
