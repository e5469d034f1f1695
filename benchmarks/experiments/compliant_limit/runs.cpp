// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"

#include <algorithm>
#include <cmath>

#include "actio/integrators/compliant.hpp"
#include "actio/integrators/runge_kutta.hpp"
#include "actio/model/builder.hpp"

namespace compliant_limit {
namespace {

using namespace actio;

struct Stop {
  Compliance<double> spring;
  bool operator()(double, const ConstVectorRef<double>& q, const ConstVectorRef<double>& v, VectorRef<double> tau) const noexcept {
    if (q[0] < 0) tau[0] += std::max(0.0, -spring.stiffness * q[0] - spring.damping * v[0]);
    return true;
  }
};

Model<double> pendulum() {
  ModelBuilder<double> builder("pendulum");
  // nearly a point: a body needs some moment of inertia
  builder.gravity({0, 0, -9.8}).add_body("bob", Inertia<double>{1, {0, 0, -1}, 1e-9 * Matrix3<double>::Identity()});
  builder.add_joint("hinge", "world", "bob", Pose<double>::identity(), Revolute<double>({1, 0, 0}), {.lower = 0.0});
  return builder.build();
}

template <class I>
Run run(I integrator, double h, double duration) {
  State<double> state = rest_state(integrator.model());
  state.q[0] = std::acos(-1.0) / 2;
  integrator.reset(state);
  Run run{h, {state.q[0]}, {0}};
  const auto steps = static_cast<std::size_t>(std::lround(duration / h));
  while (run.theta.size() <= steps) {
    if (!integrator.step({}, h) || integrator.read(state) != Status::converged) break;
    run.theta.push_back(state.q[0]);
    run.omega.push_back(state.v[0]);
  }
  return run;
}

}  // namespace

Run compliant(const Compliance<double>& spring, double h, double duration) {
  const Model<double> model = pendulum().with_enforced({.limits = true});
  CompliantOptions<double> options;
  options.limit = spring;
  return run(CompliantIntegrator(model, options), h, duration);
}

Run as_force(const Compliance<double>& spring, double h, double duration) {
  const Model<double> model = pendulum();
  return run(RungeKutta(model, Stop{spring}), h, duration);
}

}  // namespace compliant_limit
