// SPDX-License-Identifier: BSD-3-Clause
// Passive steps; tests/integrators/damped_energy_test.cpp has random models in which they act.
#include "actio/simulation/passive_steps.hpp"

#include <cmath>
#include <string>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"
#include "support/refusal.hpp"

namespace passive_steps_test {

using namespace actio;
using Eigen::VectorXd;
using Variational = VariationalIntegrator<Model<double>>;
using Maximal = MaximalIntegrator<Model<double>>;
using Compliant = CompliantIntegrator<Model<double>>;

Model<double> damped(const Model<double>& model, double damping) {
  ModelProperties<double> properties = model.properties();
  properties.damping.setConstant(damping);
  return model.with_properties(properties).with_gravity(Vector3<double>::Zero());
}
/// A closed chain.
Model<double> ring(double damping) { return damped(models::closed_chain(2), damping); }
State<double> moving(const Model<double>& model, double speed) {
  return {model.neutral(), models::random_velocity(model, 3, speed), 0};
}

TEST_CASE("passive steps: they obey the laws of an integrator", "[simulation][fast]") {
  for (const double damping : {0.0, 1e-4}) {
    const Model<double> model = ring(damping);
    const State<double> start = moving(model, 1);
    CAPTURE(damping);
    test::LawOptions options{.velocity_tolerance = 1e-10};
    // the start is projected on the motions that loops allow
    State<double> allowed = start;
    Variational integrator(model);
    integrator.reset(start);
    REQUIRE(integrator.read(allowed) == Status::converged);
    test::check_integrator_laws(PassiveSteps(Variational(model)), allowed, 1e-2, options);
    test::check_integrator_laws(PassiveSteps(Maximal(model)), allowed, 1e-2, options);
    test::check_integrator_laws(PassiveSteps(Compliant(model)), allowed, 1e-2, options);
  }
}

template <class Inner>
void keeps_the_bound(int max_halvings) {
  const Model<double> model = ring(1e-4);
  const State<double> start = moving(model, 1);
  const Input<double> push(VectorXd::Constant(model.nv(), 1e-3));
  Inner plain(model);
  PassiveSteps passive(Inner(model), {.max_halvings = max_halvings});
  plain.reset(start);
  passive.reset(start);
  auto memory = passive.make_memory();
  KinematicsData<double> data(model);
  State<double> x = start;
  const double initial = passive.bound();
  double work = 0;
  bool acted = false;
  for (int k = 0; k < 50; ++k) {
    const VectorXd q = passive.configuration();
    REQUIRE(plain.step(push, 1e-2));
    REQUIRE(passive.step(push, 1e-2));
    REQUIRE(passive.read(x) == Status::converged);
    work += push.tau_begin.dot(model.difference(q, x.q));
    CHECK(std::abs(passive.bound() - initial - work) < 1e-10 * initial);
    CHECK(energy(model, data, x.q, x.v).total() < passive.bound() + 1e-6 * initial);
    passive.save(memory);
    CHECK(memory.substeps <= 1 << max_halvings);
    acted |= memory.substeps > 1 || passive.velocity_share() < 1;
    if (!acted) CHECK(x.q == plain.configuration());  // bitwise, until the bound acts
  }
  CHECK(std::abs(work) > 1e-6 * initial);
}

TEST_CASE("passive steps: the energy is at most that of the start and the work of the inputs", "[simulation][fast]") {
  for (const int max_halvings : {0, 4}) {
    keeps_the_bound<Variational>(max_halvings);
    keeps_the_bound<Maximal>(max_halvings);
    keeps_the_bound<Compliant>(max_halvings);
  }
}

template <class Inner>
void leaves_its_share() {
  constexpr double share = 0.1;
  const Model<double> model = ring(1e-4);
  PassiveSteps passive(Inner(model), {.share = share, .max_halvings = 0});
  State<double> x = moving(model, 1);
  passive.reset(x);
  auto memory = passive.make_memory();
  passive.save(memory);
  memory.bound /= 2;  // so that velocities have to be reduced
  passive.restore(memory);
  REQUIRE(passive.step({}, 1e-2));
  REQUIRE(passive.read(x) == Status::converged);
  KinematicsData<double> data(model);
  const Energy<double> now = energy(model, data, x.q, x.v);
  CHECK(passive.velocity_share() < 0.9);
  CHECK(std::abs(now.total() - passive.bound() - share * now.kinetic) < 1e-9 * passive.bound());
}

TEST_CASE("passive steps: the share above the bound is that of the kinetic energy that is left", "[simulation][fast]") {
  // It once was a share of the kinetic energy before velocities were reduced, which is larger.
  leaves_its_share<Variational>();
  leaves_its_share<Maximal>();
  leaves_its_share<Compliant>();
}

TEST_CASE("passive steps: without dissipation they are bitwise the inner integrator's", "[simulation][fast]") {
  const Model<double> model = ring(0);
  const State<double> start = moving(model, 3);
  Variational plain(model);
  PassiveSteps passive{Variational(model)};
  plain.reset(start);
  passive.reset(start);
  for (int k = 0; k < 100; ++k) {
    REQUIRE(plain.step({}, 2e-2));
    REQUIRE(passive.step({}, 2e-2));
    CHECK(plain.momentum() == passive.inner().momentum());
  }
}

TEST_CASE("passive steps: options are checked", "[simulation][fast]") {
  const Model<double> model = ring(1);
  const auto refusal = [&](const PassiveOptions<double>& options) {
    return test::refusal<OptionsError>([&] { return PassiveSteps(Variational(model), options); });
  };
  CHECK(test::missing(refusal({.share = -1}), {"PassiveOptions", "share", "-1"}).empty());
  CHECK(test::missing(refusal({.share = 1}), {"PassiveOptions", "share", "1"}).empty());
  CHECK(test::missing(refusal({.max_halvings = 21}), {"PassiveOptions", "max_halvings", "21"}).empty());
  const std::string interval = test::refusal<OptionsError>([&] { return PassiveSteps(Maximal(model, {.velocity = NodeVelocity::interval})); });
  CHECK(test::missing(interval, {"PassiveSteps", "MaximalOptions::velocity", "momentum"}).empty());
}

}  // namespace passive_steps_test
