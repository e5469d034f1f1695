// SPDX-License-Identifier: BSD-3-Clause
// Dampers of any strength dissipate energy and never add any, on trees and loops, for any step.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>
#include <utility>
#include <vector>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "support/catch.hpp"
#include "support/redundant_loops.hpp"
#include "support/tangled_tree.hpp"

namespace damped_energy_test {

using namespace actio;
using Eigen::VectorXd;

struct Run {
  double initial = 0, largest = 0;  ///< energy [J]
  int steps = 0;                    ///< converged steps in which no body rotated by half a radian or more
};

/// @param steps the largest number of steps.
template <class I>
Run run(const Model<double>& model, const State<double>& start, double h, int steps) {
  I integrator(model);
  integrator.reset(start);
  State<double> x = start;
  KinematicsData<double> data(model);
  Run seen;
  if (integrator.read(x) != Status::converged) return seen;
  const auto turns = [&] {
    forward_kinematics(model, data, x.q, x.v);
    double most = 0;
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) most = std::max(most, h * data.V[i].head<3>().norm());
    return most;
  };
  if (turns() > 0.5) return seen;
  seen.initial = seen.largest = energy(model, data, x.q, x.v).total();
  while (seen.steps < steps && integrator.step({}, h) && integrator.read(x) == Status::converged && turns() <= 0.5) {
    seen.largest = std::max(seen.largest, energy(model, data, x.q, x.v).total());
    ++seen.steps;
  }
  return seen;
}

/// Random trees, nets, rings and tangled trees without gravity; some of the joints are damped.
template <class I>
void damping_brings_no_energy(const char* name, const std::vector<int>& seeds) {
  int complete = 0, moved = 0;
  for (const int seed : seeds) {
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
    ModelProperties<double> properties = model.properties();
    const double strength = std::pow(10, random.uniform(-3, 10)), share = random.uniform(0.1, 1);
    for (double& d : properties.damping) d = random.happens(share) ? strength * std::pow(10, random.uniform(-1, 0)) : 0;
    const double h = std::pow(10, random.uniform(-6, -1)), speed = std::min(0.05 / h, std::pow(10, random.uniform(-1, 1)));
    const State<double> start{q, speed * models::random_velocity(model, number), 0};
    const Run damped = run<I>(model.with_properties(properties), start, h, 100);
    properties.damping.setZero();
    const Run free = run<I>(model.with_properties(properties), start, h, damped.steps);
    CAPTURE(name, seed, model.nv(), h, strength, speed, damped.steps, free.steps, damped.initial, damped.largest, free.largest);
    CHECK(damped.largest <= (1 + 1e-6) * damped.initial + (free.largest - free.initial));
    complete += damped.steps == 100;
    moved += damped.steps > 0;
  }
  std::cout << name << ": " << seeds.size() << " damped models, " << moved << "could be stepped, " << complete << " for a hundred steps\n";
  CHECK(2 * complete > static_cast<int>(seeds.size()));
}
template <class I>
void damping_brings_no_energy(const char* name, int cases) {
  std::vector<int> seeds(static_cast<std::size_t>(cases));
  std::iota(seeds.begin(), seeds.end(), 1);
  damping_brings_no_energy<I>(name, seeds);
}

TEST_CASE("damped energy: stiff dampers on loops add no energy", "[integrators][fast]") {
  damping_brings_no_energy<VariationalIntegrator<Model<double>>>("variational", 150);
  damping_brings_no_energy<MaximalIntegrator<Model<double>>>("maximal", 150);
  damping_brings_no_energy<CompliantIntegrator<Model<double>>>("compliant", 150);
}

// With velocity-dependent forces evaluated at the start of the step, the energy of these models grew, to 1e7 times the bound in the worst
// case.
TEST_CASE("damped energy: compliant adds none where stiff dampers lock joints", "[integrators][fast]") {
  damping_brings_no_energy<CompliantIntegrator<Model<double>>>(
      "compliant", {186, 344, 993, 1059, 2246, 2284, 2733, 2999, 3033, 3053, 3253, 3254, 3364, 3464, 3649});
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

// The bound should never be exceeded. Of 100 000 models 92, 44 and 92 do, by 2, 0.3 and 9 % in the median and by a factor of 3, 1.04 and 47
// at most.
TEST_CASE("damped energy: a hundred thousand models gain no energy", "[integrators][lab]") {
  damping_brings_no_energy<VariationalIntegrator<Model<double>>>("variational", 100'000);
  damping_brings_no_energy<MaximalIntegrator<Model<double>>>("maximal", 100'000);
  damping_brings_no_energy<CompliantIntegrator<Model<double>>>("compliant", 100'000);
}

TEST_CASE("damped energy: a net with dampers much stiffer than a step resolves slows down and stays slow", "[integrators][fast]") {
  const Model<double> net = models::square_net(2).with_gravity(Vector3<double>::Zero());
  for (const double strength : {1e4, 1e6}) {
    ModelProperties<double> properties = net.properties();
    models::Random random(4);
    for (double& d : properties.damping) d = random.happens(0.4) ? strength : 0;
    const Model<double> model = net.with_properties(properties);
    const State<double> start{model.neutral(), models::random_velocity(model, 3, 1), 0};
    const Run joints = run<VariationalIntegrator<Model<double>>>(model, start, 1e-2, 1000),
              bodies = run<MaximalIntegrator<Model<double>>>(model, start, 1e-2, 1000);
    for (const Run& seen : {joints, bodies}) {
      CHECK(seen.steps == 1000);
      CHECK(seen.largest <= seen.initial);
    }
  }
}

}  // namespace damped_energy_test
