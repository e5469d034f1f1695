// SPDX-License-Identifier: BSD-3-Clause
// Order of the compliant step with all kinds of joint forces at once.
#include "actio/integrators/compliant.hpp"
#include "support/forced_run.hpp"

namespace compliant_order_test {

using namespace actio;

TEST_CASE("compliant: with all kinds of joint forces it is of order 1 on trees of all joint types", "[integrators][compliant][long]") {
  test::check_order_with_all_forces(NoForce{}, [](const Model<double>& model, SpringRule) { return CompliantIntegrator(model); });
}

}  // namespace compliant_order_test
