// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The laws of the concept Integrator, for every scheme:
//   check_integrator_laws(integrator, initial, h);          // h: a step that the scheme can take from `initial`
//   check_failing_step(integrator, initial, input, h, Status::capacity);
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "actio/core/error.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/model/samples/random.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"

namespace actio::test {

struct LawOptions {
  double velocity_tolerance = 0;     ///< of v read after reset: 1e-10 where active constraints project it
  double reversal_tolerance = 1e-9;  ///< of a step forward and back, if the scheme is reversible
  double force = 0.1;                ///< scale of the inputs [N m, N]
};

template <class S>
bool equal_bits(const VectorX<S>& a, const VectorX<S>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(S)) == 0;
}
template <class S>
bool equal_bits(const State<S>& a, const State<S>& b) {
  return equal_bits(a.q, b.q) && equal_bits(a.v, b.v) && std::memcmp(&a.time, &b.time, sizeof(S)) == 0;
}

template <Integrator I>
class IntegratorLaws {
  using S = typename I::Scalar;
  using Limits = std::numeric_limits<S>;

 public:
  IntegratorLaws(const I& integrator, const State<S>& initial, S h, const LawOptions& options)
      : prototype_(integrator), initial_(initial), h_(h), options_(options) {}

  void check() {
    read_after_reset_returns_the_state();
    steps_take_their_time();
    copies_go_on_alike();
    the_restored_go_on_alike();
    a_reset_forgets_the_past();
    reading_changes_nothing();
    bad_steps_are_refused_and_change_nothing();
    bad_inputs_are_refused_and_change_nothing();
    bad_states_are_refused_and_change_nothing();
    absurd_steps_succeed_or_change_nothing();
    steps_are_undone_where_reversible();
    nothing_allocates();
  }

  /// Checks that a step that fails with `expected` changes neither what is read nor the further motion.
  void failing_step(const Input<S>& input, S h, Status expected) {
    INFO("a failing step");
    I failing = start(), twin = start();
    const AllocationCounter allocations;
    const StepResult<S> result = failing.step(input, h);
    CHECK(allocations.count() == 0);
    CHECK(describe(result.status) == describe(expected));
    CHECK(equal_bits(failing.configuration(), twin.configuration()));
    CHECK(failing.time() == twin.time());
    CHECK(equal_bits(read(failing), read(twin)));
    CHECK(describe(failing.step(input, h).status) == describe(expected));
    CHECK(equal_bits(read(failing), read(twin)));
  }

 private:
  I start() const {
    I integrator = prototype_;
    integrator.reset(initial_);
    return integrator;
  }

  /// Reads into a state whose numbers are all invalid.
  State<S> read(I& integrator) const {
    const S poison = Limits::quiet_NaN();
    State<S> state{VectorX<S>::Constant(initial_.q.size(), poison), VectorX<S>::Constant(initial_.v.size(), poison), poison};
    CHECK(describe(integrator.read(state)) == describe(Status::converged));
    return state;
  }

  Input<S> input(std::uint64_t seed) const {
    models::Random random(seed);
    Input<S> input;
    input.tau_begin = models::random_velocity(prototype_.model(), random, options_.force);
    if (seed % 2 == 0) return input;
    input.tau_end = models::random_velocity(prototype_.model(), random, options_.force);
    input.wrench_begin = BodyArray<Vector6<S>>(prototype_.model().num_bodies(), random.in_box<S, 6>(options_.force));
    return input;
  }

  void march(I& integrator, int steps) const {
    for (int k = 0; k < steps; ++k) {
      const StepResult<S> result = integrator.step(input(static_cast<std::uint64_t>(k)), h_);
      CAPTURE(k);
      REQUIRE(describe(result.status) == describe(Status::converged));
      CHECK(result.substeps >= 1);
      CHECK((result.iterations >= 0 && result.evaluations >= 0));
      CHECK(is_finite(result.residual));
    }
  }

  void read_after_reset_returns_the_state() {
    INFO("read straight after reset returns the state");
    I integrator = prototype_;
    for (int round = 0; round < 2; ++round) {  // the second time after further steps
      integrator.reset(initial_);
      const State<S> state = read(integrator);
      CHECK(equal_bits(state.q, initial_.q));
      CHECK(equal_bits(integrator.configuration(), initial_.q));
      CHECK(state.time == initial_.time);
      CHECK(S(integrator.time()) == initial_.time);
      if (options_.velocity_tolerance == 0) CHECK(equal_bits(state.v, initial_.v));
      else CHECK((state.v - initial_.v).cwiseAbs().maxCoeff() <= S(options_.velocity_tolerance));
      march(integrator, 3);
    }
    CHECK(&integrator.model() == &prototype_.model());
  }

