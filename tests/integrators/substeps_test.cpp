// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/shared/substeps.hpp"

#include "support/catch.hpp"

namespace substeps_test {

using namespace actio;

struct Memory {
  int substeps = 1;
  double time = 0;
};

/// Makes a step of 1 s in substeps of at most `longest`, each of which costs a number of updates.
StepResult<double> step(Memory& node, double longest, int updates, int max_halvings) {
  Memory backup;
  StepResult<double> result;
  double done = 0;
  for (detail::Substeps substeps(node, backup, 1.0, max_halvings, result); substeps.next();) {
    if (substeps.begin() > 0) CHECK(substeps.begin() == done);
    CHECK(substeps.end() == substeps.begin() + substeps.h());
    done = substeps.end();
    result.iterations += updates;
    if (substeps.h() > longest) result.status = Status::max_iterations;
    else node.time += substeps.h();
  }
  return result;
}

TEST_CASE("substeps: a step is halved until it converges", "[integrators][fast]") {
  Memory node;
  const StepResult<double> result = step(node, 0.01, 5, 10);
  CHECK(result.status == Status::converged);
  CHECK(result.substeps == 128);
  CHECK(node.time == 1);
}

TEST_CASE("substeps: the updates of a step are bounded, and the step fails at the bound without a trace", "[integrators][fast]") {
  for (const int updates : {60, 100}) {
    Memory node;
    const StepResult<double> result = step(node, 0.001, updates, 10);
    CHECK(result.status == Status::max_iterations);
    CHECK(result.iterations <= 2000 + 8 * 1024 + updates);
    CHECK(node.time == 0);
    CHECK(node.substeps == 1);
  }
}

}  // namespace substeps_test
