// SPDX-License-Identifier: BSD-3-Clause
// Ours: the error against the length of the step, for chains of 1, 10 and 100 links.
// Rods of 1 m and 1 kg on hinges alternately about x and y, from horizontal with random velocities in +-0.5 rad/s, for half a second.
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "actio/dynamics/kinematics.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "runs.hpp"
#include "support/exponent.hpp"
#include "support/report.hpp"

namespace {

using namespace actio;
using maximal_order::End;

/// Root mean squares over the centres of mass of the bodies.
struct Error {
  double position = std::numeric_limits<double>::quiet_NaN();  ///< [m]
  double velocity = std::numeric_limits<double>::quiet_NaN();  ///< [m/s]
};

Error error(const Model<double>& model, const End& a, const End& b) {
  if (!a || !b) return {};
  KinematicsData<double> at_a(model), at_b(model);
  forward_kinematics(model, at_a, a->q, a->v);
  forward_kinematics(model, at_b, b->q, b->v);
  Error sum{0, 0};
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Frame<double> middle{"", i, Pose<double>::translation(model.inertia(i).com)};
    sum.position += (frame_pose(at_a, middle).p - frame_pose(at_b, middle).p).squaredNorm();
    sum.velocity += (frame_velocity_in_world(at_a, middle) - frame_velocity_in_world(at_b, middle)).tail<3>().squaredNorm();
  }
  const double bodies = static_cast<double>(model.num_bodies() - 1);
  return {std::sqrt(sum.position / bodies), std::sqrt(sum.velocity / bodies)};
}

struct Contestant {
  std::string name;
  End (*run)(const Model<double>&, const State<double>&, double, int);
  int order;
};
const std::vector<Contestant> contestants{{"maximal", maximal_order::maximal, 2},
                                          {"maximal, as published", maximal_order::maximal_as_published, 1},
                                          {"joint variational", maximal_order::variational, 2}};

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "maximal_order", "Error against the step length in maximal coordinates");
  const std::vector<int> sizes = report.is_short() ? std::vector<int>{1, 10} : std::vector<int>{1, 10, 100};
  const std::vector<int> steps = report.is_short() ? std::vector<int>{50, 100} : std::vector<int>{25, 50, 100, 200, 400, 800, 1600};
  const double duration = 0.5;
  const int fine = report.is_short() ? 2000 : 20000;
  report.say(
      "Hinges alternately about x and y, from horizontal with random velocities in +-0.5 rad/s, after 0.5 s. `maximal, as published` "
      "begins "
      "with and");
  report.say("shows the velocities of the intervals. Root mean squares over the links' centres of mass, against Runge-Kutta 4.\n");

  experiments::Table table{{"links", "integrator", "h [ms]", "position [m]", "velocity [m/s]"}, {}},
      orders{{"links", "integrator", "order of position", "of velocity"}, {}};
  std::vector<experiments::Panel> positions, velocities;
  for (const int n : sizes) {
    const Model<double> model = models::revolute_chain<double>(n);
    const State<double> start{models::horizontal(model), models::random_velocity(model, 1, 0.5), 0};
    const End reference = maximal_order::rk4(model, start, duration / fine, fine);
    const Error doubt = error(model, reference, maximal_order::rk4(model, start, 2 * duration / fine, fine / 2));
    table.rows.push_back(
        {static_cast<double>(n), "reference against its double step", 1e3 * duration / fine, doubt.position, doubt.velocity});
    const std::string links = std::to_string(n) + (n == 1 ? " link" : " links");
    positions.push_back({"Position, " + links, "h [ms]", "m", true, true, {}});
    velocities.push_back({"Velocity, " + links, "h [ms]", "m/s", true, true, {}});
    for (const Contestant& contestant : contestants) {
      experiments::Curve position{contestant.name, {}, {}}, velocity = position;
      for (const int k : steps) {
        const double h = duration / k;
        const Error e = error(model, contestant.run(model, start, h, k), reference);
        table.rows.push_back({static_cast<double>(n), contestant.name, 1e3 * h, e.position, e.velocity});
        if (!(e.position > 0 && e.velocity > 0)) continue;
        position.x.push_back(1e3 * h);
        position.y.push_back(e.position);
        velocity.x.push_back(1e3 * h);
        velocity.y.push_back(e.velocity);
      }
      // of the four shortest steps
      const auto order = [&](experiments::Curve curve) {
        const std::size_t from = curve.x.size() > 4 ? curve.x.size() - 4 : 0;
        curve.x.erase(curve.x.begin(), curve.x.begin() + static_cast<std::ptrdiff_t>(from));
        curve.y.erase(curve.y.begin(), curve.y.begin() + static_cast<std::ptrdiff_t>(from));
        return experiments::exponent(curve, 0);
      };
      orders.rows.push_back({static_cast<double>(n), contestant.name, order(position), order(velocity)});
      for (const auto& [what, p] : {std::pair("position", order(position)), std::pair("velocity", order(velocity))}) {
        report.check(links + ", " + contestant.name + ": order of " + what + " within 0.15 of " + std::to_string(contestant.order) + ": " +
                         experiments::text(p, 3),
                     position.x.size() == steps.size() && std::abs(p - contestant.order) < 0.15);
      }
      positions.back().curves.push_back(position);
      velocities.back().curves.push_back(velocity);
    }
  }
  report.table("errors", table);
  report.say("Orders, fitted to the four shortest steps");
  report.table("orders", orders);
  positions.insert(positions.end(), velocities.begin(), velocities.end());
  report.figure("errors", positions, sizes.size());
  return report.verdict();
}
