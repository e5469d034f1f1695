// SPDX-License-Identifier: BSD-3-Clause
// Dampers of any strength dissipate energy and never add any, on trees and loops, for any step.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/simulation/passive_steps.hpp"
#include "support/catch.hpp"
#include "support/redundant_loops.hpp"
#include "support/tangled_tree.hpp"

namespace damped_energy_test {

using namespace actio;
using Eigen::VectorXd;

using Variational = VariationalIntegrator<Model<double>>;
using Maximal = MaximalIntegrator<Model<double>>;
using Compliant = CompliantIntegrator<Model<double>>;

struct Run {
  std::vector<double> energies;  ///< at the nodes [J]
  std::vector<VectorXd> q, v;    ///< there
  int repeated = 0;              ///< steps that were repeated in substeps, or whose velocities were reduced, of PassiveSteps
  int steps() const { return std::max(0, static_cast<int>(energies.size()) - 1); }
  double initial() const { return energies.empty() ? 0 : energies.front(); }
  double largest() const { return energies.empty() ? 0 : *std::max_element(energies.begin(), energies.end()); }
  double rise() const { return largest() - initial(); }
  /// Largest rise above an earlier node.
  double climb() const {
    double low = std::numeric_limits<double>::infinity(), most = 0;
    for (const double e : energies) {
      low = std::min(low, e);
      most = std::max(most, e - low);
    }
    return most;
  }
};

/// Steps until one does not converge or a body rotates by more than half a radian in a step.  @param steps the largest number of steps.
template <class I>
Run run(I integrator, const State<double>& start, double h, int steps) {
  const Model<double>& model = integrator.model();
  integrator.reset(start);
  State<double> x = start;
  KinematicsData<double> data(model);
  Run seen;
  const auto add_node = [&] {
    if (integrator.read(x) != Status::converged) return false;
    forward_kinematics(model, data, x.q, x.v);
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      if (!(h * data.V[i].template head<3>().norm() <= 0.5)) return false;
    }
    seen.energies.push_back(energy(model, data, x.q, x.v).total());
    seen.q.push_back(x.q);
    seen.v.push_back(x.v);
    return true;
  };
  bool goes_on = add_node();
  while (goes_on && seen.steps() < steps) {
    const StepResult<double> result = integrator.step({}, h);
    if constexpr (requires { integrator.velocity_share(); }) {
      auto memory = integrator.make_memory();
      integrator.save(memory);
      seen.repeated += memory.substeps > 1 || integrator.velocity_share() < 1;
    }
    goes_on = result && add_node();
  }
  return seen;
}

/// A model without dampers, the dampers to be added, and a start.
struct Case {
  Model<double> model;
  VectorXd damping;
  State<double> start;
  double h;
  Model<double> damped(const VectorXd& by) const {
    ModelProperties<double> properties = model.properties();
    properties.damping = by;
    return model.with_properties(properties);
  }
};

/// Random trees, nets, rings and tangled trees without gravity; some of the joints are damped.
Case random_case(int seed) {
  models::Random random(static_cast<std::uint64_t>(seed));
  const auto number = static_cast<std::uint64_t>(seed);
  Model<double> model = models::closed_chain(2 + random.below(2));
  VectorXd q = model.neutral();
  if (seed % 4 == 0) {
    model = models::random_tree(number, 1 + random.below(8), {.armature = random.happens(0.3)});
    q = models::random_configuration(model, number);
  } else if (seed % 4 == 1) {
    test::Tangled tangled = test::tangled_tree(number, 4 + random.below(6), 1 + random.below(2), 1, {.armature = random.happens(0.3)});
    model = std::move(tangled.model);
    q = std::move(tangled.q);
  } else if (seed % 4 == 2) {
    model = models::square_net(2);
    q = model.neutral();
  }
  model = model.with_gravity(Vector3<double>::Zero());
  VectorXd damping = VectorXd::Zero(model.nv());
  const double strength = std::pow(10, random.uniform(-3, 10)), share = random.uniform(0.1, 1);
  for (double& d : damping) d = random.happens(share) ? strength * std::pow(10, random.uniform(-1, 0)) : 0;
  const double h = std::pow(10, random.uniform(-6, -1)), speed = std::min(0.05 / h, std::pow(10, random.uniform(-1, 1)));
  return {model, damping, {q, speed * models::random_velocity(model, number), 0}, h};
}

constexpr double tolerance = 1e-6;  // of the initial energy
bool exceeds(const Run& damped, const Run& free) { return damped.largest() > (1 + tolerance) * damped.initial() + free.rise(); }

