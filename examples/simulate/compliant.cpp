// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/compliant.hpp"

#include "actio/contacts/plane.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::compliant() {
  return {"compliant", "limits, dry friction, loops and contact with the ground at any stiffness, order 1", true,
          [](const Model& model, const Settings& settings) {
            actio::CompliantOptions<double> options{.law = settings.law};
            if (settings.tolerance) options.tolerance = *settings.tolerance;
            if (!model.enforced().contact) {
              return std::unique_ptr<Runner>(std::make_unique<RunnerOf<actio::CompliantIntegrator<Model>>>(model, options));
            }
            auto ground = actio::PlaneContacts<double>::ground_of(model, settings.ground);
            ground.add_shapes_of(model, actio::Meshes::leave_out);
            using Integrator = actio::CompliantIntegrator<Model, actio::PlaneContacts<double>>;
            return std::unique_ptr<Runner>(std::make_unique<RunnerOf<Integrator>>(model, options, ground));
          }};
}
