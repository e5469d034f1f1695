// SPDX-License-Identifier: BSD-3-Clause
// What a compliant step that fails names.
#include "actio/contacts/plane.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "support/catch.hpp"

namespace compliant_culprit_test {

using namespace actio;

/// A solver that leaves all rows without forces and fails.
struct Unsolved {
  template <class Problem>
  detail::ConeResult<double> solve(Problem& problem, const detail::ConeOptions<double>&, VectorRef<double> v,
                                   VectorRef<double> lambda) noexcept {
    v = problem.v_free();
    lambda.setZero();
    return {};
  }
};

template <class Contacts = NoContacts>
Culprit culprit_of(const Model<double>& model, const State<double>& start, Contacts contacts = {}) {
  CompliantIntegrator<Model<double>, Contacts, Unsolved> integrator(model, {}, std::move(contacts), {});
  integrator.reset(start);
  const StepResult<double> result = integrator.step({}, 1e-2);
  CHECK(result.status == Status::max_iterations);
  return result.culprit;
}

TEST_CASE("compliant: a step that fails names the loop, joint or body whose row is solved worst", "[integrators][compliant][fast]") {
  const Model<double> bars = models::four_bars(2);
  State<double> start = rest_state(bars);
  start.v[3] = 1;  // the crank of the second
  CHECK(culprit_of(bars, start) == Culprit::loop(1));

  const Model<double> chain = models::revolute_chain(3);
  ModelProperties<double> joints = chain.properties();
  joints.upper.setConstant(0.1);
  const Model<double> limited = chain.with_properties(joints).with_enforced({.limits = true});
  start = rest_state(limited);
  start.q[1] = 0.1;
  start.v[1] = 5;
  CHECK(culprit_of(limited, start) == Culprit::body(2));

  ModelBuilder<double> builder("balls");
  for (const char* name : {"high", "low"}) {
    builder.add_body(name, Inertia<double>::sphere(1, 0.1));
    builder.add_joint(name, "world", name, Pose<double>::identity(), Free<double>());
    builder.add_shape({.name = name, .geometry = Sphere<double>{0.1}}, name);
  }
  const Model<double> balls = builder.build().with_enforced({.contact = true});
  PlaneContacts<double> plane({Compliance<double>{1e6, 1e3}, 0.5});
  plane.add_shapes_of(balls);
  start = rest_state(balls);
  start.q[2] = 1;
  start.q[9] = 0.09;
  CHECK(culprit_of(balls, start, plane) == Culprit::body(2));
}

}  // namespace compliant_culprit_test
