// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The final states of motions; each integrator is compiled in a separate .cpp file.
#include <optional>

#include "actio/integrators/integrator.hpp"

namespace maximal_order {

using Model = actio::Model<double>;
using State = actio::State<double>;
using End = std::optional<State>;  ///< none if a step failed

template <actio::Integrator I>
End end_of(I integrator, const State& start, double h, int steps) {
  State state = start;
  integrator.reset(start);
  for (int k = 0; k < steps; ++k) {
    if (!integrator.step({}, h)) return {};
  }
  if (integrator.read(state) != actio::Status::converged) return {};
  return state;
}

End maximal(const Model& model, const State& start, double h, int steps);
End maximal_as_published(const Model& model, const State& start, double h, int steps);
End variational(const Model& model, const State& start, double h, int steps);
End rk4(const Model& model, const State& start, double h, int steps);

}  // namespace maximal_order
