// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/abi.hpp"

#include "support/algorithms.hpp"

namespace {

struct Factor {
  actio::TreePose<double> tree;
  actio::AbiData<double> abi;
  Eigen::VectorXd added, z;
  explicit Factor(const bench::Sample& s) : tree(s.model), abi(s.model), added(Eigen::VectorXd::Zero(s.model.nv())), z(added) {
    actio::place(s.model, tree, s.q);
  }
  const double* operator()(const bench::Sample& s) {
    actio::abi_factor(s.model, tree, abi, added);
    return abi.D_inverse.data();
  }
};

struct Solve : Factor {
  explicit Solve(const bench::Sample& s) : Factor(s) { actio::abi_factor(s.model, tree, abi, added); }
  const double* operator()(const bench::Sample& s) {
    actio::abi_solve(s.model, tree, abi, s.force, z);
    return z.data();
  }
};

[[maybe_unused]] const bool registered = bench::register_algorithm<Factor>("abi_factor") && bench::register_algorithm<Solve>("abi_solve");

}  // namespace