  void steps_take_their_time() {
    INFO("steps advance the time by their length");
    I integrator = start();
    S time = initial_.time;
    for (int k = 0; k < 4; ++k) {
      march(integrator, 1);
      time += h_;
      CHECK(S(integrator.time()) == time);
      const State<S> state = read(integrator);
      CHECK(state.time == time);
      CHECK(equal_bits(state.q, integrator.configuration()));
      CHECK(prototype_.model().why_not_configuration(state.q).empty());
    }
  }

  void copies_go_on_alike() {
    INFO("copies continue identically");
    I original = start();
    march(original, 3);
    I copy = original;
    march(original, 5);
    march(copy, 5);
    CHECK(equal_bits(read(copy), read(original)));
  }

  void the_restored_go_on_alike() {
    INFO("restored integrators continue identically");
    I original = start();
    march(original, 3);
    typename I::Memory memory = original.make_memory();
    original.save(memory);
    march(original, 5);
    const State<S> end = read(original);
    original.restore(memory);
    march(original, 5);
    CHECK(equal_bits(read(original), end));
    I other = start();  // another object, at another point of its motion
    march(other, 1);
    other.restore(memory);
    march(other, 5);
    CHECK(equal_bits(read(other), end));
  }

  void a_reset_forgets_the_past() {
    INFO("a motion after a reset has the bits of the same motion by a new integrator");
    I used = start(), fresh = start();
    for (const int steps : {1, 4}) {  // no whole number of the increments that histories keep
      march(used, steps);
      used.reset(initial_);
    }
    march(used, 8);
    march(fresh, 8);
    CHECK(equal_bits(read(used), read(fresh)));
  }

  void reading_changes_nothing() {
    INFO("reading changes nothing");
    I watched = start(), unwatched = start();
    for (int k = 0; k < 5; ++k) {
      CHECK(equal_bits(read(watched), read(watched)));
      march(watched, 1);
      march(unwatched, 1);
    }
    CHECK(equal_bits(read(watched), read(unwatched)));
  }

  /// Performs an attempt that must not change the integrator, during a motion, and compares with a copy without it.
  template <class Attempt>
  void must_change_nothing(Attempt attempt) {
    I tried = start(), twin = start();
    march(tried, 2);
    march(twin, 2);
    attempt(tried);
    CHECK(equal_bits(read(tried), read(twin)));
    march(tried, 3);
    march(twin, 3);
    CHECK(equal_bits(read(tried), read(twin)));
  }

  void refuse(const Input<S>& input, S h, Status expected) {
    CAPTURE(h);
    must_change_nothing([&](I& integrator) { CHECK(describe(integrator.step(input, h).status) == describe(expected)); });
  }

  bool may_step_back() const { return I::reversible && !prototype_.model().is_dissipative(); }

