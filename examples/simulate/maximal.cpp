// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/maximal.hpp"

#include "actio/contacts/sources.hpp"
#include "contacts.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::maximal() {
  return {"maximal", "variational in maximal coordinates, including closed loops and mimic joints, order 2", true,
          [](const Model& model, const Settings& settings) {
            using namespace actio;
            MaximalOptions<double> options;
            if (settings.tolerance) options.tolerance = *settings.tolerance;
            const auto make = []<class Contacts>(const Model& of, const auto& how, const Contacts& contacts) {
              using Integrator = MaximalIntegrator<Model, Newton, NoForce, Contacts>;
              return std::unique_ptr<Runner>(std::make_unique<RunnerOf<Integrator>>(of, how, contacts));
            };
            if (!model.enforced().contact) {
              return std::unique_ptr<Runner>(std::make_unique<RunnerOf<MaximalIntegrator<Model>>>(model, options));
            }
            const PlaneContacts<double> ground = ground_contacts(model, settings);
            if (!settings.between_bodies) return make(model, options, ground);
            options.contact_margin = settings.margin;
            options.tie_capacity = most_points_between_bodies;
            options.contact_capacity = ground.most_points() + most_points_between_bodies;
            return make(model, options, ContactSources(ground, body_contacts(model, settings)));
          }};
}
