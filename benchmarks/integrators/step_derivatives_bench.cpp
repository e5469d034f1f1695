// SPDX-License-Identifier: BSD-3-Clause
// The linearisation of a step of 1 ms, and products with it.
#include "actio/integrators/step_derivatives.hpp"

#include "support/algorithms.hpp"

namespace {

struct Linearize {
  static constexpr double h = 1e-3;
  actio::StepDerivatives<actio::Model<double>> derivatives;
  Eigen::VectorXd x, a, b, c, d;
  explicit Linearize(const bench::Sample& s) : derivatives(s.model), x(h * s.v), a(s.v), b(s.v), c(s.v), d(s.v) {}
  const double* operator()(const bench::Sample& s) {
    return derivatives.linearize(s.q, x, h) == actio::Status::converged ? x.data() : nullptr;
  }
};

struct Tangent : Linearize {
  explicit Tangent(const bench::Sample& s) : Linearize(s) { Linearize::operator()(s); }
  const double* operator()(const bench::Sample& s) {
    derivatives.tangent(s.v, s.force, s.force, s.force, a, b);
    return a.data();
  }
};

struct Adjoint : Linearize {
  explicit Adjoint(const bench::Sample& s) : Linearize(s) { Linearize::operator()(s); }
  const double* operator()(const bench::Sample& s) {
    derivatives.adjoint(s.force, s.v, a, b, c, d);
    return a.data();
  }
};

/// Both matrices, up to sizes that fit in memory.
struct Matrices : Linearize {
  Eigen::MatrixXd A, B;
  explicit Matrices(const bench::Sample& s) : Linearize(s), A(2 * s.model.nv(), 2 * s.model.nv()), B(A) { Linearize::operator()(s); }
  const double* operator()(const bench::Sample&) {
    derivatives.matrix(A, B);
    return A.data();
  }
};

bool register_matrices() {
  for (const std::string_view model : {"revolute_chain", "binary_tree"}) {
    const std::string name = "Algorithm/step_matrices/" + std::string(model);
    auto* family =
        benchmark::RegisterBenchmark(name.c_str(), [=, kept = bench::Kept<bench::Call<Matrices>>()](benchmark::State& state) mutable {
          bench::time_calls<Matrices>(state, kept.get(static_cast<int>(state.range(0)), model));
        });
    for (const int n : {2, 8, 16, 30, 64, 100}) family->Arg(n);
    family->Complexity(benchmark::oNSquared);
  }
  return true;
}

[[maybe_unused]] const bool registered = bench::register_algorithm<Linearize>("step_linearize") &&
                                         bench::register_algorithm<Tangent>("step_tangent") &&
                                         bench::register_algorithm<Adjoint>("step_adjoint") && register_matrices();

}  // namespace
