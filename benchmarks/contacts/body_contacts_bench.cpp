// SPDX-License-Identifier: BSD-3-Clause
// The time of BodyContacts::find() against the number of spheres: expected to be linear for a stack and for a heap, without allocations.
#include <benchmark/benchmark.h>

#include <cmath>

#include "actio/contacts/bodies.hpp"
#include "support/allocation_guard.hpp"

namespace {

using namespace actio;

/// Spheres of diameter 1 in positions that each step changes slightly.
struct Spheres {
  BodyContacts<double> source{ContactMaterial<double>{}};
  BodyArray<Pose<double>> poses;
  ContactList<double> found;
  explicit Spheres(BodyIndex count) : poses(count + 1, Pose<double>::identity()), found(static_cast<std::size_t>(20 * count)) {
    for (BodyIndex i = 1; i <= count; ++i) source.add(i, Pose<double>::identity(), Sphere<double>{0.5});
  }
  void run(benchmark::State& state, double margin) {
    const test::AllocationCounter allocations;
    double shift = 1e-4;
    for (auto _ : state) {
      for (BodyIndex i = 1; i < poses.size(); ++i) poses[i].p[2] += shift * double(i % 7);
      shift = -shift;
      found.clear();
      source.find(poses, margin, found);
      benchmark::DoNotOptimize(found.points().data());
    }
    const double spheres = static_cast<double>(state.range(0));
    state.counters["allocations"] = static_cast<double>(allocations.count());
    state.counters["points_per_sphere"] = static_cast<double>(found.points().size()) / spheres;
    const auto flags = benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert;
    state.counters["ns_per_sphere"] = benchmark::Counter(spheres * 1e-9, flags);  // shown in "s"
    state.SetComplexityN(state.range(0));
  }
};

void stack(benchmark::State& state) {
  Spheres spheres(state.range(0));
  for (BodyIndex i = 1; i < spheres.poses.size(); ++i) spheres.poses[i].p = {0, 0, 0.999 * double(i)};
  spheres.run(state, 0.1);
}
BENCHMARK(stack)->RangeMultiplier(10)->Range(10, 10000)->Complexity(benchmark::oN);

void heap(benchmark::State& state) {  // cubic close packing, twelve neighbours each
  Spheres spheres(state.range(0));
  const BodyIndex edge = static_cast<BodyIndex>(std::ceil(std::cbrt(double(state.range(0)))));
  for (BodyIndex i = 0; i + 1 < spheres.poses.size(); ++i) {
    const double x = double(i % edge), y = double(i / edge % edge), z = double(i / edge / edge);
    spheres.poses[i + 1].p = 0.999 / std::sqrt(2) * Vector3<double>(y + z, z + x, x + y);
  }
  spheres.run(state, 0.05);
}
BENCHMARK(heap)->RangeMultiplier(10)->Range(10, 10000)->Complexity(benchmark::oN);

void heap_on_ground(benchmark::State& state) {  // with one shape a thousand times larger
  Spheres spheres(state.range(0));
  spheres.source.add(0, Pose<double>::translation(0, 0, -0.5), Box<double>{{1000, 1000, 1}});
  const BodyIndex edge = static_cast<BodyIndex>(std::ceil(std::cbrt(double(state.range(0)))));
  for (BodyIndex i = 0; i + 1 < spheres.poses.size(); ++i) {
    spheres.poses[i + 1].p = {0.999 * double(i % edge), 0.999 * double(i / edge % edge), 0.5 + 0.999 * double(i / edge / edge)};
  }
  spheres.run(state, 0.05);
}
BENCHMARK(heap_on_ground)->RangeMultiplier(10)->Range(10, 10000)->Complexity(benchmark::oN);

}  // namespace
