// SPDX-License-Identifier: BSD-3-Clause
// The same sweep on many machines: each process of MPI makes its share of the runs on the processors of its machine, and the first gathers
// the results. They have the same bits with any number of processes.
//   mpirun -n 4 mpi_sweep [RUNS]
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "actio/integrators/variational.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
#include "actio/simulation/rollouts.hpp"

using namespace actio;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int count = argc > 1 ? std::atoi(argv[1]) : 100;
  if (count <= 0) {
    if (rank == 0) std::fprintf(stderr, "usage: mpi_sweep [RUNS], a positive number\n");
    MPI_Finalize();
    return 2;
  }

  // Which runs are whose follows from the number of the process alone, so nothing is sent but results. Process r makes runs first(r) to
  // first(r + 1); shares differ by at most one run.
  const auto first = [&](int process) { return static_cast<int>(static_cast<std::int64_t>(count) * process / ranks); };
  const int begin = first(rank), mine = first(rank + 1) - begin;

  // A humanoid turns in free fall with a random velocity. The result is how far its base turned.
  const Model<double> humanoid = models::humanoid();
  std::vector<State<double>> starts;
  for (int k = 0; k < mine; ++k) {
    const auto seed = static_cast<std::uint64_t>(begin + k);  // of the run, not of the process
    starts.push_back({humanoid.neutral(), models::random_velocity(humanoid, seed), 0});
  }
  std::vector<double> results(starts.size());
  const VariationalIntegrator integrator(humanoid);
  const auto runs = rollouts(integrator, starts, Input<double>(), 2e-3, Steps{250}, every(250, [&](std::size_t k, auto& node) {
    const VectorX<double>& q = node.configuration();
    results[k] = humanoid.difference(humanoid.neutral(), q).head<3>().norm();
  }));
  int failed = 0;
  for (const auto& run : runs) failed += run ? 0 : 1;

  std::vector<double> all(rank == 0 ? static_cast<std::size_t>(count) : 0);
  std::vector<int> sizes, places;
  for (int process = 0; process < ranks; ++process) {
    sizes.push_back(first(process + 1) - first(process));
    places.push_back(first(process));
  }
  MPI_Gatherv(results.data(), mine, MPI_DOUBLE, all.data(), sizes.data(), places.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  int failed_anywhere = 0;
  MPI_Reduce(&failed, &failed_anywhere, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    std::uint64_t bits = 1469598103934665603U;  // FNV-1a of all results
    for (const double result : all) {
      std::uint64_t word = 0;
      std::memcpy(&word, &result, sizeof word);
      bits = (bits ^ word) * 1099511628211U;
    }
    std::printf("%d runs, %d failed, bits %016llx\n", count, failed_anywhere, static_cast<unsigned long long>(bits));
  }
  MPI_Finalize();
  return failed_anywhere == 0 ? 0 : 1;
}
