// SPDX-License-Identifier: BSD-3-Clause
// The variational integrator with every root finder. One file, because they share what is slow to compile.
#include "actio/dynamics/svi/residual.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/solvers/reference/dense_roots.hpp"
#include "actio/solvers/root/newton.hpp"
#include "actio/solvers/root/quasi_newton.hpp"

#include "support/steps.hpp"

namespace {

using namespace actio;

template <class Residual, class Root>
auto with(InitialGuess guess = VariationalOptions<double>{}.guess) {
  return [guess](const Model<double>& model) { return VariationalIntegrator<Model<double>, Residual, Root>(model, {.guess = guess}); };
}

[[maybe_unused]] const bool registered =
    bench::register_steps("riqn", with<Drnea<Se3>, Riqn>(InitialGuess::dynamics)) &&  // as published
    bench::register_steps("newton", with<Drnea<Split>, Newton>(), {.largest = 300}) &&
    bench::register_steps("simplified_newton", with<Drnea<Split>, SimplifiedNewton>(), {.largest = 300}) &&
    bench::register_steps("dense_newton", with<Drnea<Split>, DenseNewton>(), {.largest = 100}) &&
    bench::register_steps("broyden", with<Drnea<Split>, Broyden>(), {.largest = 300}) &&
    bench::register_steps("anderson", with<Drnea<Split>, Anderson>(), {.largest = 300}) &&
    bench::register_steps("constant_cost", with<Drnea<Split>, ConstantCost>(), {.largest = 300}) &&
    bench::register_steps("svi_newton", with<Svi, DenseNewton>(), {.largest = 100, .models = {"revolute_chain"}}) &&
    bench::register_steps("svi_broyden", with<Svi, DenseBroyden>(), {.largest = 100, .models = {"revolute_chain"}}) &&
    bench::register_steps("svi_riqn", with<Svi, Riqn>(), {.largest = 100, .models = {"revolute_chain"}});

}  // namespace
