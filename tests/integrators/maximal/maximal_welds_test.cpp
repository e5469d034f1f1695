// SPDX-License-Identifier: BSD-3-Clause
// The maximal step against the reference trajectories, with fixed joints kept as when the files were made.
#include "actio/integrators/maximal.hpp"
#include "support/catch.hpp"
#include "support/reference_runs.hpp"

namespace maximal_welds_test {

using namespace actio;

TEST_CASE("maximal: the discrete solutions of all reference trees are reproduced", "[integrators][maximal][long]") {
  for (const std::string& name : test::reference_names()) {
    const test::Reference reference = test::reference(name);
    const auto model = test::with_welds(reference.json["model"]);
    CAPTURE(name);
    test::reproduces(reference, "quat",
                     MaximalIntegrator<Model<double, test::JointsAndWeld>>(model, test::as_the_files<MaximalOptions<double>>()));
  }
}


}  // namespace maximal_welds_test