/// @param damped which exceeded the bound.  @returns whether a twin gains half as much or more from the state in which the damped run had
/// the least energy before it had the most: one whose damped joints are locked, or one without dampers.
template <class I>
bool a_twin_gains_likewise(const Case& at, const Run& damped) {
  const auto top = std::max_element(damped.energies.begin(), damped.energies.end()), low = std::min_element(damped.energies.begin(), top);
  const auto k = static_cast<std::size_t>(low - damped.energies.begin());
  const State<double> start{damped.q[k], damped.v[k], 0};
  const int steps = damped.steps() - static_cast<int>(k);
  const auto gains = [&](const Model<double>& twin) { return run(I(twin), start, at.h, steps).climb() > 0.5 * (*top - *low); };
  return gains(at.model) || gains(at.damped((at.damping.array() > 0).select(VectorXd::Constant(at.damping.size(), 1e14), 0)));
}

/// Counts the models whose energy exceeds the bound, what explains that, and what passive steps make of it.
/// @param most the largest number that may exceed the bound.  @returns that number.
template <class I>
int damping_brings_no_energy(const char* name, const std::vector<int>& seeds, int most = 0) {
  int complete = 0, above = 0, resolved = 0, twins = 0, unexplained = 0, bounded = 0, repeated = 0, steps = 0;
  for (const int seed : seeds) {
    const Case at = random_case(seed);
    const Model<double> model = at.damped(at.damping);
    const Run damped = run(I(model), at.start, at.h, 100);
    CAPTURE(name, seed, model.nv(), at.h, damped.steps(), damped.initial(), damped.largest());
    complete += damped.steps() == 100;
    steps += damped.steps();
    // passive steps are then the same, bitwise
    if (at.damping.isZero(0) || damped.largest() <= damped.initial()) continue;
    const Run passive = run(PassiveSteps(I(model)), at.start, at.h, 100);
    ++bounded;
    repeated += passive.repeated;
    CHECK(passive.largest() <= (1 + tolerance) * passive.initial());
    if (!exceeds(damped, run(I(at.model), at.start, at.h, damped.steps()))) continue;
    ++above;
    const auto in_half_steps = [&](const Model<double>& of) { return run(I(of), at.start, at.h / 2, 2 * damped.steps()); };
    const bool is_resolved = !exceeds(in_half_steps(model), in_half_steps(at.model)), as_twin = a_twin_gains_likewise<I>(at, damped);
    resolved += is_resolved;
    twins += as_twin;
    unexplained += !is_resolved && !as_twin;
    if (!is_resolved && !as_twin) std::cout << name << ": seed " << seed << " is not explained" << std::endl;
  }
  std::cout << name << ": " << seeds.size() << " damped models, " << complete << " stepped a hundred times; " << above
            << " above the bound, " << resolved << " of them not at half the step, " << twins
            << " of them with a twin that gains half as much or more, " << unexplained << " neither; passive steps differ in " << bounded
            << " models, in " << repeated << " of " << steps << " steps" << std::endl;
  CHECK(above <= most);
  CHECK(2 * complete > static_cast<int>(seeds.size()));
  return above;
}
template <class I>
void damping_brings_no_energy(const char* name, int cases, int most = 0) {
  std::vector<int> seeds(static_cast<std::size_t>(cases));
  std::iota(seeds.begin(), seeds.end(), 1);
  damping_brings_no_energy<I>(name, seeds, most);
}

TEST_CASE("damped energy: stiff dampers on loops add no energy", "[integrators][long]") {
  damping_brings_no_energy<Variational>("variational", 150);
  damping_brings_no_energy<Maximal>("maximal", 150);
  damping_brings_no_energy<Compliant>("compliant", 150);
}

// With velocity-dependent forces evaluated at the start of the step, the energy of these models grew, to 1e7 times the bound in the worst
// case. One of them, 3033, exceeds the bound by 1.4 % or not at all, as rounding has it: at 23 ms, in one step; not at half of that, and its
// twin with locked joints gains as much.
TEST_CASE("damped energy: compliant adds none where stiff dampers lock joints", "[integrators][fast]") {
  damping_brings_no_energy<Compliant>(
      "compliant", {186, 344, 993, 1059, 2246, 2284, 2733, 2999, 3053, 3253, 3254, 3364, 3464, 3649});
  damping_brings_no_energy<Compliant>("compliant", std::vector{3033}, 1);
}

