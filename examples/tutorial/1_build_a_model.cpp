// SPDX-License-Identifier: BSD-3-Clause
// Tutorial, step 1: builds a cart on a rail with a rod that hangs from it, and measures how long it takes to swing.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "actio/integrators/variational.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/describe.hpp"
#include "actio/simulation/simulate.hpp"

using namespace actio;

int main() {
  // [build]
  const double cart = 1.0, rod = 0.2, length = 1.0;  // kg, kg, m
  const Pose<double> middle = Pose<double>::translation(0, 0, -length / 2);  // of the rod, in the frame at its upper end
  ModelBuilder<double> builder("cart_and_rod");
  builder.add_body("cart", Inertia<double>::box(cart, {0.2, 0.1, 0.1}));
  builder.add_body("rod", Inertia<double>::rod(rod, length, {0, 0, 1}).seen_from_parent(middle));
  builder.add_joint("rail", "world", "cart", Pose<double>::identity(), Prismatic<double>({1, 0, 0}));
  builder.add_joint("pin", "cart", "rod", Pose<double>::identity(), Revolute<double>({0, 1, 0}));
  const Model<double> model = builder.build();
  std::fputs(describe(model).c_str(), stdout);
  // [build]

  // [refused]
  bool refused = false;
  try {
    ModelBuilder<double>("wrong").add_body("arm", Inertia<double>::point(-1, {0, 0, 0})).build();
  } catch (const ModelError& error) {
    std::printf("\nrefused: %s\n\n", error.what());
    refused = true;
  }
  // [refused]

  // [swing]
  VariationalIntegrator integrator(model);
  State<double> start = rest_state(model);
  start.q[model.q_index(model.find_joint("pin"))] = 0.02;  // rad; the cart is at 0 m
  integrator.reset(start);

  int passes = 0;
  double first = 0, last = 0, before = start.q[1];
  const auto count_passes = [&](auto& node) {  // through the vertical, by interpolation between nodes
    const double now = node.configuration()[1];
    if (before > 0 && now <= 0) {
      last = node.time() - 1e-3 * now / (now - before);
      if (passes++ == 0) first = last;
    }
    before = now;
  };
  const auto run = simulate(integrator, 1e-3, Seconds{20}, count_passes);
  // [swing]

  // Small oscillations of a rod on a cart: w^2 = (M + m) m g l / ((M + m) I - (m l)^2), l = L/2, I = m L^2/3.
  const double ml = rod * length / 2, all = cart + rod;
  const double rate = std::sqrt(all * ml * 9.81 / (all * rod * length * length / 3 - ml * ml));
  const double expected = 2 * std::numbers::pi / rate, period = (last - first) / (passes - 1);
  std::printf("%d swings of %.5f s; small ones take %.5f s\n", passes - 1, period, expected);
  return refused && run && std::abs(period - expected) < 1e-4 * expected ? 0 : 1;
}
