// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Integrators by name. Each one is compiled in a separate .cpp file, together with the loop that runs it.
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "actio/contacts/points.hpp"
#include "actio/integrators/variational/options.hpp"
#include "actio/solvers/cone/rows.hpp"
#include "watch.hpp"

namespace simulate {

/// An integrator with its model.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Runs steps of length h [s] from a state for a time, or steps of other lengths; the last one is shortened to end there.
  virtual actio::SimulationSummary<double> run(const actio::State<double>& start, double h, actio::Seconds duration, Watch& watch) = 0;
};

/// Settings of an integrator in addition to the model.
struct Settings {
  std::optional<double> tolerance;         ///< for integrators that solve equations; if not given, their default
  actio::ContactMaterial<double> ground, bodies;  ///< of contacts with the ground, the plane z = 0 by default, and between bodies
  bool on_ground = true, between_bodies = false;  ///< what is in contact
  double margin = 0.1;                            ///< gap below which points between bodies, and then on the ground too, are looked at [m]
  std::vector<std::pair<actio::BodyIndex, actio::BodyIndex>> passing;  ///< bodies that pass through each other, in addition to neighbours
  actio::ConeLaw law = actio::ConeLaw::coulomb;  ///< of contacts that slide
  actio::Impacts impacts = actio::Impacts::located;  ///< of contacts with restitution
  actio::Reversals reversals = actio::Reversals::in_step;  ///< of slip against friction
};

struct IntegratorEntry {
  std::string_view name, summary;
  bool solves_equations;  ///< takes a tolerance
  /// Returns a runner.  @throws ModelError if the integrator cannot take the model; OptionsError for the settings.
  std::unique_ptr<Runner> (*make)(const actio::Model<double>& model, const Settings& settings);
  bool chooses_steps = false;  ///< only the first step has the length that the user gives
};

/// Returns all integrators, baselines first.
std::span<const IntegratorEntry> integrators();
/// Returns the integrator of a name; null if there is none.
const IntegratorEntry* find_integrator(std::string_view name);

// Each .cpp file defines one or several.
IntegratorEntry euler();
IntegratorEntry heun();
IntegratorEntry rk4();
std::span<const IntegratorEntry> root_finders();
IntegratorEntry variational();
IntegratorEntry variational4();
IntegratorEntry variational6();
IntegratorEntry extrapolation6();
IntegratorEntry reversible();
IntegratorEntry maximal();
IntegratorEntry compliant();
IntegratorEntry srm();

}  // namespace simulate
