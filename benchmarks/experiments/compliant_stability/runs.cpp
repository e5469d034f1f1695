// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"

#include <cmath>
#include <limits>

#include "actio/integrators/compliant.hpp"
#include "actio/integrators/runge_kutta.hpp"
#include "actio/integrators/semi_implicit_euler.hpp"
#include "actio/model/builder.hpp"

namespace compliant_stability {

struct ExplicitEuler {
  static constexpr int stages = 1, order = 1;
  static constexpr std::array<double, 1> c{0}, b{1};
  static constexpr std::array<std::array<double, 1>, 1> a{{{}}};
  static constexpr const char* name = "explicit euler";
};

namespace {

using namespace actio;

/// Spring and damper as forces at the beginning of the step.
struct SpringForce {
  Spring spring;
  bool operator()(double, const ConstVectorRef<double>& q, const ConstVectorRef<double>& v, VectorRef<double> tau) const noexcept {
    tau[0] -= spring.k * q[0] + spring.c * v[0];
    return true;
  }
};

/// @param of_joint spring of the joint; else it is a force or rows.  @param rows adds a loop x = 0 across the line, with an empty row.
Model<double> slider(const Spring& of_joint, bool rows) {
  ModelBuilder<double> builder("mass");
  builder.gravity({0, 0, 0}).add_body("mass", Inertia<double>{1, Vector3<double>::Zero(), Matrix3<double>::Identity()});
  builder.add_joint("line", "world", "mass", Pose<double>::identity(), Prismatic<double>({1, 0, 0}),
                    {.damping = of_joint.c, .stiffness = of_joint.k});
  Loop<double> hold;
  hold.name = "spring";
  hold.type = LoopType::point_on_line;
  if (rows) builder.add_loop(hold, "world", "mass");
  return builder.build();
}

template <class I>
std::vector<Eigen::Vector2d> run(I integrator, const Eigen::Vector2d& start, double h, int steps, double far) {
  State<double> state = rest_state(integrator.model());
  state.q[0] = start[0];
  state.v[0] = start[1];
  integrator.reset(state);
  std::vector<Eigen::Vector2d> nodes{start};
  for (int k = 0; k < steps && std::abs(nodes.back()[0]) <= far; ++k) {
    if (!integrator.step({}, h) || integrator.read(state) != Status::converged) break;
    nodes.emplace_back(state.q[0], state.v[0]);
  }
  return nodes;
}

}  // namespace

std::vector<Eigen::Vector2d> motion(Scheme scheme, const Spring& spring, const Eigen::Vector2d& start, double h, int steps, double far) {
  const bool of_joint = scheme == Scheme::explicit_euler || scheme == Scheme::semi_implicit_damping || scheme == Scheme::implicit;
  const Model<double> model = slider(of_joint ? spring : Spring{0, 0}, scheme == Scheme::compliant);
  switch (scheme) {
    case Scheme::explicit_euler: return run(RungeKutta<actio::Model<double>, ExplicitEuler>(model), start, h, steps, far);
    case Scheme::semi_implicit: return run(SemiImplicitEuler(model, SpringForce{spring}), start, h, steps, far);
    case Scheme::semi_implicit_damping: return run(SemiImplicitEuler(model), start, h, steps, far);
    case Scheme::implicit: return run(CompliantIntegrator(model), start, h, steps, far);
    case Scheme::compliant: break;
  }
  CompliantOptions<double> options;
  options.closure = {spring.k, spring.c};
  return run(CompliantIntegrator(model, options), start, h, steps, far);
}

Eigen::Matrix2d step_matrix(Scheme scheme, const Spring& spring, double h) {
  Eigen::Matrix2d B;
  for (int column = 0; column < 2; ++column) {
    const auto nodes = motion(scheme, spring, Eigen::Vector2d::Unit(column), h, 1);
    B.col(column) = nodes.size() == 2 ? nodes[1] : Eigen::Vector2d::Constant(std::numeric_limits<double>::quiet_NaN());
  }
  return B;
}

}  // namespace compliant_stability