  void bad_steps_are_refused_and_change_nothing() {
    INFO("bad steps are refused and change nothing");
    for (const S h : {S(0), S(-0.0), Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
      refuse(input(1), h, Status::invalid_step);
    }
    if (!may_step_back()) refuse(input(1), -h_, Status::invalid_step);
  }

  void bad_inputs_are_refused_and_change_nothing() {
    INFO("bad inputs are refused and change nothing");
    const auto with = [&](auto change) {
      Input<S> bad = input(1);
      change(bad);
      refuse(bad, h_, Status::invalid_input);
    };
    with([](Input<S>& bad) { bad.tau_begin.setZero(bad.tau_begin.size() + 1); });
    with([](Input<S>& bad) { bad.tau_begin[0] = Limits::quiet_NaN(); });
    with([](Input<S>& bad) { bad.tau_end[0] = Limits::infinity(); });
    with([](Input<S>& bad) { bad.wrench_begin.push_back(Vector6<S>::Zero()); });
    with([](Input<S>& bad) { bad.wrench_begin[bad.wrench_begin.size() - 1][5] = Limits::quiet_NaN(); });
  }

  void bad_states_are_refused_and_change_nothing() {
    INFO("bad states are refused and change nothing");
    const auto with = [&](auto change) {
      State<S> bad = initial_;
      change(bad);
      must_change_nothing([&](I& integrator) { CHECK_THROWS_AS(integrator.reset(bad), OptionsError); });
    };
    with([](State<S>& bad) { bad.q.conservativeResize(bad.q.size() - 1); });
    with([](State<S>& bad) { bad.v.conservativeResize(bad.v.size() - 1); });
    with([](State<S>& bad) { bad.q[bad.q.size() - 1] = Limits::quiet_NaN(); });
    with([](State<S>& bad) { bad.v[0] = Limits::infinity(); });
    with([](State<S>& bad) { bad.time = Limits::quiet_NaN(); });
    const VectorX<S> zero = VectorX<S>::Zero(initial_.q.size());
    if (!prototype_.model().why_not_configuration(zero).empty()) with([&](State<S>& bad) { bad.q = zero; });  // quaternions
  }

  void absurd_steps_succeed_or_change_nothing() {
    INFO("absurd steps succeed or change nothing");
    for (const S h : {Limits::min(), Limits::epsilon() * h_, S(1e6f), Limits::max()}) {
      CAPTURE(h);
      I tried = start(), twin = start();
      const StepResult<S> result = tried.step({}, h);
      const State<S> after = read(tried);
      if (!result) CHECK(equal_bits(after, read(twin)));
      CHECK(after.q.allFinite());
      CHECK(after.v.allFinite());
    }
  }

  void steps_are_undone_where_reversible() {
    if (!may_step_back()) return;
    INFO("steps are undone where reversible");
    I integrator = start();
    march(integrator, 1);
    REQUIRE(describe(integrator.step(input(0), -h_).status) == describe(Status::converged));
    const State<S> state = read(integrator);
    const S scale = S(1) + initial_.v.cwiseAbs().maxCoeff();
    CHECK(prototype_.model().difference(initial_.q, state.q).cwiseAbs().maxCoeff() <= S(options_.reversal_tolerance));
    CHECK((state.v - initial_.v).cwiseAbs().maxCoeff() <= S(options_.reversal_tolerance) * scale);
  }

  void nothing_allocates() {
    INFO("nothing allocates");
    I integrator = start();
    typename I::Memory memory = integrator.make_memory();
    State<S> state = initial_;
    const Input<S> full = input(1), plain = input(2), none;
    Input<S> bad = plain;
    bad.tau_begin[0] = Limits::quiet_NaN();
    std::vector<std::string> guilty;
    guilty.reserve(16);
    const auto watch = [&](const char* what, auto call) {
      const AllocationCounter allocations;
      (void)call();
      if (allocations.count() > 0) guilty.emplace_back(what);
    };
    for (int round = 0; round < 2; ++round) {
      watch("step with forces and wrenches", [&] { return integrator.step(full, h_); });
      watch("step with forces", [&] { return integrator.step(plain, h_); });
      watch("step without input", [&] { return integrator.step(none, h_); });
      watch("refused step", [&] { return integrator.step(full, S(0)); });
      watch("refused input", [&] { return integrator.step(bad, h_); });
      watch("read", [&] { return integrator.read(state); });
      watch("save", [&] { return integrator.save(memory), 0; });
      watch("restore", [&] { return integrator.restore(memory), 0; });
    }
    CHECK(guilty == std::vector<std::string>{});
  }

  I prototype_;
  State<S> initial_;
  S h_;
  LawOptions options_;
};

template <Integrator I>
void check_integrator_laws(const I& integrator, const State<typename I::Scalar>& initial, typename I::Scalar h,
                           const LawOptions& options = {}) {
  IntegratorLaws<I>(integrator, initial, h, options).check();
}

template <Integrator I>
void check_failing_step(const I& integrator, const State<typename I::Scalar>& initial, const Input<typename I::Scalar>& input,
                        typename I::Scalar h, Status expected) {
  IntegratorLaws<I>(integrator, initial, h, {}).failing_step(input, h, expected);
}

/// Compares an integrator whose contacts stay open with one without a source: they step bitwise the same.
template <class With, class Without>
void check_open_contacts(With with, Without without, const State<typename Without::Scalar>& start) {
  with.reset(start);
  without.reset(start);
  for (int k = 0; k < 25; ++k) {
    REQUIRE(with.step({}, 0.01));
    REQUIRE(without.step({}, 0.01));
    CHECK(equal_bits(with.configuration(), without.configuration()));
    CHECK(with.contacts().empty());
    CHECK(with.rows().size() == 0);
  }
}

}  // namespace actio::test
