// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/foundation.hpp"
#include "actio/contacts/plane.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/samples/chains.hpp"

#include "support/contact_scenes.hpp"

namespace {

using namespace actio;

/// n free cubes of 1 kg and 0.2 m side by side on the ground; they slide if the slope is steep enough.
/// @param slope [rad]
bench::Scene<PlaneContacts<double>> boxes(int n, double slope) {
  ModelBuilder<double> builder("boxes");
  builder.gravity({9.8 * std::sin(slope), 0, -9.8 * std::cos(slope)});
  const Box<double> cube{{0.2, 0.2, 0.2}};
  for (int k = 0; k < n; ++k) {
    const std::string name = "box" + std::to_string(k);
    builder.add_body(name, Inertia<double>::box(1, cube.size)).add_shape({.name = name, .geometry = cube}, name);
    builder.add_joint("free" + std::to_string(k), "world", name, Pose<double>::translation(0, 0.3 * k, 0.1), Free<double>());
  }
  const Model<double> model = builder.build();
  PlaneContacts<double> ground({Compliance<double>{1e7, 1e3}, 0.5, 1e6});
  ground.add_shapes_of(model);
  CompliantOptions<double> options;
  options.contact_margin = 0.05;
  return {model, ground, options, rest_state(model)};
}

/// The box of 98 N on a layer of n elements, with 50 N on a corner, which lifts the opposite corner. [Drumwright 2019, Table 1]
bench::Scene<FoundationContacts<double>> foundation(int n) {
  const double g = 9.8;
  const Box<double> cube{{1, 1, 1}};
  ModelBuilder<double> builder("box");
  builder.gravity({0, 0, -g}).add_body("box", Inertia<double>::box(10, cube.size));
  builder.add_joint("free", "world", "box", Pose<double>::translation(0, 0, 0.5), Free<double>());
  builder.add_body("load", Inertia<double>::sphere(50 / g, 1e-3));
  builder.add_joint("weld", "box", "load", Pose<double>::translation(0.5, 0.5, 0.5), Fixed());
  const int edge = static_cast<int>(std::lround(std::sqrt(n)));
  FoundationContacts<double> layer;
  layer.add_bottom(1, Pose<double>::identity(), cube, edge, edge, {2e11, 1, 100.0 * n});
  const Model<double> model = builder.build();
  CompliantOptions<double> options;
  return {model, layer, options, rest_state(model)};
}

/// A stack of n spheres of 1 kg and 0.5 m.
auto spheres(int n) {
  ModelBuilder<double> builder("spheres");
  builder.gravity({0, 0, -9.8});
  for (int k = 0; k < n; ++k) {
    const std::string name = "sphere" + std::to_string(k);
    builder.add_body(name, Inertia<double>::sphere(1, 0.5)).add_shape({.name = name, .geometry = Sphere<double>{0.5}}, name);
    builder.add_joint("free" + std::to_string(k), "world", name, Pose<double>::translation(0, 0, 0.5 + k), Free<double>());
  }
  const Model<double> model = builder.build();
  const ContactMaterial<double> material{Compliance<double>{1e9, 1e3}, 0.5, 1e5};
  PlaneContacts<double> ground(material);
  ground.add_shapes_of(model);
  BodyContacts<double> others(material);
  if (n > 1) others.add_shapes_of(model);
  CompliantOptions<double> options;
  options.contact_capacity = options.tie_capacity = 2 * static_cast<std::size_t>(n);
  options.contact_margin = 0.05;
  return bench::Scene<ContactSources<PlaneContacts<double>, BodyContacts<double>>>{model, ContactSources(ground, others), options,
                                                                                   rest_state(model)};
}

/// n free rods with stiff constraints between them.
bench::Scene<NoContacts> loose_chain(int n, LoopType type) {
  CompliantOptions<double> options;
  options.contact_capacity = 0;
  const Model<double> model = models::loose_chain(n, type);
  return {model, {}, options, rest_state(model)};
}

/// A mechanism of bench::loops with rigid loops, from the same start as for the other integrators.
bench::Scene<NoContacts> mechanism(std::string_view name, int n, Factorization bodies) {
  CompliantOptions<double> options;
  options.contact_capacity = 0;
  options.factorization = bodies;
  const Model<double> model = bench::make_model(name, n);
  return {model, {}, options, bench::start(model)};
}

bool register_mechanism(const std::string& name, Factorization bodies, const std::string& suffix, const std::vector<int>& sizes) {
  return bench::register_scene(name + suffix, [=](int n) { return mechanism(name, n, bodies); }, sizes);
}

[[maybe_unused]] const bool registered =
    bench::register_scene("box_on_plane", [](int n) { return boxes(n, 0); }, {1, 16}) &&
    bench::register_scene("box_sliding", [](int n) { return boxes(n, 0.7); }, {1, 16}) &&
    bench::register_scene("foundation", foundation, {16, 100, 900}) &&
    bench::register_scene("humanoid_on_ground", bench::humanoids_on_ground, {16, 64}) &&
    bench::register_scene("sphere_stack", spheres, {10, 100, 1000, 10000}) &&
    bench::register_scene("revolute_chain", [](int n) { return loose_chain(n, LoopType::revolute); }, {16, 64, 256, 1024}) &&
    bench::register_scene("spherical_chain", [](int n) { return loose_chain(n, LoopType::ball); }, {16, 64, 256, 1024}) &&
    register_mechanism("ladder", Factorization::sparse, "", {4, 16, 64, 256, 1024}) &&
    register_mechanism("ladder", Factorization::dense, "_articulated", {4, 16, 64}) &&
    register_mechanism("ladder", Factorization::iterated, "_iterated", {4, 16, 64, 256}) &&
    register_mechanism("square_chain", Factorization::sparse, "", {1, 4, 16, 64, 256, 1024}) &&
    register_mechanism("four_bar", Factorization::sparse, "", {1, 4, 16, 64, 256, 1024}) &&
    register_mechanism("square_net", Factorization::sparse, "", {1, 2, 4, 8, 16, 32});

}  // namespace
