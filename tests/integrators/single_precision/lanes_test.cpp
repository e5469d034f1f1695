// SPDX-License-Identifier: BSD-3-Clause
// Lanes in single precision, of all joint types: four, which fill one register of any processor.
#include <algorithm>
#include <array>

#include "actio/integrators/compliant_lanes.hpp"
#include "actio/integrators/semi_implicit_euler_lanes.hpp"
#include "actio/integrators/variational_lanes.hpp"
#include "actio/model/samples/random.hpp"
#include "integrators/single_precision/compiled.hpp"
#include "support/catch.hpp"
#include "support/lanes.hpp"

namespace lanes_test {

using namespace actio;
using namespace actio::test;
using Single = Model<float>;
/// Returns how far lane 3 is from the scalar integrator after 50 steps of 1 ms, for a tree of all joints with springs and dampers.
template <class Lanes, class Integrator>
float distance() {
  const Single model = models::random_tree<float>(3, 14, {.damping = true, .springs = true, .armature = true});
  Lanes lanes = begun<Lanes>(model, in_order);
  Integrator alone(model);
  alone.reset(start(model, 3));
  for (int step = 0; step < 50; ++step) {
    for (const StepResult<float>& result : lanes.step({}, 1e-3F)) REQUIRE(result);
    REQUIRE(alone.step({}, 1e-3F));
  }
  VectorX<float> q(model.nq());
  lanes.configuration(3, q);
  CHECK((q - start(model, 3).q).norm() > 0.01F);
  return (q - alone.configuration()).cwiseAbs().maxCoeff();
}

TEST_CASE("single precision: lanes follow the scalar integrators", "[integrators][lanes][long]") {
  // fifty steps of rounding errors of coordinates up to 5, and for `variational` of a tolerance of 1e-5 of the motion of a step
  CHECK(distance<SemiImplicitEulerLanes<Single, 4>, SemiImplicitEuler<Single>>() < 1e-4F);
  CHECK(distance<CompliantLanes<Single, 4>, CompliantIntegrator<Single>>() < 1e-4F);
  CHECK(distance<VariationalLanes<Single, 4>, VariationalIntegrator<Single>>() < 1e-4F);
}

}  // namespace lanes_test
