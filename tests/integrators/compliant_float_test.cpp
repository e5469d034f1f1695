// SPDX-License-Identifier: BSD-3-Clause
// Single precision apart from double, since either takes long to compile.
#include "actio/contacts/plane.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/model/ready/ladder.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"

namespace compliant_float_test {

using namespace actio;

TEST_CASE("compliant: the laws of an integrator hold in single precision", "[integrators][compliant][fast]") {
  PlaneContacts<float> plane({Compliance<float>{1e4F, 10.F}, 0.5F});
  const Model<float> ladder = models::ladder<float>(6);
  for (const CompliantBodies bodies : {CompliantBodies::articulated, CompliantBodies::maximal, CompliantBodies::iterated}) {
    CompliantOptions<float> options;
    options.bodies = bodies;
    CAPTURE(static_cast<int>(bodies));
    test::check_integrator_laws(CompliantIntegrator(ladder, options, plane), rest_state(ladder), 1e-3F);
  }
  ModelBuilder<float> builder("box");
  builder.add_body("box", Inertia<float>::box(1, {0.2F, 0.1F, 0.05F}));
  builder.add_joint("free", "world", "box", Pose<float>::identity(), Free<float>());
  const Model<float> box = builder.add_shape({.name = "all", .geometry = Box<float>{{0.2F, 0.1F, 0.05F}}}, "box").build().with_enforced({.contact = true});
  plane.add_shapes_of(box);
  test::check_integrator_laws(CompliantIntegrator(box, {}, plane), rest_state(box), 1e-2F);
  PlaneContacts<float> clinging({.normal = Compliance<float>{1e4F, 10.F}, .friction = 0.5F, .tangential_damping = 1.F, .tangential_stiffness = 1e3F});
  clinging.add_shapes_of(box);
  test::check_integrator_laws(CompliantIntegrator(box, {}, clinging), rest_state(box), 1e-2F);
}

}  // namespace compliant_float_test
