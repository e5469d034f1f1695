// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Integrators by name. Each compiles in a .cpp of its own, where it is tied to the loop that runs it.
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "actio/contacts/points.hpp"
#include "watch.hpp"

namespace simulate {

/// An integrator with its model, ready to run.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Runs from a state for so many steps of length h.
  virtual actio::SimulationSummary<double> run(const actio::State<double>& start, double h, std::int64_t steps, Watch& watch) = 0;
};

/// What integrators may be told beside the model.
struct Settings {
  std::optional<double> tolerance;         ///< of those that solve equations; else their own
  actio::ContactMaterial<double> ground;   ///< the plane z = 0, where contact is enforced
};

struct IntegratorEntry {
  std::string_view name, summary;
  bool solves_equations;  ///< takes a tolerance
  /// @throws ModelError where it cannot take the model; OptionsError for the settings.
  std::unique_ptr<Runner> (*make)(const actio::Model<double>& model, const Settings& settings);
};

/// All there are, baselines first.
std::span<const IntegratorEntry> integrators();
/// Nothing where there is none of that name.
const IntegratorEntry* find_integrator(std::string_view name);

// One or several for each .cpp.
IntegratorEntry euler();
IntegratorEntry heun();
IntegratorEntry rk4();
std::span<const IntegratorEntry> root_finders();
IntegratorEntry variational();
IntegratorEntry variational4();
IntegratorEntry variational6();
IntegratorEntry maximal();
IntegratorEntry compliant();
IntegratorEntry srm();

}  // namespace simulate
