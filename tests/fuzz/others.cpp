// SPDX-License-Identifier: BSD-3-Clause
// The explicit integrators, sequential regularisation, compositions and extrapolation.
#include "actio/integrators/composition.hpp"
#include "actio/integrators/extrapolation.hpp"
#include "actio/integrators/runge_kutta.hpp"
#include "actio/integrators/semi_implicit_euler.hpp"
#include "actio/integrators/sequential_regularization.hpp"
#include "actio/integrators/variational.hpp"
#include "fuzz/laws.hpp"

namespace fuzz {

void others(const Chosen& at, int kind, Choices& c) {
  const auto let_obey = [&](auto make) {
    auto integrator = built(make);
    if (integrator) obeys(std::move(*integrator), at.state, c);
  };
  switch (kind % 5) {
    case 0: let_obey([&] { return RungeKutta(at.model); }); break;
    case 1: let_obey([&] { return SemiImplicitEuler(at.model); }); break;
    case 2: {
      SrmOptions<double> options;
      options.iterations = 1 + c.below(4);
      if (c.happens(2)) options.epsilon = c.scale(6);
      if (c.happens(2)) options.alpha = c.scale(3);
      if (c.happens(3)) options.weight = RowWeight::identity;
      let_obey([&] { return SequentialRegularization(at.model, options); });
      break;
    }
    case 3: let_obey([&] { return Composition(VariationalIntegrator(at.model)); }); break;
    default: let_obey([&] { return Extrapolation(VariationalIntegrator(at.model)); }); break;
  }
}

}  // namespace fuzz
