// SPDX-License-Identifier: BSD-3-Clause
#include "actio/model/state.hpp"

#include <stdexcept>

#include "actio/model/samples/chains.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"

namespace state_test {

using namespace actio;

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("state: a state at rest has the neutral configuration and zero velocity", "[model][fast]") {
  const Model<double> model = models::spherical_chain(2);
  const State<double> x = rest_state(model);
  CHECK(x.q == model.neutral());
  CHECK(x.v == VectorX<double>::Zero(6));
  CHECK(x.time == 0);
}

TEST_CASE("input: an empty input is zero, and an empty end equals the beginning", "[model][fast]") {
  Input<double> input;
  CHECK(input.tau_at_end().size() == 0);
  CHECK(input.wrench_at_end().size() == 0);
  input = Input<double>(VectorX<double>::Ones(2));
  CHECK(&input.tau_at_end() == &input.tau_begin);
  input.tau_end = 2 * input.tau_begin;
  CHECK(&input.tau_at_end() == &input.tau_end);
  input.wrench_begin = BodyArray<Vector6<double>>(3, Vector6<double>::Ones());
  CHECK(&input.wrench_at_end() == &input.wrench_begin);
  input.wrench_end = input.wrench_begin;
  CHECK(&input.wrench_at_end() == &input.wrench_end);
}

TEST_CASE("input: at a fraction of the step it is interpolated linearly", "[model][fast]") {
  using V = VectorX<double>;
  const auto tau_at = [](const Input<double>& input, double share) {
    V tau = V::Constant(2, 10);
    input.add_tau_at(share, tau);
    return tau;
  };
  Input<double> input;
  CHECK(tau_at(input, 0.25) == V::Constant(2, 10));
  CHECK(!input.has_wrenches());
  input.tau_end = V::Constant(2, 8);  // from an empty beginning
  CHECK(tau_at(input, 0.25) == V::Constant(2, 12));
  input.tau_begin = V::Constant(2, 4);
  CHECK(tau_at(input, 0.25) == V::Constant(2, 15));
  CHECK(tau_at(input, 2) == V::Constant(2, 22));
  input.tau_end.resize(0);  // constant over the step
  CHECK(tau_at(input, 0.25) == V::Constant(2, 14));

  const Vector6<double> one = Vector6<double>::Ones();
  input.wrench_end = BodyArray<Vector6<double>>(3, one);
  CHECK(input.has_wrenches());
  CHECK(input.wrench_at(0.25, 2) == one / 4);
  input.wrench_begin = BodyArray<Vector6<double>>(3, 2 * one);
  CHECK(input.wrench_at(0.25, 2) == 1.75 * one);
  input.wrench_end = {};
  CHECK(input.wrench_at(0.25, 2) == 2 * one);
}

TEST_CASE("input: wrong sizes and values that are not finite are invalid", "[model][fast]") {
  const Model<double> model = models::revolute_chain(2);
  const VectorX<double> good = VectorX<double>::Ones(2);
  VectorX<double> bad = good;
  bad[1] = not_a_number;
  const BodyArray<Vector6<double>> wrenches(3, Vector6<double>::Ones());
  BodyArray<Vector6<double>> bad_wrenches = wrenches;
  bad_wrenches[2][5] = std::numeric_limits<double>::infinity();
  const auto valid = [&](auto change) {
    Input<double> input;
    change(input);
    return is_valid(model, input);
  };
  CHECK(valid([](auto&) {}));
  CHECK(valid([&](auto& input) { input.tau_begin = good; }));
  CHECK(valid([&](auto& input) { input.tau_end = good; }));
  CHECK(valid([&](auto& input) { input.wrench_begin = input.wrench_end = wrenches; }));
  CHECK_FALSE(valid([&](auto& input) { input.tau_begin = VectorX<double>::Ones(3); }));
  CHECK_FALSE(valid([&](auto& input) { input.tau_begin = bad; }));
  CHECK_FALSE(valid([&](auto& input) { input.tau_end = bad; }));
  CHECK_FALSE(valid([&](auto& input) { input.wrench_begin = BodyArray<Vector6<double>>(2, wrenches[0]); }));
  CHECK_FALSE(valid([&](auto& input) { input.wrench_begin = bad_wrenches; }));
  CHECK_FALSE(valid([&](auto& input) { input.wrench_end = bad_wrenches; }));
}

TEST_CASE("force field: none, a throwing function, a functor and a lambda are accepted", "[model][fast]") {
  struct Damper {
    double rate;
    bool operator()(double, const ConstVectorRef<double>&, const ConstVectorRef<double>& v, VectorRef<double> tau) noexcept {
      tau -= rate * v;
      return true;
    }
  };
  const auto lambda = [](double time, const ConstVectorRef<double>&, const ConstVectorRef<double>&, VectorRef<double> tau) noexcept {
    tau[0] = time;
    return time < 1;
  };
  const auto careless = [](double time, const ConstVectorRef<double>& q, const ConstVectorRef<double>&, VectorRef<double> tau) {
    if (time > 1) throw std::runtime_error("too late");
    tau += q;
  };
  const auto undecided = [](double time, const auto&, const auto&, auto) { return time < 1; };
  using Caught = decltype(catching(careless));
  STATIC_REQUIRE(ForceField<NoForce, double>);
  STATIC_REQUIRE(ForceField<NoForce, float>);
  STATIC_REQUIRE(ForceField<Damper, double>);
  STATIC_REQUIRE(ForceField<decltype(lambda), double>);
  STATIC_REQUIRE(ForceField<Caught, double>);
  STATIC_REQUIRE_FALSE(ForceField<decltype(careless), double>);  // it may throw and returns no bool

  const VectorX<double> q = VectorX<double>::Ones(2), v = 2 * q;
  VectorX<double> tau = VectorX<double>::Zero(2);
  const test::AllocationCounter allocations;
  const bool none = NoForce{}(0.0, q, v, tau);  // vectors are accepted without an explicit Ref
  const bool damped = Damper{0.5}(0.0, q, v, tau);
  Caught caught = catching(careless);
  const bool in_time = caught(0.0, q, v, tau);
  CHECK(allocations.count() == 0);
  CHECK(none);
  CHECK(damped);
  CHECK(in_time);
  CHECK(tau == VectorX<double>::Zero(2));
  CHECK_FALSE(caught(2.0, q, v, tau));
  CHECK(catching(undecided)(0.0, q, v, tau));
  CHECK_FALSE(catching(undecided)(2.0, q, v, tau));
}

}  // namespace state_test
