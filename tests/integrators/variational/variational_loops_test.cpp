// SPDX-License-Identifier: BSD-3-Clause
// Closed loops in joint coordinates: the same map as in maximal coordinates, exact at every node.
#include <cmath>
#include <utility>

#include "actio/dynamics/svi/residual.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/solvers/reference/dense_roots.hpp"
#include "support/bounded_models.hpp"
#include "support/catch.hpp"
#include "support/generalised.hpp"
#include "support/integrator_laws.hpp"
#include "support/reference_runs.hpp"
#include "support/tangled_tree.hpp"

namespace variational_loops_test {

using namespace actio;
using namespace actio::detail;
using Eigen::VectorXd;

template <class Kind>
auto as_the_files(const Model<double>& model) {
  return VariationalIntegrator<Model<double>, Drnea<Kind>>(model, test::as_the_files<VariationalOptions<double>>());
}
constexpr Factorization methods[] = {Factorization::dense, Factorization::sparse, Factorization::iterated, Factorization::sweeps};
/// The largest value of a closure row [m, rad].
template <class S>
double gap(const Model<S>& model, const VectorX<S>& q) {
  TreePose<S> tree(model);
  place(model, tree, q);
  TreeClosures<Model<S>> closures(model);
  auto rotations = closures.make_rotations();
  closures.place(tree, rotations);
  double largest = 0;
  for (Eigen::Index k = 0; k < closures.size(); ++k) largest = std::max(largest, std::abs(double(closures[k].value)));
  return largest;
}

TEST_CASE("variational loops: the discrete solutions of the reference mechanisms are reproduced", "[integrators][variational][fast]") {
  for (const std::string& name : test::loop_reference_names()) {
    const test::Reference reference = test::reference(name);
    CAPTURE(name);
    test::reproduces(reference, "quat", as_the_files<Quat>(reference.model));
    test::converges_with_order_2(reference, as_the_files<Split>(reference.model));
  }
}

/// Error of q at the times of the file.
double largest_error(const test::Generalised& one) {
  auto integrator = as_the_files<Se3>(one.model);
  integrator.reset(one.start());
  double error = 0;
  int done = 0;
  for (const test::Json& sample : one.json["variational"]) {
    for (; done < std::lround(sample["t"].get<double>() / one.h()); ++done) {
      const StepResult<double> result = integrator.step({}, one.h());
      CAPTURE(one.name(), done);
      REQUIRE(result);
      REQUIRE_FALSE(result.relaxed);
      REQUIRE(gap(one.model, integrator.configuration()) < 1e-11);
    }
    error = std::max(error, (integrator.configuration() - one.to_ours(sample["q"])).cwiseAbs().maxCoeff());
  }
  if (one.json["model"]["loops"][0]["kind"] == "planar") {  // rows across an axis: the same force in other axes
    const VectorXd ours = integrator.closure_impulses() / one.h(), theirs = test::to_vector(one.json["variational"].back()["lam"]);
    for (Eigen::Index k = 0; k < ours.size(); k += 2) {
      CHECK(std::abs(ours.segment<2>(k).norm() - theirs.segment<2>(k).norm()) < 1e-7 * theirs.norm());
    }
  }
  return error;
}

TEST_CASE("variational loops: the discrete solutions of mechanisms and a fixed loop of eight links are reproduced",
          "[integrators][variational][fast]") {
  int compared = 0;
  for (const test::Generalised& one : test::generalised_cases()) {
    CAPTURE(one.name());
    CHECK(largest_error(one) < 1e-9);
    ++compared;
  }
  CHECK(compared == 6);
}

TEST_CASE("variational loops: loops of all types on joints of all types give the map of maximal coordinates",
          "[integrators][variational][fast]") {
  int turned = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const test::Tangled tangled =
        test::tangled_tree(seed, 9, 2, seed % 2 == 0 ? 2 : 1, {.damping = true, .springs = true, .armature = true});
    const Model<double>& model = tangled.model;
    const State<double> start{tangled.q, models::random_velocity(model, seed), 0};
    const Factorization method = methods[seed % 3];  // with and without redundant copies for each method
    CAPTURE(seed, model.nv(), int(method));
    VariationalIntegrator<Model<double>, Drnea<Quat>> joints(model, {.tolerance = 0, .factorization = method});
    MaximalIntegrator bodies(model, {.tolerance = 0});
    joints.reset(start);
    bodies.reset(start);
    State<double> state = start, expected = start;
    REQUIRE(joints.read(state) == Status::converged);
    REQUIRE(bodies.read(expected) == Status::converged);
    CHECK((state.v - expected.v).norm() < 1e-9 * (1 + expected.v.norm()));
    for (int k = 0; k < 20; ++k) {
      CAPTURE(k);
      const StepResult<double> result = joints.step({}, 2e-3);
      REQUIRE(describe(result.status) == describe(Status::converged));
      REQUIRE_FALSE(result.relaxed);
      REQUIRE(bodies.step({}, 2e-3));
      CHECK(gap(model, joints.configuration()) < 1e-11);
      CHECK(model.difference(joints.configuration(), bodies.configuration()).norm() < 1e-9);
    }
    turned += model.difference(start.q, joints.configuration()).norm() > 0.01;
    REQUIRE(joints.read(state) == Status::converged);
    REQUIRE(bodies.read(expected) == Status::converged);
    CHECK((state.v - expected.v).norm() < 1e-7 * (1 + expected.v.norm()));
  }
  CHECK(turned > 20);  // the others have more rows than degrees of freedom
}

