// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/compliant.hpp"

#include "contacts.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::compliant() {
  return {"compliant", "limits, dry friction, loops and contact at any stiffness, order 1", true,
          [](const Model& model, const Settings& settings) {
            actio::CompliantOptions<double> options{.law = settings.law};
            if (settings.tolerance) options.tolerance = *settings.tolerance;
            return with_contacts(model, settings, options, [&]<class... Contacts>(const auto& how, const Contacts&... contacts) {
              return std::unique_ptr<Runner>(std::make_unique<RunnerOf<actio::CompliantIntegrator<Model, Contacts...>>>(model, how, contacts...));
            });
          }};
}
