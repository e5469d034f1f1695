// SPDX-License-Identifier: BSD-3-Clause
// The scalable variational integrator for comparison with DRNEA, on sizes at which it is fast enough and on joints that it supports.
#include "actio/dynamics/svi/jacobian.hpp"

#include "support/algorithms.hpp"

namespace {

/// One evaluation at the increment of a step of 1 ms, which a root finder repeats. It includes the trigonometry of the mid-point.
struct EvaluateSvi {
  static constexpr double h = 1e-3;
  actio::SviData<double> data;
  Eigen::VectorXd x;
  explicit EvaluateSvi(const bench::Sample& s) : data(s.model), x(h * s.v) {}
  const double* operator()(const bench::Sample& s) {
    actio::svi_evaluate(s.model, data, s.q, x, h);
    return data.left.data();
  }
};

/// The dense Jacobian at the same increment, after an evaluation.
struct SviJacobian : EvaluateSvi {
  Eigen::MatrixXd J;
  explicit SviJacobian(const bench::Sample& s) : EvaluateSvi(s), J(s.model.nv(), s.model.nv()) { EvaluateSvi::operator()(s); }
  const double* operator()(const bench::Sample& s) {
    actio::svi_jacobian(s.model, data, J);
    return J.data();
  }
};

template <class Algorithm>
bool register_up_to(int largest, const std::string& algorithm, benchmark::BigO complexity) {
  for (const std::string_view model : {"revolute_chain", "binary_tree"}) {
    const std::string name = "Algorithm/" + algorithm + "/" + std::string(model);
    auto* family =
        benchmark::RegisterBenchmark(name.c_str(), [=, kept = bench::Kept<bench::Call<Algorithm>>()](benchmark::State& state) mutable {
          bench::time_calls<Algorithm>(state, kept.get(static_cast<int>(state.range(0)), model));
        });
    for (const int n : {2, 4, 8, 10, 16, 30, 64, 100, 300}) {
      if (n <= largest) family->Arg(n);
    }
    family->Complexity(complexity);
  }
  return true;
}

[[maybe_unused]] const bool registered = register_up_to<EvaluateSvi>(300, "svi", benchmark::oNSquared) &&
                                         register_up_to<SviJacobian>(100, "svi_jacobian", benchmark::oNCubed);

}  // namespace
