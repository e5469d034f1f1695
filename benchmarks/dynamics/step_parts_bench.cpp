// SPDX-License-Identifier: BSD-3-Clause
// The parts of a variational step: Algorithm/step_<part>/...  One evaluation is outward and reduce (or exact_reduce); an update of
// RIQN is expand, of Newton exact_expand; place, momenta and gravity conclude the step.
#include "actio/dynamics/drnea/residual.hpp"
#include "actio/dynamics/generalized_forces.hpp"

#include "support/algorithms.hpp"

namespace {

using namespace actio;
using Residual = Drnea<Split>;

/// All data of a step, at an increment of 1 ms, evaluated, factored and reduced.
struct Step {
  static constexpr double h = 1e-3;
  TreePose<double> tree, next;
  DrneaData<double> data;
  AbiData<double> mass;
  Residual::Factors<double> exact;
  GravityData<double> weights;
  VectorX<double> x, z, none;
  const Model<double>& model;

  explicit Step(const bench::Sample& s)
      : tree(s.model),
        next(s.model),
        data(s.model),
        mass(s.model),
        exact(s.model),
        weights(s.model),
        x(h * s.v),
        z(x),
        none(VectorX<double>::Zero(x.size())),
        model(s.model) {
    place(model, tree, s.q);
    place(model, next, model.integrate(s.q, x));
    abi_factor(model, tree, mass, none);
    outward();
    rates();
    factor();
    reduce();
    exact_reduce();
  }
  void outward() { Residual::move(model, tree, data, x, h); }
  void reduce() { Residual::reduce(model, tree, data, mass, none); }
  void expand() { abi_expand(model, tree, mass, z); }
  void mass_factor() { abi_factor(model, tree, mass, none); }
  void rates() { drnea_rates<Split>(model, tree, data, exact.rates, x, h); }
  void factor() { tree_lu_factor(model, tree, exact.rates, exact.of_jacobian, none); }
  void exact_reduce() { Residual::reduce(model, tree, data, exact, none); }
  void exact_expand() { Residual::expand(model, tree, exact, z); }
  void place_next() { place(model, next, next.q); }
  void momenta() { Residual::momenta(model, tree, next, data, z); }
  void gravity() { gravity_forces(model, next, weights, z); }
};

template <auto part>
struct Part : Step {
  using Step::Step;
  const double* operator()(const bench::Sample&) {
    part(*this);
    return z.data();
  }
};

[[maybe_unused]] const bool registered =
    bench::register_algorithm<Part<[](Step& s) { s.outward(); }>>("step_outward") &&
    bench::register_algorithm<Part<[](Step& s) { s.reduce(); }>>("step_reduce") &&
    bench::register_algorithm<Part<[](Step& s) { s.expand(); }>>("step_expand") &&
    bench::register_algorithm<Part<[](Step& s) { s.mass_factor(); }>>("step_mass_factor") &&
    bench::register_algorithm<Part<[](Step& s) { s.rates(); }>>("step_exact_rates") &&
    bench::register_algorithm<Part<[](Step& s) { s.factor(); }>>("step_exact_factor") &&
    bench::register_algorithm<Part<[](Step& s) { s.exact_reduce(); }>>("step_exact_reduce") &&
    bench::register_algorithm<Part<[](Step& s) { s.exact_expand(); }>>("step_exact_expand") &&
    bench::register_algorithm<Part<[](Step& s) { s.place_next(); }>>("step_place") &&
    bench::register_algorithm<Part<[](Step& s) { s.momenta(); }>>("step_momenta") &&
    bench::register_algorithm<Part<[](Step& s) { s.gravity(); }>>("step_gravity");

}  // namespace
