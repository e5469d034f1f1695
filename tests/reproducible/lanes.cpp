// SPDX-License-Identifier: BSD-3-Clause
// Lanes, which have the bits of their scalar integrators.
#include <vector>

#include "actio/integrators/compliant_lanes.hpp"
#include "actio/integrators/semi_implicit_euler_lanes.hpp"
#include "actio/integrators/variational_lanes.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
#include "scenes.hpp"

namespace same_bits_program {

/// Steps motions in lanes and one by one, and prints the hash of every tenth state of both, which must be the same.
template <class Lanes, class Integrator>
static bool lanes_scene(const char* scene, const Model<double>& model, long steps, double speed = 1) {
  Lanes lanes(model);
  std::vector<Integrator> alone(Lanes::lanes, Integrator(model));
  for (int k = 0; k < Lanes::lanes; ++k) {
    State<double> start = moving(model);
    start.v *= speed * (1 + 0.2 * k);
    lanes.reset(k, start);
    alone[static_cast<std::size_t>(k)].reset(start);
  }
  Hash in_lanes, one_by_one;
  State<double> state = rest_state(model);
  for (long step = 1; step <= steps; ++step) {
    const auto results = lanes.step({}, 1e-3);
    for (int k = 0; k < Lanes::lanes; ++k) {
      Integrator& integrator = alone[static_cast<std::size_t>(k)];
      if (!results[static_cast<std::size_t>(k)] || !integrator.step({}, 1e-3)) {
        return std::printf("%s: step %ld failed\n", scene, step), false;
      }
      if (step % 10 != 0) continue;
      if (lanes.read(k, state) != Status::converged) return false;
      in_lanes.add_all(state.q);
      in_lanes.add_all(state.v);
      if (integrator.read(state) != Status::converged) return false;
      one_by_one.add_all(state.q);
      one_by_one.add_all(state.v);
    }
  }
  std::printf("%s: %016" PRIx64 "\n", scene, in_lanes.value());
  return in_lanes.value() == one_by_one.value() || (std::printf("%s: the integrator has other bits\n", scene), false);
}

bool lanes_scenes(long steps) {
  using M = Model<double>;
  const M humanoid = models::humanoid(), chain = models::revolute_chain(10);
  const M tree = models::random_tree(3, 14, {.damping = true, .springs = true, .armature = true});
  return lanes_scene<SemiImplicitEulerLanes<M, 4>, SemiImplicitEuler<M>>("lanes of a humanoid, euler", humanoid, steps / 10) &&
         lanes_scene<SemiImplicitEulerLanes<M, 4>, SemiImplicitEuler<M>>("lanes of a tree, euler", tree, steps / 10) &&
         lanes_scene<CompliantLanes<M, 4>, CompliantIntegrator<M>>("lanes of a humanoid, compliant", humanoid, steps / 10) &&
         lanes_scene<CompliantLanes<M, 4>, CompliantIntegrator<M>>("lanes of a tree, compliant", tree, steps / 10) &&
         lanes_scene<VariationalLanes<M, 4>, VariationalIntegrator<M>>("lanes of a humanoid, variational", humanoid, steps / 10) &&
         lanes_scene<VariationalLanes<M, 4>, VariationalIntegrator<M>>("lanes of a tree, variational", tree, steps / 10) &&
         lanes_scene<VariationalLanes<M, 4>, VariationalIntegrator<M>>("lanes of a chain, variational", chain, steps / 10) &&
         // with the exact Jacobian
         lanes_scene<VariationalLanes<M, 4>, VariationalIntegrator<M>>("lanes of a fast tree, variational", tree, steps / 10, 20);
}

}  // namespace same_bits_program
