// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/csv.hpp"

#include <locale>
#include <sstream>

#include "actio/core/text.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/builder.hpp"
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
  std::string header = "time";
  for (Eigen::Index k = 0; k < 8; ++k) header += ",q." + model.q_name(k);
  for (Eigen::Index k = 0; k < 6; ++k) header += ",v." + model.v_name(k);
  CHECK(lines[0] == header + ",kinetic,potential,energy");
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
  CHECK(plain == "time,q." + model.q_name(0) + ",v." + model.v_name(0) + ",kinetic,potential,energy\n0.5,0,0,1234.5,-0.25,1234.25\n");
}

TEST_CASE("CSV: columns carry the names of joints, in quotes if they contain separators", "[io][fast]") {
  ModelBuilder<double> builder("door");
  builder.add_body("leaf", Inertia<double>::sphere(1, 0.1)).add_body("latch", Inertia<double>::sphere(1, 0.1));
  builder.add_joint("hinge", "world", "leaf", Pose<double>::identity(), Revolute<double>({0, 0, 1}));
  builder.add_joint("latch, \"5\"", "leaf", "latch", Pose<double>::identity(), Revolute<double>({0, 0, 1}));
  std::ostringstream out;
  const Model<double> model = builder.build();
  CsvWriter csv(out, model);
  CHECK(out.str() == "time,q.hinge,\"q.latch, \"\"5\"\"\",v.hinge,\"v.latch, \"\"5\"\"\",kinetic,potential,energy\n");
}

}  // namespace csv_test
