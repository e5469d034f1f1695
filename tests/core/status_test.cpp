// SPDX-License-Identifier: BSD-3-Clause
#include "actio/core/status.hpp"

#include <set>
#include <string_view>

#include "support/catch.hpp"

namespace status_test {

using namespace actio;

TEST_CASE("status: each has its own description, and a step succeeds only with `converged`", "[core][fast]") {
  std::set<std::string_view> sentences, names;
  for (int k = 0; k <= static_cast<int>(Status::callback_failed); ++k) {
    StepResult<double> result;
    result.status = static_cast<Status>(k);
    CHECK(bool(result) == (result.status == Status::converged));
    CHECK(!describe(result.status).empty());
    sentences.insert(describe(result.status));
    names.insert(name(result.status));
  }
  CHECK(sentences.size() == 1 + static_cast<std::size_t>(Status::callback_failed));
  CHECK(names.size() == sentences.size());
}

TEST_CASE("status: each method has its own name", "[core][fast]") {
  std::set<std::string_view> names;
  for (int k = 0; k <= static_cast<int>(Method::extrapolation); ++k) names.insert(name(static_cast<Method>(k)));
  CHECK(names.size() == 1 + static_cast<std::size_t>(Method::extrapolation));
  CHECK(name(Method::dense_newton) == "dense_newton");
}

}  // namespace status_test