// The factor that bounds the energy is meant for dampers that a step does not resolve.
TEST_CASE("damped energy: compliant leaves velocities unchanged where the step resolves the dampers", "[integrators][fast]") {
  const Model<double> chain = models::closed_chain(3);
  ModelProperties<double> properties = chain.properties();
  for (const auto& [damping, is_stiff] : {std::pair{1e-2, false}, {1e6, true}}) {
    properties.damping.setConstant(damping);
    const Model<double> model = chain.with_properties(properties);
    CompliantIntegrator<Model<double>> integrator(model);
    integrator.reset({model.neutral(), models::random_velocity(model, 3, 1), 0});
    bool acted = false;
    for (int k = 0; k < 200; ++k) {
      REQUIRE(integrator.step({}, 1e-3));
      acted |= integrator.velocity_shares().minCoeff() < 1;
      CHECK((integrator.velocity_shares().minCoeff() >= 0 && integrator.velocity_shares().maxCoeff() <= 1));
    }
    CHECK(acted == is_stiff);
  }
}

TEST_CASE("damped energy: compliant bounds each tree separately: stiff dampers do not slow another free body", "[integrators][fast]") {
  ModelBuilder<double> builder("arm and ball");
  builder.add_body("upper", Inertia<double>::box(1, {0.1, 0.1, 1})).add_body("lower", Inertia<double>::box(1, {0.1, 0.1, 1}));
  builder.add_body("ball", Inertia<double>::sphere(1, 0.1));
  builder.add_joint("shoulder", "world", "upper", Pose<double>::identity(), Spherical<double>());
  builder.add_joint("elbow", "upper", "lower", Pose<double>::translation(0, 0, -1), Revolute<double>(Vector3<double>::UnitX()));
  builder.add_joint("free", "world", "ball", Pose<double>::translation(3, 0, 0), Free<double>());
  const Model<double> loose = builder.build();
  ModelProperties<double> properties = loose.properties();
  properties.damping[3] = 1e6;  // of the elbow
  const Model<double> model = loose.with_properties(properties).with_gravity(Vector3<double>::Zero());
  const State<double> x{model.neutral(), models::random_velocity(model, 5, 3), 0};
  for (const Factorization factorization : {Factorization::dense, Factorization::blocks}) {
    CompliantIntegrator<Model<double>> integrator(model, {.factorization = factorization});
    integrator.reset(x);
    bool acted = false;
    for (int k = 0; k < 100; ++k) {
      REQUIRE(integrator.step({}, 1e-2));
      acted |= integrator.velocity_shares().head(4).minCoeff() < 1;
      CHECK(integrator.velocity_shares().tail(6) == VectorXd::Ones(6));
    }
    CHECK(acted);
  }
}

// Integrators exceed the bound in 5 to 10 of ten thousand models, by their own energy error. Passive steps never do.
TEST_CASE("damped energy: passive steps hold the bound where integrators exceed it", "[integrators][long]") {
  const int above[] = {
      damping_brings_no_energy<Variational>("variational", {386, 413, 2794, 4420, 5899, 6259, 6684, 10283, 12710, 12869, 13766, 18284}, 12),
      damping_brings_no_energy<Maximal>("maximal", {413, 4420, 5899, 6259, 10283, 12869, 13550, 18065, 18284, 20838, 20992, 22725}, 12),
      damping_brings_no_energy<Compliant>("compliant", {2794, 4357, 5190, 5968, 6289, 8105, 9260, 10017}, 8)};
  for (const int models : above) CHECK(models > 0);  // else the cases show nothing; which models exceed it depends on rounding, 3 or more of each so far
}

TEST_CASE("damped energy: variational, a hundred thousand models", "[integrators][lab]") {
  damping_brings_no_energy<Variational>("variational", 100'000, 120);
}
TEST_CASE("damped energy: maximal, a hundred thousand models", "[integrators][lab]") {
  damping_brings_no_energy<Maximal>("maximal", 100'000, 60);
}
TEST_CASE("damped energy: compliant, a hundred thousand models", "[integrators][lab]") {
  damping_brings_no_energy<Compliant>("compliant", 100'000, 120);
}

TEST_CASE("damped energy: a net with dampers much stiffer than a step resolves slows down and stays slow", "[integrators][fast]") {
  const Model<double> net = models::square_net(2).with_gravity(Vector3<double>::Zero());
  for (const double strength : {1e4, 1e6}) {
    ModelProperties<double> properties = net.properties();
    models::Random random(4);
    for (double& d : properties.damping) d = random.happens(0.4) ? strength : 0;
    const Model<double> model = net.with_properties(properties);
    const State<double> start{model.neutral(), models::random_velocity(model, 3, 1), 0};
    const Run joints = run(Variational(model), start, 1e-2, 1000), bodies = run(Maximal(model), start, 1e-2, 1000);
    for (const Run& seen : {joints, bodies}) {
      CHECK(seen.steps() == 1000);
      CHECK(seen.largest() <= seen.initial());
    }
  }
}

}  // namespace damped_energy_test