TEST_CASE("variational loops: the laws of integrators hold", "[integrators][variational][fast]") {
  const test::Tangled tangled = test::tangled_tree(5, 9, 2);
  const State<double> start{tangled.q, models::random_velocity(tangled.model, 5), 0};
  test::LawOptions options;
  options.velocity_tolerance = 1e-10;
  VariationalIntegrator projecting(tangled.model);
  projecting.reset(start);
  State<double> allowed = start;
  REQUIRE(projecting.read(allowed) == Status::converged);
  CHECK((allowed.v - start.v).norm() > 0.1);
  test::check_integrator_laws(VariationalIntegrator(tangled.model, {.tolerance = 0}), allowed, 1e-3, options);
  const Model<double> segments = models::four_link_segments(2, LoopType::revolute);
  State<double> opened = rest_state(segments);
  for (int k = 0; k < 2; ++k) models::open_segment(segments, k, 0.7, 0.5 - k, opened.q);
  for (const Factorization method : methods) {
    CAPTURE(int(method));
    test::check_integrator_laws(VariationalIntegrator(segments, {.tolerance = 0, .factorization = method}), opened, 1e-3, options);
  }
}

TEST_CASE("variational loops: overlapping segments start, and pass their singular poses", "[integrators][variational][fast]") {
  for (const LoopType closure : {LoopType::point_on_line, LoopType::revolute}) {
    for (const auto& [segments, method] : {std::pair{1, Factorization::dense}, {2, Factorization::dense}, {2, Factorization::iterated},
                                           {3, Factorization::sparse}, {3, Factorization::sweeps}}) {
      const Model<double> model = models::four_link_segments(segments, closure);
      VariationalIntegrator integrator(model, {.factorization = method});
      State<double> start = rest_state(model);
      models::open_segment(model, 0, 0, 0.6, start.q);  // all segments overlap
      for (const bool overlapping : {true, false}) {
        if (!overlapping) {  // rhombi become flat and open to the other side
          start.q.setZero();
          for (int k = 0; k < segments; ++k) models::open_segment(model, k, 1.0, k == 0 ? 0.4 : -0.2, start.q);
        }
        integrator.reset(start);
        int passages = 0, relaxed = 0, since_relaxed = 3;
        double before = 1, widest = 0, widest_relaxed = 0;
        for (int k = 0; k < 500; ++k) {
          const StepResult<double> result = integrator.step({}, 1e-2);
          CAPTURE(name(closure), segments, int(method), overlapping, k);
          REQUIRE(describe(result.status) == describe(Status::converged));
          relaxed += bool(result.relaxed);
          since_relaxed = result.relaxed ? 0 : since_relaxed + 1;
          const double open = gap(model, integrator.configuration());
          if (since_relaxed >= 3) widest = std::max(widest, open);
          widest_relaxed = std::max(widest_relaxed, open);
          const double opening = std::sin(integrator.configuration()[model.q_index(model.find_body("b1"))]);
          passages += opening * before < 0;
          before = opening;
        }
        CAPTURE(name(closure), segments, int(method), overlapping, relaxed, widest, widest_relaxed, passages);
        CHECK(widest < 1e-10);
        CHECK(widest_relaxed < 1e-3);
        if (!overlapping) CHECK(passages >= 2);
      }
    }
  }
}

TEST_CASE("variational loops: a taut chain that is plucked is closed softly, which the result reports",
          "[integrators][variational][fast]") {
  const Model<double> model = test::taut_chain();
  int relaxed = 0;
  for (const auto& [speed, method] : {std::pair{1e-3, Factorization::dense}, {0.1, Factorization::dense}, {1., Factorization::dense},
                                      {1e-3, Factorization::sparse}, {0.1, Factorization::sparse}, {1., Factorization::sparse},
                                      {10., Factorization::dense}, {10., Factorization::sparse},
                                      {1., Factorization::iterated}, {1., Factorization::sweeps}}) {
    State<double> start = rest_state(model);
    start.v << speed, -2 * speed;
    VariationalIntegrator integrator(model, {.factorization = method}), strict(model, {.factorization = method, .relaxation = 0});
    integrator.reset(start);
    strict.reset(start);
    if (speed > 1e-2) {  // slower motions advance as far as rounding allows, in small substeps
      const StepResult<double> refused = strict.step({}, 1e-2);
      CHECK_FALSE(refused);
      CHECK(refused.culprit == Culprit::loop(1));
      CHECK(strict.configuration() == start.q);
    }
    for (int k = 0, since_relaxed = 3; k < 50; ++k) {
      const StepResult<double> result = integrator.step({}, 1e-2);
      CAPTURE(speed, int(method), k);
      REQUIRE(describe(result.status) == describe(Status::converged));
      relaxed += result.relaxed.loops;
      CHECK_FALSE(result.relaxed.friction);
      since_relaxed = result.relaxed ? 0 : since_relaxed + 1;
      CHECK(gap(model, integrator.configuration()) < (since_relaxed < 3 ? 1e-3 : 1e-10));
    }
  }
  CHECK(relaxed >= 3);
}

TEST_CASE("variational loops: unsupported loops, and loops that are open at the start, are refused by name",
          "[integrators][variational][fast]") {
  const Model<double> model = models::four_link_segments(2);
  VariationalIntegrator integrator(model);
  State<double> open = rest_state(model);
  open.q[0] = 0.1;
  open.q[1] = 0.3;
  const auto message = [](auto&& act) {
    try {
      act();
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  CHECK_THAT(message([&] { integrator.reset(open); }), test::contains("loop 'loop_1' has a constraint violation of"));
  CHECK_THAT(message([&] { VariationalIntegrator<Model<double>, Drnea<Split>, DenseNewton>(model, {}); }),
             test::contains("variational with a dense Jacobian does not support loop"));
  CHECK_THAT(message([&] { VariationalIntegrator<Model<double>, Svi, Riqn>(model, {}); }),
             test::contains("variational with Svi does not support loop"));
}

}  // namespace variational_loops_test
