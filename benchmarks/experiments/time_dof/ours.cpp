// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/root/newton.hpp"
#include "timing.hpp"

namespace time_dof {

using namespace actio;

Timing drnea_linear_newton(const Model& model, const State& start, double spend) {
  return as_published<Drnea<Se3>, Newton>(model, start, spend);
}
Timing our_default(const Model& model, const State& start, double spend) {
  return time_steps<Drnea<Split>, Automatic>(model, start, spend, {});
}

}  // namespace time_dof
