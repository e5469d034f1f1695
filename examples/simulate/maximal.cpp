// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/maximal.hpp"

#include "contacts.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::maximal() {
  return {"maximal", "variational in maximal coordinates, including closed loops and mimic joints, order 2", true,
          [](const Model& model, const Settings& settings) {
            using namespace actio;
            MaximalOptions<double> options;
            if (settings.tolerance) options.tolerance = *settings.tolerance;
            options.impacts = settings.impacts;
            options.reversals = settings.reversals;
            return with_contacts(model, settings, options, [&]<class... Contacts>(const auto& how, const Contacts&... contacts) {
              using Integrator = MaximalIntegrator<Model, Newton, NoForce, Contacts...>;
              return std::unique_ptr<Runner>(std::make_unique<RunnerOf<Integrator>>(model, how, contacts...));
            });
          }};
}
