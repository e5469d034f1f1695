// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"

#include "contacts.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::variational() {
  return {"variational", "variational with its recommended settings, order 2: the default", true,
          [](const Model& model, const Settings& settings) {
            using namespace actio;
            VariationalOptions<double> options;
            if (settings.tolerance) options.tolerance = *settings.tolerance;
            options.impacts = settings.impacts;
            options.reversals = settings.reversals;
            return with_contacts(model, settings, options, [&]<class... Contacts>(const auto& how, const Contacts&... contacts) {
              using Integrator = VariationalIntegrator<Model, Drnea<Split>, Automatic, NoForce, Contacts...>;
              return std::unique_ptr<Runner>(std::make_unique<RunnerOf<Integrator>>(model, how, contacts...));
            });
          }};
}
