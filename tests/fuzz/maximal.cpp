// SPDX-License-Identifier: BSD-3-Clause
// `maximal` with its options, and close_loops().
#include "actio/integrators/maximal.hpp"

#include "actio/integrators/close_loops.hpp"
#include "fuzz/laws.hpp"

namespace fuzz {

void maximal(const Chosen& at, int kind, Choices& c) {
  if (kind < 64) {
    const auto closed = built([&] { return close_loops(at.model, at.state.q); });
    if (closed) require(at.model.why_not_configuration(*closed).empty(), "close_loops returns a configuration");
  }
  MaximalOptions<double> options;
  const unsigned chosen = static_cast<unsigned>(c.below(256));
  if ((chosen & 1U) != 0) options.tolerance = 0;
  if ((chosen & 2U) != 0) options.max_halvings = c.below(6);
  if ((chosen & 4U) != 0) options.velocity = NodeVelocity::interval;
  if ((chosen & 8U) != 0) options.springs = SpringRule::trapezoid;
  if ((chosen & 16U) != 0) options.limit = {c.scale(8), c.happens(2) ? c.scale(6) : 0};
  if ((chosen & 32U) != 0) options.closure = {c.scale(8), c.happens(2) ? c.scale(6) : 0};
  if ((chosen & 64U) != 0) options.max_iterations = 1 + c.below(50);
  if (at.model.enforced().contact) {
    const auto integrator = built([&] { return MaximalIntegrator(at.model, options, choose_ground(c)); });
    if (integrator) obeys(*integrator, at.state, c);
  } else {
    const auto integrator = built([&] { return MaximalIntegrator(at.model, options); });
    if (integrator) obeys(*integrator, at.state, c);
  }
}

}  // namespace fuzz
