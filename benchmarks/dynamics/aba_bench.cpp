// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/aba.hpp"

#include "support/algorithms.hpp"

namespace {

struct Aba {
  actio::AbaData<double> data;
  explicit Aba(const bench::Sample& s) : data(s.model) {}
  const double* operator()(const bench::Sample& s) {
    if (actio::aba(s.model, data, s.q, s.v, s.force) != 0) return nullptr;
    return data.a.data();
  }
};

[[maybe_unused]] const bool registered = bench::register_algorithm<Aba>("aba");

}  // namespace
