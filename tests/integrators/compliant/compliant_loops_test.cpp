// SPDX-License-Identifier: BSD-3-Clause
// Loops that are rigid and redundant: rows without mobility, or dependent on others.
#include <cmath>

#include "actio/integrators/compliant.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/generalised.hpp"

namespace compliant_loops_test {

using namespace actio;
using Eigen::Vector3d, Eigen::VectorXd;

const double pi = std::acos(-1.0);

/// n rods on hinges about x, with the tip of the last one fixed to the world; the plane and gravity rotated by R, the frames of the closure
/// by Q.
Model<double> ring(int n, LoopType closure, const Matrix3<double>& R, const Matrix3<double>& Q) {
  ModelBuilder<double> builder("ring");
  builder.gravity(R * Vector3d(0, 0, -9.81));
  const double turn = 2 * pi / (n + 1);
  std::string parent = "world";
  for (int k = 0; k < n; ++k) {
    const std::string link = "link" + std::to_string(k);
    const Matrix3<double> bend = so3::rotation<double>(Vector3d::UnitX(), k == 0 ? turn - pi / 2 : turn);
    models::detail::add_rod(builder, link);
    builder.add_joint("joint" + std::to_string(k), parent, link,
                      k == 0 ? Pose<double>{R * bend, Vector3d::Zero()} : Pose<double>{bend, {0, 0, -1}},
                      Revolute<double>(Vector3d::UnitX()));
    parent = link;
  }
  Loop<double> loop;
  loop.name = "closure";
  loop.type = closure;
  loop.axis = Q.transpose() * Vector3d::UnitX();
  loop.T_A = {R * Q, R * Vector3d::UnitY()};
  loop.T_B = {so3::rotation<double>(Vector3d::UnitX(), pi / 2 - n * turn) * Q, {0, 0, -1}};
  builder.add_loop(loop, "world", parent);
  return builder.build();
}

VectorXd end_of(const Model<double>& model, Factorization bodies) {
  CompliantOptions<double> options;
  options.factorization = bodies;
  CompliantIntegrator integrator(model, options);
  integrator.reset(rest_state(model));
  int factorizations = 0;
  for (int k = 0; k < 300; ++k) {
    const StepResult<double> result = integrator.step({}, 1e-3);
    REQUIRE(describe(result.status) == describe(Status::converged));
    factorizations += result.factorizations;
  }
  CHECK(factorizations < 300 * 8);
  CHECK(integrator.row_forces().cwiseAbs().maxCoeff() < 1e3);  // the rods have 1 kg
  return integrator.configuration();
}

TEST_CASE("compliant: the motion of a planar mechanism does not depend on the closure type or attitude", "[integrators][compliant][fast]") {
  const Matrix3<double> upright = Matrix3<double>::Identity();
  models::Random random(7);
  const auto turned = [&] { return so3::exp<double>(Vector3d(random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2))); };
  for (const int n : {4, 6}) {
    const VectorXd expected = end_of(ring(n, LoopType::point_on_line, upright, upright), Factorization::dense);
    CHECK(expected.norm() > 0.1);  // it moves
    for (const LoopType closure : {LoopType::point_on_line, LoopType::ball, LoopType::revolute, LoopType::cylindrical}) {
      for (const Factorization bodies : {Factorization::dense, Factorization::blocks}) {
        CAPTURE(n, name(closure), static_cast<int>(bodies));
        CHECK((end_of(ring(n, closure, upright, upright), bodies) - expected).norm() < 1e-8);
        CHECK((end_of(ring(n, closure, turned(), upright), bodies) - expected).norm() < 1e-8);
        CHECK((end_of(ring(n, closure, turned(), turned()), bodies) - expected).norm() < 1e-7);
      }
    }
  }
}

TEST_CASE("compliant: segments and ladders with redundant loops follow the exact motion", "[integrators][compliant][fast]") {
  const VectorXd minimal = end_of(models::four_link_segments(3), Factorization::dense);
  const VectorXd redundant = end_of(models::four_link_segments(3, LoopType::revolute), Factorization::dense);
  CHECK((minimal - redundant).norm() < 1e-7);
  CHECK(end_of(models::ladder(4), Factorization::dense).allFinite());
  CHECK((end_of(models::four_link_segments(3, LoopType::revolute), Factorization::sparse) - minimal).norm() < 1e-7);
}

TEST_CASE("compliant: rigid loops give the semi-implicit step of the reference mechanisms", "[integrators][compliant][fast]") {
  int compared = 0;
  for (const test::Generalised& one : test::generalised_cases()) {
    if (!one.json.contains("semi_implicit")) continue;
    CompliantOptions<double> options;
    options.predictor_rotation = 0;
    CompliantIntegrator integrator(one.model, options);
    integrator.reset(one.start());
    State<double> state = one.start();
    // For fixed loops the file uses the logarithm, we a translation and a quaternion: a violation of 1e-3 differs by a thousandth of it.
    const double tolerance = one.name() == "spatial_8R" ? 1e-5 : 1e-9;
    int done = 0;
    for (const test::Json& sample : one.json["semi_implicit"]) {
      for (; done < std::lround(sample["t"].get<double>() / one.h()); ++done) REQUIRE(integrator.step({}, one.h()));
      REQUIRE(integrator.read(state) == Status::converged);
      CAPTURE(one.name(), done);
      CHECK((state.q - one.to_ours(sample["q"])).cwiseAbs().maxCoeff() < tolerance);
      CHECK((state.v - one.to_ours(sample["v"])).cwiseAbs().maxCoeff() < 20 * tolerance);
    }
    ++compared;
  }
  CHECK(compared == 5);
}

}  // namespace compliant_loops_test
