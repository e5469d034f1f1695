// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/crba.hpp"

#include "support/algorithms.hpp"

namespace {

struct Crba {
  actio::CrbaData<double> data;
  explicit Crba(const bench::Sample& s) : data(s.model) {}
  const double* operator()(const bench::Sample& s) { return actio::crba(s.model, data, s.q).data(); }
};

[[maybe_unused]] const bool registered = bench::register_algorithm<Crba>("crba", benchmark::oNSquared);

}  // namespace
