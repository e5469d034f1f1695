// SPDX-License-Identifier: BSD-3-Clause
// The whole matrix M(q)^-1, column by column, which the operator in abi.hpp avoids.
#include "actio/dynamics/abi.hpp"

#include "support/algorithms.hpp"

namespace {

struct Invert {
  actio::TreePose<double> tree;
  actio::AbiData<double> abi;
  Eigen::VectorXd none, unit;
  Eigen::MatrixXd inverse;
  explicit Invert(const bench::Sample& s)
      : tree(s.model), abi(s.model), none(Eigen::VectorXd::Zero(s.model.nv())), unit(none), inverse(s.model.nv(), s.model.nv()) {}
  const double* operator()(const bench::Sample& s) {
    actio::place(s.model, tree, s.q);
    if (actio::abi_factor(s.model, tree, abi, none) != 0) return nullptr;
    for (Eigen::Index k = 0; k < unit.size(); ++k) {
      unit[k] = 1;
      actio::abi_solve(s.model, tree, abi, unit, inverse.col(k));
      unit[k] = 0;
    }
    return inverse.data();
  }
};

[[maybe_unused]] const bool registered = bench::register_algorithm<Invert>("minv", benchmark::oNSquared);

}  // namespace
