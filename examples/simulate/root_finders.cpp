// SPDX-License-Identifier: BSD-3-Clause
// The variational integrator with every root finder, as in the papers. One file, because they share what is slow to compile.
#include "actio/dynamics/svi/residual.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/solvers/reference/dense_roots.hpp"
#include "actio/solvers/root/newton.hpp"
#include "actio/solvers/root/quasi_newton.hpp"
#include "runner.hpp"

namespace {

using namespace actio;
using simulate::IntegratorEntry, simulate::Runner, simulate::RunnerOf;

template <class Residual, class Root, InitialGuess guess = VariationalOptions<double>{}.guess>
std::unique_ptr<Runner> make(const Model<double>& model, const simulate::Settings& settings) {
  VariationalOptions<double> options{.guess = guess};
  if (settings.tolerance) options.tolerance = *settings.tolerance;
  return std::make_unique<RunnerOf<VariationalIntegrator<Model<double>, Residual, Root>>>(model, options);
}

}  // namespace

std::span<const IntegratorEntry> simulate::root_finders() {
  static const std::array all{
      IntegratorEntry{"riqn", "variational as published: logarithm on SE(3), RIQN from guess IG3, order 2", true,
                      make<Drnea<Se3>, Riqn, InitialGuess::dynamics>},
      IntegratorEntry{"newton", "variational, exact Jacobian in O(bodies) for every update", true, make<Drnea<Split>, Newton>},
      IntegratorEntry{"mixed_newton", "the same with the logarithm on SE(3) for bodies that one fixed axis carries", true,
                      make<Drnea<Mixed>, Newton>},
      IntegratorEntry{"simplified_newton", "variational, exact Jacobian once per step", true, make<Drnea<Split>, SimplifiedNewton>},
      IntegratorEntry{"dense_newton", "variational, exact Jacobian as a dense matrix: the paper's Algorithm 4", true,
                      make<Drnea<Split>, DenseNewton>},
      IntegratorEntry{"broyden", "variational, Broyden's method over RIQN", true, make<Drnea<Split>, Broyden>},
      IntegratorEntry{"anderson", "variational, Anderson acceleration over RIQN", true, make<Drnea<Split>, Anderson>},
      IntegratorEntry{"constant_cost", "variational, one exact update per step: for hard real time", false,
                      make<Drnea<Split>, ConstantCost>},
      IntegratorEntry{"svi_newton", "Johnson and Murphey's scalable variational integrator, dense Newton: joints whose q is a vector", true,
                      make<Svi, DenseNewton>},
      IntegratorEntry{"svi_broyden", "the same with Broyden's method on the dense inverse", true, make<Svi, DenseBroyden>},
      IntegratorEntry{"svi_riqn", "the same with RIQN", true, make<Svi, Riqn>},
  };
  return all;
}
