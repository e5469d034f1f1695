// SPDX-License-Identifier: BSD-3-Clause
// Makes a hundred calls of an algorithm or steps of one scene, whose instructions callgrind counts: .ci/instructions does that. Without a
// scene, prints the names of all. Prints the number of calls and the sum of the results, which two builds with the same arithmetic agree on
// in all digits.
#include <cstdio>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "actio/actio.hpp"

using namespace actio;
using Tree = Model<double>;

constexpr int calls = 100;

// Counted are the instructions between the begin and the end of this function.
extern "C" [[gnu::noinline]] bool counted(const std::function<bool()>& call) {
  for (int k = 0; k < calls; ++k) {
    if (!call()) return false;
  }
  return true;
}

bool print(bool succeeded, double sum) {
  std::printf("%d calls, %.17g\n", calls, sum);
  return succeeded;
}

// Calls make new results of the same arguments, none of which an algorithm keeps.
bool run_rnea(const Tree& model) {
  RneaData<double> data(model);
  const VectorX<double> q = models::random_configuration(model, 1), v = models::random_velocity(model, 2), a = models::random_velocity(model, 3);
  double sum = 0;
  return print(counted([&] { return sum += rnea(model, data, q, v, a).sum(), true; }), sum);
}
bool run_aba(const Tree& model) {
  AbaData<double> data(model);
  const VectorX<double> q = models::random_configuration(model, 1), v = models::random_velocity(model, 2), tau = models::random_velocity(model, 3);
  double sum = 0;
  return print(counted([&] { return aba(model, data, q, v, tau) == 0 && (sum += data.a.sum(), true); }), sum);
}

template <class Integrator>
bool run(Integrator integrator, const State<double>& state) {
  integrator.reset(state);
  const bool stepped = counted([&] { return bool(integrator.step({}, 1e-3)); });
  return print(stepped, integrator.configuration().sum());
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
// Far from rest: every joint turns, at up to 1 rad/s relative to its parent.
template <class Integrator>
bool run_violent(const Tree& model) {
  State<double> state = rest_state(model);
  state.q = models::random_configuration(model, 1);
  state.v = models::random_velocity(model, 2);
  return run(Integrator(model), state);
}
// @param make (model) -> an integrator.
template <class Make>
bool run_humanoid(const Make& make) {
  const Tree model = models::humanoid();
  State<double> state = rest_state(model);
  for (Eigen::Index k = 0; k < state.v.size(); ++k) state.v[k] = 0.1 * static_cast<double>(k % 7 - 3);
  return run(make(model), state);
}
auto on_ground(const Tree& model) {
  const Compliance<double> spring{.stiffness = 1e5, .damping = 1e3};  // N/m, N s/m
  PlaneContacts<double> ground({.normal = spring, .friction = 0.8}, Vector3<double>::UnitZ(), -1);
  ground.add_shapes_of(model);
  return CompliantIntegrator(model, {}, ground);
}

int main(int argc, char** argv) {
  using Euler = SemiImplicitEuler<Tree>;
  using Variational = VariationalIntegrator<Tree>;
  using Compliant = CompliantIntegrator<Tree>;
  using Maximal = MaximalIntegrator<Tree>;
  const Tree chain = models::revolute_chain(100), balls = models::spherical_chain(100), short_chain = models::revolute_chain(20);
  const Tree ladder = models::ladder(20), bars = models::four_bars(10), loop = models::closed_chain(10);
  const VectorX<double> sheared = models::sheared(ladder, VectorX<double>::LinSpaced(20, -0.4, 0.5));
  const std::vector<std::pair<std::string_view, std::function<bool()>>> scenes{
      {"rnea_chain", [&] { return run_rnea(chain); }},
      {"aba_chain", [&] { return run_aba(chain); }},
      {"euler_chain", [&] { return run_violent<Euler>(chain); }},
      {"euler_humanoid", [] { return run_humanoid([](const Tree& model) { return Euler(model); }); }},
      {"variational_chain", [&] { return run<Variational>(chain, models::horizontal(chain)); }},
      {"variational_violent_chain", [&] { return run_violent<Variational>(chain); }},
      {"variational_balls", [&] { return run_violent<Variational>(balls); }},
      {"variational_humanoid", [] { return run_humanoid([](const Tree& model) { return Variational(model); }); }},
      {"variational_ladder_sparse", [&] { return run<Variational>(ladder, sheared, Factorization::sparse); }},
      {"variational_ladder_iterated", [&] { return run<Variational>(ladder, sheared, Factorization::iterated); }},
      {"variational_bars_sparse", [&] { return run<Variational>(bars, bars.neutral(), Factorization::sparse); }},
      {"variational_bars_iterated", [&] { return run<Variational>(bars, bars.neutral(), Factorization::iterated); }},
      {"variational_loop_dense", [&] { return run<Variational>(loop, loop.neutral(), Factorization::dense); }},
      {"compliant_loop_dense", [&] { return run<Compliant>(loop, loop.neutral(), Factorization::dense); }},
      {"compliant_ladder_dense", [&] { return run<Compliant>(ladder, sheared, Factorization::dense); }},
      {"compliant_ladder_sparse", [&] { return run<Compliant>(ladder, sheared, Factorization::sparse); }},
      {"compliant_ladder_iterated", [&] { return run<Compliant>(ladder, sheared, Factorization::iterated); }},
      {"compliant_humanoid", [] { return run_humanoid(on_ground); }},
      {"maximal_chain", [&] { return run<Maximal>(short_chain, models::horizontal(short_chain)); }},
      {"maximal_ladder", [&] { return run<Maximal>(ladder, sheared); }},
  };
  for (const auto& [name, scene] : scenes) {
    if (argc < 2) std::printf("%s\n", name.data());
    else if (name == argv[1]) return scene() ? 0 : 1;
  }
  return argc < 2 ? 0 : 2;
}
