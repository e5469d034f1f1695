// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What holds for each step of an integrator, whatever the model, the state and the input: see Integrator.
#include <bit>
#include <cstdint>

#include "actio/integrators/integrator.hpp"
#include "fuzz/chosen_model.hpp"

namespace fuzz {

/// Returns whether two vectors have the same bits.
template <class A, class B>
bool same(const A& a, const B& b) {
  if (a.size() != b.size()) return false;
  for (Eigen::Index k = 0; k < a.size(); ++k) {
    const double x = static_cast<double>(a[k]), y = static_cast<double>(b[k]);
    if (std::bit_cast<std::uint64_t>(x) != std::bit_cast<std::uint64_t>(y)) return false;
  }
  return true;
}

/// Returns what make() returns, or nothing where it refuses with a ModelError or an OptionsError; any other exception ends the program.
template <class Make>
auto built(Make make) -> std::optional<decltype(make())> {
  try {
    return make();
  } catch (const ModelError&) {
  } catch (const OptionsError&) {
  }
  return {};
}

/// Begins at a state.  @returns false if the integrator refuses it.
template <class I>
bool begin(I& integrator, const State<typename I::Scalar>& state) {
  return built([&] { return integrator.reset(state), true; }).has_value();
}

/// Steps an integrator, and requires of each step: it is finite, or leaves everything as it was; the same again has the same bits.
template <Integrator I>
void obeys(I integrator, const State<typename I::Scalar>& start, Choices& c) {
  using S = typename I::Scalar;
  if (!begin(integrator, start)) return;
  const auto& model = integrator.model();
  State<S> before = start, after = start;
  auto memory = integrator.make_memory();
  const double chosen_h = choose_step(c);
  for (int k = 0; k < 12; ++k) {
    const Input<S> input = [&] {
      if constexpr (std::same_as<S, double>) return choose_input(c, model);
      else return Input<S>{};
    }();
    const S h = static_cast<S>(c.happens(8) ? choose_step(c) : chosen_h);
    const Status readable = integrator.read(before);
    const VectorX<S> q = integrator.configuration();
    const S time = integrator.time();
    integrator.save(memory);
    const auto result = integrator.step(input, h);
    if (!result) {
      require(same(q, integrator.configuration()) && time == integrator.time(), "a step that fails leaves the configuration untouched");
      require(integrator.read(after) == readable, "a step that fails leaves the state as readable as it was");
      require(readable != Status::converged || (same(before.q, after.q) && same(before.v, after.v)), "a step that fails leaves the state untouched");
      continue;
    }
    require(model.why_not_configuration(integrator.configuration()).empty(), "a step ends at a configuration");
    require(is_finite(integrator.time()), "time is finite");
    const VectorX<S> end = integrator.configuration();
    if (integrator.read(after) == Status::converged) {
      require(same(after.q, end), "the state that is read has the configuration");
      require(detail::is_finite_vector(after.v), "a state that is read is finite");
    }
    if (c.happens(4)) {
      I copy = integrator;
      copy.restore(memory);
      require(same(copy.configuration(), q) && copy.time() == time, "what was saved is restored");
      require(bool(copy.step(input, h)) && same(copy.configuration(), end), "a step that is repeated has the same bits");
    }
  }
}

///@{
/// Build an integrator of a group with chosen options and let it obey.  @param kind which one, 0 ... 255.
void variational(const Chosen& at, int kind, Choices& c);
void maximal(const Chosen& at, int kind, Choices& c);
void compliant(const Chosen& at, int kind, Choices& c);
void others(const Chosen& at, int kind, Choices& c);
void rollouts_and_lanes(const Chosen& at, int kind, Choices& c);
///@}

}  // namespace fuzz
