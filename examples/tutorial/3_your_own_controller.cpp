// SPDX-License-Identifier: BSD-3-Clause
// Tutorial, step 3: a controller balances a rod on a cart, against air drag.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "actio/integrators/variational.hpp"
#include "actio/model/builder.hpp"
#include "actio/simulation/simulate.hpp"

using namespace actio;

constexpr double cart = 1.0, rod = 0.2, rod_length = 1.0;                               // kg, kg, m
constexpr double ml = rod * rod_length / 2, inertia = rod * rod_length * rod_length / 3;  // of the rod, about its pin [kg m, kg m^2]

Model<double> make_cart_and_rod() {
  const Pose<double> middle = Pose<double>::translation(0, 0, -rod_length / 2);
  ModelBuilder<double> builder("cart_and_rod");
  builder.add_body("cart", Inertia<double>::box(cart, {0.2, 0.1, 0.1}));
  builder.add_body("rod", Inertia<double>::rod(rod, rod_length, {0, 0, 1}).seen_from_parent(middle));
  builder.add_joint("rail", "world", "cart", Pose<double>::identity(), Prismatic<double>({1, 0, 0}));
  builder.add_joint("pin", "cart", "rod", Pose<double>::identity(), Revolute<double>({0, 1, 0}));
  return builder.build();
}

int main() {
  const Model<double> model = make_cart_and_rod();

  // [field]
  using In = const ConstVectorRef<double>&;
  const auto air = [](double, In, In v, VectorRef<double> tau) noexcept {  // t [s], q, v; tau out [N, N m]
    tau = -0.05 * v.cwiseProduct(v.cwiseAbs());
    return true;  // false makes the step fail, with Status::callback_failed
  };
  VariationalIntegrator integrator(model, {}, air);
  // [field]

  State<double> start = rest_state(model);
  start.q << 0.5, std::numbers::pi + 0.3;  // m, rad; the rod stands upright at pi
  integrator.reset(start);

  // [control]
  // Places four poles at -3/s for small angles: F = -k (x, phi, dx/dt, dphi/dt).
  const double D = (cart + rod) * inertia - ml * ml, mgl = 9.81 * ml;
  const double k0 = -81 * D / mgl, k2 = -108 * D / mgl;
  const double k1 = (k0 * inertia - (cart + rod) * mgl - 54 * D) / ml, k3 = (k2 * inertia - 12 * D) / ml;

  double work = 0;  // done by the motor [J]
  const auto control = [&](auto& node, Input<double>& input) {
    const State<double>& x = node.state();
    if (node.step() % 10 == 0) {  // 100 times a second; the input stays as it is in between
      input.tau_begin.setZero(model.nv());
      input.tau_begin[0] = -(k0 * x.q[0] + k1 * (x.q[1] - std::numbers::pi) + k2 * x.v[0] + k3 * x.v[1]);
    }
    work += 1e-3 * input.tau_begin[0] * x.v[0];
  };
  const auto print = [](auto& node) {
    const VectorX<double>& q = node.configuration();
    std::printf("%5.2f s  cart %7.4f m  rod %8.5f rad from upright\n", node.time(), q[0], q[1] - std::numbers::pi);
  };
  const auto run = simulate(integrator, control, 1e-3, Seconds{8}, every(1000, print));
  // [control]

  State<double> end = start;
  if (!run || integrator.read(end) != Status::converged) return std::printf("%s\n", describe(run.status).data()), 1;
  std::printf("the motor did %.3f J of work\n", work);
  const double away = std::hypot(end.q[0], end.q[1] - std::numbers::pi, end.v.norm());
  return away < 1e-3 ? 0 : 1;
}
