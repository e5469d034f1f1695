// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/rnea.hpp"

#include "support/algorithms.hpp"

namespace {

struct Rnea {
  actio::RneaData<double> data;
  explicit Rnea(const bench::Sample& s) : data(s.model) {}
  const double* operator()(const bench::Sample& s) { return actio::rnea(s.model, data, s.q, s.v, s.force).data(); }
};

[[maybe_unused]] const bool registered = bench::register_algorithm<Rnea>("rnea");

}  // namespace
