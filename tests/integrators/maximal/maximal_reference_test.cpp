// SPDX-License-Identifier: BSD-3-Clause
// The maximal step against the reference trajectories: exact discrete solutions of the kinetic kind Quat, and continuous ones, also with
// closed
// loops.
#include <cmath>

#include "actio/dynamics/kinematics.hpp"
#include "actio/integrators/maximal.hpp"
#include "support/catch.hpp"
#include "support/reference_runs.hpp"

namespace maximal_reference_test {

using namespace actio;

template <class Joints>
MaximalIntegrator<Model<double, Joints>> as_the_files(const Model<double, Joints>& model) {
  return MaximalIntegrator<Model<double, Joints>>(model, test::as_the_files<MaximalOptions<double>>());
}

TEST_CASE("maximal: the discrete solutions of reference trees without fixed joints are reproduced", "[integrators][maximal][fast]") {
  for (const std::string& name : test::reference_names()) {
    if (name == "floating_mixed_tree") continue;  // with the others, in maximal_welds_test.cpp
    const test::Reference reference = test::reference(name);
    CAPTURE(name);
    test::reproduces(reference, "quat", as_the_files(reference.model));
  }
}

TEST_CASE("maximal: the discrete solutions of the reference mechanisms are reproduced", "[integrators][maximal][fast]") {
  for (const std::string& name : test::loop_reference_names()) {
    const test::Reference reference = test::reference(name);
    CAPTURE(name);
    test::reproduces(reference, "quat", as_the_files(reference.model));
  }
}

TEST_CASE("maximal: q and v converge to the continuous references with order 2", "[integrators][maximal][fast]") {
  std::vector<std::string> names = test::reference_names();
  names.insert(names.end(), test::loop_reference_names().begin(), test::loop_reference_names().end());
  for (const std::string& name : names) {
    const test::Reference reference = test::reference(name);
    CAPTURE(name);
    test::converges_with_order_2(reference, as_the_files(reference.model));
  }
}

MaximalOptions<double> as_published() {
  auto options = test::as_the_files<MaximalOptions<double>>();
  options.velocity = NodeVelocity::interval;
  return options;
}

TEST_CASE("maximal: the published start is reproduced", "[integrators][maximal][fast]") {
  int seen = 0;
  for (const std::string& name : test::reference_names()) {
    const test::Reference reference = test::reference(name);
    if (!reference.json.contains("maximal_published_start")) continue;
    ++seen;
    const test::Json& expected = reference.json["maximal_published_start"];
    MaximalIntegrator integrator(reference.model, as_published());
    integrator.reset({reference.q0(), reference.v0(), 0});
    KinematicsData<double> data(reference.model);
    int done = 0;
    for (std::size_t k = 0; k < expected["sample_steps"].size(); ++k) {
      for (; done < expected["sample_steps"][k].get<int>(); ++done) REQUIRE(integrator.step({}, reference.json["dt"].get<double>()));
      forward_kinematics(reference.model, data, integrator.configuration());
      for (BodyIndex i = 1; i < reference.model.num_bodies(); ++i) {
        const Vector3<double> com = data.T_WB[i] * reference.model.inertia(i).com;
        CAPTURE(name, done, i);
        CHECK((com - test::to_vector(expected["x"][k][static_cast<std::size_t>(i - 1)])).norm() < 1e-9);
      }
    }
  }
  CHECK(seen == 6);
}

TEST_CASE("maximal: the published start and read-out are of first order", "[integrators][maximal][long]") {
  int first_order = 0;
  for (const std::string& name : test::reference_names()) {
    const test::Reference reference = test::reference(name);
    MaximalIntegrator integrator(reference.model, as_published());
    const auto [q4, v4] = test::final_error(reference, 16, integrator);
    const auto [q8, v8] = test::final_error(reference, 32, integrator);
    CAPTURE(name, q4, q8, v4, v8);
    if (q8 > 1e-10) CHECK(std::abs(std::log2(q4 / q8) - 1) < 0.1);
    // From rest the first-order errors of the velocity at the start and in the read-out cancel.
    if (v8 > 1e-10 && reference.v0().norm() > 0) CHECK(std::abs(std::log2(v4 / v8) - 1) < 0.1);
    first_order += v8 > 1e-10 && reference.v0().norm() > 0;
  }
  CHECK(first_order >= 4);
}

}  // namespace maximal_reference_test
