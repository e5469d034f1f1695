// SPDX-License-Identifier: BSD-3-Clause
// `variational` with its options, and its derivatives.
#include "actio/integrators/variational.hpp"

#include "actio/integrators/step_derivatives.hpp"
#include "actio/model/cast.hpp"
#include "fuzz/laws.hpp"

namespace fuzz {

namespace {

VariationalOptions<double> choose_options(Choices& c) {
  VariationalOptions<double> options;
  const unsigned chosen = static_cast<unsigned>(c.below(256));
  if ((chosen & 1U) != 0) options.tolerance = 0;
  if ((chosen & 2U) != 0) options.max_halvings = c.below(6);
  if ((chosen & 4U) != 0) options.guess = static_cast<InitialGuess>(c.below(9));
  if ((chosen & 8U) != 0) options.factorization = static_cast<Factorization>(c.below(6));
  if ((chosen & 16U) != 0) options.springs = SpringRule::trapezoid;
  if ((chosen & 32U) != 0) options.limit = {c.scale(8), c.happens(2) ? c.scale(6) : 0};
  if ((chosen & 64U) != 0) options.closure = {c.scale(8), c.happens(2) ? c.scale(6) : 0};
  if ((chosen & 128U) != 0) {
    options.relaxation = c.happens(2) ? 0 : 0.01;
    options.impacts = static_cast<Impacts>(c.below(3));
    options.reversals = static_cast<Reversals>(c.below(2));
    options.max_iterations = 1 + c.below(50);
  }
  return options;
}

}  // namespace

void variational(const Chosen& at, int kind, Choices& c) {
  const VariationalOptions<double> options = choose_options(c);
  if (at.model.enforced().contact) {
    const auto integrator = built([&] { return VariationalIntegrator(at.model, options, choose_ground(c)); });
    if (integrator) obeys(*integrator, at.state, c);
  } else if (kind < 32) {
    const Model<float> model = cast<float>(at.model);
    const auto integrator = built([&] { return VariationalIntegrator(model); });
    if (integrator) obeys(*integrator, {at.state.q.cast<float>(), at.state.v.cast<float>(), 0}, c);
  } else {
    auto integrator = built([&] { return VariationalIntegrator(at.model, options); });
    if (!integrator) return;
    obeys(*integrator, at.state, c);
    if (kind % 4 != 0 || !begin(*integrator, at.state)) return;
    auto derivatives = built([&] { return StepDerivatives(*integrator); });
    if (!derivatives || !integrator->step({}, choose_step(c)) || derivatives->linearize(*integrator) != Status::converged) return;
    MatrixX<double> A, B;
    derivatives->matrix(A, B);
  }
}

}  // namespace fuzz
