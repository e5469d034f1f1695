// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"

#include "actio/contacts/sources.hpp"
#include "contacts.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::variational() {
  return {"variational", "variational with its recommended settings, order 2: the default", true,
          [](const Model& model, const Settings& settings) {
            using namespace actio;
            VariationalOptions<double> options;
            if (settings.tolerance) options.tolerance = *settings.tolerance;
            options.impacts = settings.impacts;
            const auto make = []<class Contacts>(const Model& of, const auto& how, const Contacts& contacts) {
              using Integrator = VariationalIntegrator<Model, Drnea<Split>, Automatic, NoForce, Contacts>;
              return std::unique_ptr<Runner>(std::make_unique<RunnerOf<Integrator>>(of, how, contacts));
            };
            if (!model.enforced().contact) {
              return std::unique_ptr<Runner>(std::make_unique<RunnerOf<VariationalIntegrator<Model>>>(model, options));
            }
            const PlaneContacts<double> ground = ground_contacts(model, settings);
            if (!settings.between_bodies) return make(model, options, ground);
            options.contact_margin = settings.margin;
            options.tie_capacity = most_points_between_bodies;
            options.contact_capacity = ground.most_points() + most_points_between_bodies;
            return make(model, options, ContactSources(ground, body_contacts(model, settings)));
          }};
}
