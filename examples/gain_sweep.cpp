// SPDX-License-Identifier: BSD-3-Clause
// How much damping lets an arm settle soonest, with three payloads? 180 runs on all processors: each has its own model and its own gains.
//   gain_sweep [FIGURE.svg]
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "actio/dynamics/rnea.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/io/svg.hpp"
#include "actio/model/builder.hpp"
#include "actio/simulation/rollouts.hpp"
#include "actio/simulation/simulate.hpp"

/// Two links of 0.5 m in a vertical plane, and a payload [kg] at the tip.
actio::Model<double> make_arm(double payload) {
  const actio::Inertia<double> link = actio::Inertia<double>::capsule(2, 0.04, 0.5).seen_from_parent(actio::Pose<double>::translation(0, 0, 0.25));
  const actio::Inertia<double> load = actio::Inertia<double>::sphere(payload, 0.05).seen_from_parent(actio::Pose<double>::translation(0, 0, 0.5));
  const actio::Revolute<double> hinge(actio::Vector3<double>::UnitY());
  actio::ModelBuilder<double> builder("arm");
  builder.add_body("upper", link).add_body("fore", link + load);
  builder.add_joint("shoulder", "world", "upper", actio::Pose<double>::identity(), hinge);
  builder.add_joint("elbow", "upper", "fore", actio::Pose<double>::translation(0, 0, 0.5), hinge);
  return builder.build();
}

/// Returns the time after which the arm stays within 0.02 rad of its goal [s], or the length of the run.
double settling_time(const actio::Model<double>& arm, double stiffness, double damping) {
  const double duration = 5;
  const Eigen::Vector2d goal(0.8, -1.2);
  actio::VariationalIntegrator integrator(arm);
  integrator.reset(actio::rest_state(arm));
  actio::RneaData<double> rnea(arm);
  const auto control = [&](auto& node, actio::Input<double>& input) {
    const actio::State<double>& x = node.state();
    input.tau_begin = actio::gravity_forces(arm, rnea, x.q);
    input.tau_begin += stiffness * (goal - x.q) - damping * x.v;
  };
  double settled = 0;
  const auto watch = [&](auto& node) {
    if ((node.configuration() - goal).cwiseAbs().maxCoeff() > 0.02) settled = node.time();
  };
  return actio::simulate(integrator, control, 1e-3, actio::Seconds{duration}, watch) ? settled : duration;
}

int main(int argc, char** argv) {
  const std::vector<double> payloads{1, 3, 6};
  std::vector<double> dampings;
  for (double damping = 4; damping < 64; damping += 1) dampings.push_back(damping);

  actio::Plot plot{.title = "Time to settle", .subtitle = "of an arm with springs of 80 N m/rad, within 0.02 rad of its goal",
                   .x_label = "damping", .x_unit = "N m s/rad", .y_label = "time", .y_unit = "s", .series = {}};
  for (const double payload : payloads) {
    plot.series.push_back({"payload " + std::to_string(static_cast<int>(payload)) + " kg", dampings, std::vector<double>(dampings.size())});
  }

  const std::size_t count = payloads.size() * dampings.size();
  std::atomic<std::size_t> done = 0;
  actio::for_each_rollout(count, [&](std::size_t k) {
    const std::size_t row = k / dampings.size(), column = k % dampings.size();
    const actio::Model<double> arm = make_arm(payloads[row]);
    plot.series[row].y[column] = settling_time(arm, 80, dampings[column]);  // a place of its own
    const std::size_t before = done++, percent = 100 * (before + 1) / count;
    if (percent > 100 * before / count) std::fprintf(stderr, "\r[%-50s] %3zu %%", std::string(percent / 2, '#').c_str(), percent);
  });
  std::fprintf(stderr, "\n");

  bool all_settle = true;
  for (std::size_t row = 0; row < payloads.size(); ++row) {
    const std::vector<double>& times = plot.series[row].y;
    const auto best = std::min_element(times.begin(), times.end());
    std::printf("%s: settles soonest, in %.3f s, with %.0f N m s/rad\n", plot.series[row].name.c_str(), *best,
                dampings[static_cast<std::size_t>(best - times.begin())]);
    all_settle = all_settle && *best < 3;
  }
  const std::string figure = argc > 1 ? argv[1] : "gain_sweep.svg";
  std::ofstream file(figure);
  file << actio::to_svg(plot);
  if (!file.flush()) {
    std::fprintf(stderr, "%s cannot be written\n", figure.c_str());
    return 1;
  }
  std::printf("figure: %s\n", figure.c_str());
  return all_settle ? 0 : 1;
}
