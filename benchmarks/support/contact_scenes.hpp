// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Step/compliant/<scene>/<n>: the time of one step of 1 ms of bodies in contact, from two seconds after the start of the scene.
#include "support/scenes.hpp"
#include "support/steps.hpp"

namespace bench {

/// Registers a scene.  @param make (n) -> the Scene.  @param sizes n.
template <class Make>
bool register_scene(const std::string& name, Make make, const std::vector<int>& sizes) {
  using Contacts = decltype(make(1).contacts);
  using Integrator = typename SceneMotion<Contacts>::Integrator;
  auto run = [=, kept = Kept<SceneMotion<Contacts>>()](benchmark::State& state) mutable {
    SceneMotion<Contacts>& motion = kept.get(static_cast<int>(state.range(0)), make, 1e-3);
    time_steps<Integrator, Make>(state, motion);
    state.counters["contacts"] = static_cast<double>(motion.integrator().contacts().size());
    state.counters["rows"] = static_cast<double>(motion.integrator().rows().size());
  };
  auto* family = benchmark::RegisterBenchmark(("Step/compliant/" + name).c_str(), std::move(run));
  for (const int n : sizes) family->Arg(n);
  return true;
}

}  // namespace bench
