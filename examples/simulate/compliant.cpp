// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/compliant.hpp"

#include "actio/contacts/sources.hpp"
#include "contacts.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::compliant() {
  return {"compliant", "limits, dry friction, loops and contact at any stiffness, order 1", true,
          [](const Model& model, const Settings& settings) {
            const auto make = []<class... Contacts>(const Model& of, const auto& options, const Contacts&... contacts) {
              using Integrator = actio::CompliantIntegrator<Model, Contacts...>;
              return std::unique_ptr<Runner>(std::make_unique<RunnerOf<Integrator>>(of, options, contacts...));
            };
            actio::CompliantOptions<double> options{.law = settings.law};
            if (settings.tolerance) options.tolerance = *settings.tolerance;
            if (!model.enforced().contact) return make(model, options);
            const actio::PlaneContacts<double> ground = ground_contacts(model, settings);
            if (!settings.between_bodies) return make(model, options, ground);
            options.contact_margin = settings.margin;
            options.tie_capacity = most_points_between_bodies;
            options.contact_capacity = ground.most_points() + most_points_between_bodies;
            return make(model, options, actio::ContactSources(ground, body_contacts(model, settings)));
          }};
}
