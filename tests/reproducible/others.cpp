// SPDX-License-Identifier: BSD-3-Clause
// Closed chains by `maximal` and by sequential regularisation.
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/sequential_regularization.hpp"
#include "actio/model/samples/chains.hpp"
#include "scenes.hpp"

namespace same_bits_program {

bool other_scenes(long steps) {
  const Model<double> closed = models::closed_chain(10), planar = models::closed_planar_chain(8);
  return run("a closed chain, maximal", MaximalIntegrator(closed), rest_state(closed), 2e-3, steps) &&
         run("a closed planar chain, srm", SequentialRegularization(planar), rest_state(planar), 1e-3, steps);
}

}  // namespace same_bits_program
