// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/reversible_steps.hpp"

#include "actio/integrators/variational.hpp"
#include "runner.hpp"

namespace {

using namespace actio;
using Inner = VariationalIntegrator<Model<double>>;

/// Runs the variational integrator in reversible steps, of which the first has the given length, to order epsilon.
class ReversibleRunner final : public simulate::Runner {
 public:
  ReversibleRunner(const Model<double>& model, const VariationalOptions<double>& options) : inner_(model, options) {
    (void)ReversibleSteps(inner_, 1.0);  // refuses what it cannot take
  }
  SimulationSummary<double> run(const State<double>& start, double h, Seconds duration, simulate::Watch& watch) override {
    ReversibleSteps any(inner_, 1.0);
    any.reset(start);
    ReversibleSteps control(inner_, h * any.density());
    control.reset(start);
    return watch.observed([&](auto&&... observers) { return actio::simulate(control, watch.controller(), duration, observers...); });
  }

 private:
  Inner inner_;
};

}  // namespace

simulate::IntegratorEntry simulate::reversible() {
  return {"reversible", "variational in reversible steps that follow the motion, --step is the first; no damping", true,
          [](const Model& model, const Settings& settings) {
            VariationalOptions<double> options;
            if (settings.tolerance) options.tolerance = *settings.tolerance;
            return std::unique_ptr<Runner>(std::make_unique<ReversibleRunner>(model, options));
          }, true};
}
