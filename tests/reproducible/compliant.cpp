// SPDX-License-Identifier: BSD-3-Clause
// A humanoid that falls onto soft ground, and a pile of balls with Hertz's law, by `compliant`. Both have the same type of contacts, which
// is compiled once.
#include "actio/integrators/compliant.hpp"

#include <string>

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/plane.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/samples/robots.hpp"
#include "scenes.hpp"

namespace same_bits_program {

/// Returns a dozen balls of 1 kg and 0.1 m radius above each other, each somewhat beside the one below.
static Model<double> balls() {
  ModelBuilder<double> builder("balls");
  for (int k = 0; k < 12; ++k) {
    const std::string name = "ball_" + std::to_string(k);
    builder.add_body(name, Inertia<double>::sphere(1, 0.1));
    builder.add_joint(name, "world", name, Pose<double>::translation(0.03 * (k % 3), 0.02 * (k % 4), 0.15 + 0.25 * k), Free<double>());
    builder.add_shape({.name = name, .geometry = Sphere<double>{0.1}}, name);
  }
  return builder.build();
}

bool compliant_scenes(long steps) {
  const Model<double> humanoid = models::humanoid(), pile = balls();
  const auto contacts = [](const Model<double>& model, const ContactMaterial<double>& material, double height) {
    PlaneContacts<double> ground(material, Eigen::Vector3d::UnitZ(), height);
    BodyContacts<double> each_other(material);
    ground.add_shapes_of(model);
    if (model.name() == "balls") each_other.add_shapes_of(model);
    return ContactSources(ground, each_other);
  };
  const ContactMaterial<double> soft{.normal = Compliance<double>{1e5, 1e3}, .friction = 0.8};
  const ContactMaterial<double> rubber{.normal = PowerLaw<double>::hertz(1e6, 0.1, 0.5), .friction = 0.5};
  return run("a humanoid on the ground, compliant", CompliantIntegrator(humanoid, {}, contacts(humanoid, soft, -1)), moving(humanoid), 1e-3,
             steps) &&
         run("a pile of balls, compliant", CompliantIntegrator(pile, {}, contacts(pile, rubber, 0)), rest_state(pile), 1e-3, steps);
}

}  // namespace same_bits_program
