// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Bodies in contact whose compliant steps are timed.
#include "actio/contacts/plane.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
#include "support/motion.hpp"

namespace bench {

/// Bodies, their contacts, and their initial state.
template <class Contacts>
struct Scene {
  actio::Model<double> model;
  Contacts contacts;
  actio::CompliantOptions<double> options;
  actio::State<double> start;
};

template <class Contacts>
class SceneMotion : public Motion<actio::CompliantIntegrator<actio::Model<double>, Contacts>> {
 public:
  using Integrator = actio::CompliantIntegrator<actio::Model<double>, Contacts>;
  template <class Make>
  SceneMotion(int n, const Make& make, double h) : SceneMotion(make(n), h) {}
  SceneMotion(Scene<Contacts> scene, double h)
      : Motion<Integrator>(scene.model, [&](const actio::Model<double>&) { return scene.start; }, Phase::under_way, h,
                           [&](const actio::Model<double>& model) { return Integrator(model, scene.options, scene.contacts); }) {}
};

/// Returns at least n bodies of humanoids that have fallen to the ground, with joint limits enforced.
inline Scene<actio::PlaneContacts<double>> humanoids_on_ground(int n) {
  using namespace actio;
  const Model<double> model = models::humanoids(n).with_enforced({.limits = true});
  PlaneContacts<double> ground({Compliance<double>{1e5, 1e3}, 0.8, 1e4}, Vector3<double>::UnitZ(), -0.96);
  ground.add_shapes_of(model);
  CompliantOptions<double> options;
  options.contact_margin = 0.02;
  State<double> start = rest_state(model);
  start.v = 0.1 * models::random_velocity(model, 2);
  return {model, ground, options, start};
}

}  // namespace bench
