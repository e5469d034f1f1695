// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/csv.hpp"

#include <locale>
#include <sstream>

#include "actio/core/text.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/simulation/recorder.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/catch.hpp"

using namespace actio;

namespace csv_test {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<double> numbers_of(const std::string& line) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    numbers.push_back(0);
    REQUIRE(actio::detail::number_from_chars(line.data() + at, line.data() + end, numbers.back()).ptr == line.data() + end);
    at = end + 1;
  }
  return numbers;
}

/// Decimal commas and dots as thousands separators, as in much of Europe.
struct German : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST_CASE("CSV: a header is written, and numbers are read back to the same bits", "[io][fast]") {
  const Model<double> model = models::spherical_chain(2);
  VariationalIntegrator integrator(model);
  integrator.reset({model.neutral(), VectorX<double>::LinSpaced(6, -1, 2), 0.0});
  std::ostringstream out;
  CsvWriter csv(out, model);
  Recorder<double> recorder;
  (void)simulate(integrator, 1e-2, Steps{10}, every(5, csv), every(5, recorder));

  const std::vector<std::string> lines = lines_of(out.str());
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == "time,q0,q1,q2,q3,q4,q5,q6,q7,v0,v1,v2,v3,v4,v5,kinetic,potential,energy");
  for (std::size_t k = 0; k < 3; ++k) {
    const std::vector<double> row = numbers_of(lines[k + 1]);
    const auto& sample = recorder.samples()[k];
    REQUIRE(row.size() == 18);
    CHECK(row[0] == static_cast<double>(5 * k) * 1e-2);
    for (Eigen::Index i = 0; i < 8; ++i) CHECK(row[static_cast<std::size_t>(1 + i)] == sample.state.q[i]);
    for (Eigen::Index i = 0; i < 6; ++i) CHECK(row[static_cast<std::size_t>(9 + i)] == sample.state.v[i]);
    CHECK(row[15] == sample.energy.kinetic);
    CHECK(row[16] == sample.energy.potential + sample.energy.elastic);
    CHECK(row[17] == sample.energy.total());
  }
}

TEST_CASE("CSV: it is the same under every locale", "[io][fast]") {
  const Model<double> model = models::planar_chain(1);
  const auto text = [&] {
    std::ostringstream out;
    CsvWriter csv(out, model);
    csv.write(0.5, rest_state(model), Energy<double>{1234.5, -0.25, 0});
    return out.str();
  };
  const std::string plain = text();
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new German));
  const std::string german = text();
  std::locale::global(before);
  CHECK(german == plain);
  CHECK(plain == "time,q0,v0,kinetic,potential,energy\n0.5,0,0,1234.5,-0.25,1234.25\n");
}

}  // namespace csv_test
