// SPDX-License-Identifier: BSD-3-Clause
// Trees, closed loops and rollouts by `variational`.
#include "actio/integrators/variational.hpp"

#include <vector>

#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/robots.hpp"
#include "actio/simulation/rollouts.hpp"
#include "scenes.hpp"

namespace same_bits_program {

/// Makes rollouts on 1 and on 3 threads, and prints the hash of both, which must be the same.
static bool rollout_scene(const VariationalIntegrator<Model<double>>& integrator, long steps) {
  std::vector<State<double>> starts;
  for (int k = 1; k <= 6; ++k) {
    starts.push_back(moving(integrator.model()));
    starts.back().v *= 0.2 * k;
  }
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 3}) {
    Hash hash;
    for (const Trajectory<double>& run : trajectories(integrator, starts, Input<double>{}, 1e-3, Steps{steps / 20}, 10, {.threads = threads})) {
      hash.add_all(run.q);
      hash.add_all(run.v);
      if (run.summary.status != Status::converged) return std::printf("rollouts: a step failed\n"), false;
    }
    hashes.push_back(hash.value());
  }
  std::printf("rollouts, variational: %016" PRIx64 "\n", hashes[0]);
  return hashes[0] == hashes[1] || (std::printf("rollouts: 3 threads have other bits, %016" PRIx64 "\n", hashes[1]), false);
}

bool variational_scenes(long steps) {
  const Model<double> humanoid = models::humanoid(), closed = models::closed_chain(10), ladder = models::ladder(8),
                      chain = models::revolute_chain(100);
  const VariationalIntegrator integrator(humanoid);
  const State<double> horizontal{models::horizontal(chain), Eigen::VectorXd::Zero(chain.nv()), 0};
  return run("a humanoid in the air, variational", integrator, moving(humanoid), 1e-3, steps) &&
         run("a chain of 100 links, variational", VariationalIntegrator(chain), horizontal, 1e-3, steps / 10) &&
         run("a closed chain, variational", VariationalIntegrator(closed), rest_state(closed), 2e-3, steps) &&
         run("a ladder, variational", VariationalIntegrator(ladder),
             {models::sheared<double>(ladder, Eigen::Vector3d(0.3, -0.2, -0.1)), Eigen::VectorXd::Zero(ladder.nv()), 0}, 2e-3, steps) &&
         rollout_scene(integrator, steps);
}

}  // namespace same_bits_program
