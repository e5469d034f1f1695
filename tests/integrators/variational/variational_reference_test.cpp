// SPDX-License-Identifier: BSD-3-Clause
// The variational step against the reference trajectories: exact discrete solutions, and the continuous ones that they converge to.
#include "actio/integrators/variational.hpp"
#include "support/catch.hpp"
#include "support/reference_runs.hpp"

namespace variational_reference_test {

using namespace actio;

/// With RIQN, which compiles in half the time; root_finders_test.cpp shows that all root finders find the same root.
template <class Kind, class Joints>
VariationalIntegrator<Model<double, Joints>, Drnea<Kind>, Riqn> as_the_files(const Model<double, Joints>& model) {
  return VariationalIntegrator<Model<double, Joints>, Drnea<Kind>, Riqn>(model, test::as_the_files<VariationalOptions<double>>());
}

template <class Kind>
void reproduces(const std::string& kind) {
  for (const std::string& name : test::reference_names()) {
    const test::Reference reference = test::reference(name);
    const auto model = test::with_welds(reference.json["model"]);
    CAPTURE(name);
    test::reproduces(reference, kind, as_the_files<Kind>(model));
  }
}

TEST_CASE("variational: the discrete solutions of all reference trees are reproduced", "[integrators][variational][long]") {
  SECTION("split") { reproduces<Split>("split"); }
  SECTION("se3") { reproduces<Se3>("se3"); }
  SECTION("quat") { reproduces<Quat>("quat"); }
}

TEMPLATE_TEST_CASE("variational: q and v converge to the continuous references with order 2", "[integrators][variational][long]", Split,
                   Se3, Quat) {
  for (const std::string& name : test::reference_names()) {
    const test::Reference reference = test::reference(name);
    CAPTURE(name);
    test::converges_with_order_2(reference, as_the_files<TestType>(reference.model));
  }
}

}  // namespace variational_reference_test
