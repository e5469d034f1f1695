// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Turns the configurations of a recorded motion into plots of joint angles and translations over time.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "actio/core/error.hpp"
#include "actio/io/drawing/plot.hpp"
#include "actio/simulation/motion_recorder.hpp"

namespace actio {
namespace detail {

/// Returns the curves as plots of at most six, about equally many in each, which are as many as have different colours.
inline std::vector<Plot> shared_out(const std::string& title, const std::string& label, const std::string& unit,
                                    std::vector<PlotSeries> curves) {
  const std::size_t count = (curves.size() + 5) / 6;
  std::vector<Plot> plots;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string part = count > 1 ? " (" + std::to_string(k + 1) + " of " + std::to_string(count) + ')' : "";
    plots.push_back({title + part, "", "time", "s", label, unit, {}});
    const std::size_t begin = k * curves.size() / count, end = (k + 1) * curves.size() / count;
    for (std::size_t c = begin; c < end; ++c) plots.back().series.push_back(std::move(curves[c]));
  }
  return plots;
}

}  // namespace detail

/// Returns plots of the joint coordinates over time: first of all angles [rad], then of all translations [m], in the order of q, with the
/// names Model::q_name. Joints whose q is no vector, such as free and ball joints, have no plot.
/// @param motion of this model; if it has no q, there are no plots.
/// @throws ModelError if the motion has q but not at each of its times, or not of the model's size (nq).
template <Scalar S, class Joints>
std::vector<Plot> joint_plots(const Model<S, Joints>& model, const Motion& motion) {
  std::vector<PlotSeries> angles, translations;
  if (motion.q.empty()) return {};
  const auto fits = [&](const VectorX<double>& q) { return q.size() == model.nq(); };
  if (motion.q.size() != motion.times.size() || !std::all_of(motion.q.begin(), motion.q.end(), fits)) {
    throw ModelError("joint_plots: expected one q of size " + std::to_string(model.nq()) + ", that of model '" + model.name() +
                     "', for each time of the motion");
  }
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      if constexpr (J::nq == J::nv) {
        const auto S_i = joint.motion_subspace(J::Config::Zero()).eval();
        for (int c = 0; c < J::nq; ++c) {
          const Eigen::Index k = model.q_index(i) + c;
          PlotSeries curve{model.q_name(k), motion.times, {}};
          for (const VectorX<double>& q : motion.q) curve.y.push_back(q[k]);
          const bool turns = S_i.template topRows<3>().col(c).squaredNorm() > S(0);
          (turns ? angles : translations).push_back(std::move(curve));
        }
      }
    });
  }
  std::vector<Plot> plots = detail::shared_out("Joint angles", "angle", "rad", std::move(angles));
  for (Plot& plot : detail::shared_out("Joint translations", "translation", "m", std::move(translations))) plots.push_back(std::move(plot));
  return plots;
}

}  // namespace actio
