// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/drnea/drnea.hpp"

#include "support/algorithms.hpp"

namespace {

/// One evaluation at the increment of a step of 1 ms, with the tree already placed: what a root finder repeats.
struct EvaluateDrnea {
  static constexpr double h = 1e-3;
  actio::TreePose<double> tree;
  actio::DrneaData<double> data;
  Eigen::VectorXd x;
  explicit EvaluateDrnea(const bench::Sample& s) : tree(s.model), data(s.model), x(h * s.v) { actio::place(s.model, tree, s.q); }
  const double* operator()(const bench::Sample& s) { return actio::drnea<actio::Split>(s.model, tree, data, x, h).data(); }
};

[[maybe_unused]] const bool registered = bench::register_algorithm<EvaluateDrnea>("drnea");

}  // namespace
