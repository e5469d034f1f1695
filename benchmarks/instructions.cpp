// SPDX-License-Identifier: BSD-3-Clause
// Makes the steps of one scene, for counting their instructions:
//   valgrind --tool=callgrind --toggle-collect=counted_steps --callgrind-out-file=/dev/null instructions SCENE
// counts those of the steps only. Without a scene, prints the names of all. Prints the number of steps and the sum of the coordinates at
// the end, which two builds with the same arithmetic agree on in all digits. The results are on the page "What was measured".
#include <cstdio>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "actio/actio.hpp"

using namespace actio;
using Tree = Model<double>;

constexpr int steps = 100;

extern "C" [[gnu::noinline]] bool counted_steps(const std::function<bool()>& step) {
  for (int k = 0; k < steps; ++k) {
    if (!step()) return false;
  }
  return true;
}

template <class Integrator>
bool run(Integrator integrator, const State<double>& state) {
  integrator.reset(state);
  const bool stepped = counted_steps([&] { return bool(integrator.step({}, 1e-3)); });
  std::printf("%d steps, %.17g\n", steps, integrator.configuration().sum());
  return stepped;
}
template <class Integrator>
bool run(const Tree& model, const VectorX<double>& q, Factorization factorization = Factorization::automatic) {
  State<double> state = rest_state(model);
  state.q = q;
  if constexpr (requires(typename Integrator::Options options) { options.factorization; }) {
    typename Integrator::Options options;
    options.factorization = factorization;
    return run(Integrator(model, options), state);
  } else {
    return run(Integrator(model), state);
  }
}

bool run_humanoid() {
  const Tree model = models::humanoid();
  State<double> state = rest_state(model);
  for (Eigen::Index k = 0; k < state.v.size(); ++k) state.v[k] = 0.1 * static_cast<double>(k % 7 - 3);
  const Compliance<double> spring{.stiffness = 1e5, .damping = 1e3};  // N/m, N s/m
  PlaneContacts<double> ground({.normal = spring, .friction = 0.8}, Vector3<double>::UnitZ(), -1);
  ground.add_shapes_of(model);
  return run(CompliantIntegrator(model, {}, ground), state);
}

int main(int argc, char** argv) {
  using Variational = VariationalIntegrator<Tree>;
  using Compliant = CompliantIntegrator<Tree>;
  using Maximal = MaximalIntegrator<Tree>;
  const Tree chain = models::revolute_chain(100), short_chain = models::revolute_chain(20), ladder = models::ladder(20);
  const Tree bars = models::four_bars(10), loop = models::closed_chain(10);
  const VectorX<double> sheared = models::sheared(ladder, VectorX<double>::LinSpaced(20, -0.4, 0.5));
  const std::vector<std::pair<std::string_view, std::function<bool()>>> scenes{
      {"variational_chain", [&] { return run<Variational>(chain, models::horizontal(chain)); }},
      {"variational_ladder_sparse", [&] { return run<Variational>(ladder, sheared, Factorization::sparse); }},
      {"variational_ladder_iterated", [&] { return run<Variational>(ladder, sheared, Factorization::iterated); }},
      {"variational_bars_sparse", [&] { return run<Variational>(bars, bars.neutral(), Factorization::sparse); }},
      {"variational_bars_iterated", [&] { return run<Variational>(bars, bars.neutral(), Factorization::iterated); }},
      {"variational_loop_dense", [&] { return run<Variational>(loop, loop.neutral(), Factorization::dense); }},
      {"compliant_loop_dense", [&] { return run<Compliant>(loop, loop.neutral(), Factorization::dense); }},
      {"compliant_ladder_dense", [&] { return run<Compliant>(ladder, sheared, Factorization::dense); }},
      {"compliant_ladder_sparse", [&] { return run<Compliant>(ladder, sheared, Factorization::sparse); }},
      {"compliant_ladder_iterated", [&] { return run<Compliant>(ladder, sheared, Factorization::iterated); }},
      {"compliant_humanoid", run_humanoid},
      {"maximal_chain", [&] { return run<Maximal>(short_chain, models::horizontal(short_chain)); }},
      {"maximal_ladder", [&] { return run<Maximal>(ladder, sheared); }},
  };
  for (const auto& [name, scene] : scenes) {
    if (argc < 2) std::printf("%s\n", name.data());
    else if (name == argv[1]) return scene() ? 0 : 1;
  }
  return argc < 2 ? 0 : 2;
}
