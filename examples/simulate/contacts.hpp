// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What --contact, --ground and --enforce contact bring into contact.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/plane.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/io/xml/load_report.hpp"
#include "integrators.hpp"

namespace simulate {

/// Number of points at which bodies may touch each other at a time; with more of them a step fails.
inline constexpr std::size_t most_points_between_bodies = 256;

/// Returns the ground with the shapes that may touch it; without shapes if contact with the ground is not asked for.
/// @throws ModelError if there is no such shape.
actio::PlaneContacts<double> ground_contacts(const Model& model, const Settings& settings);
/// Returns the contacts between bodies, in which hulls are boxes that contain them, cylinders are capsules of the same length and radius,
/// and flat cylinders are boxes of the same height and volume.  @throws ModelError if fewer than two bodies have shapes.
actio::BodyContacts<double> body_contacts(const Model& model, const Settings& settings);

/// Makes an integrator with the contacts that are asked for.  @param make (options) or (options, source) returns its runner.
template <class Options, class Make>
std::unique_ptr<Runner> with_contacts(const Model& model, const Settings& settings, Options options, const Make& make) {
  if (!model.enforced().contact) return make(options);
  const actio::PlaneContacts<double> ground = ground_contacts(model, settings);
  if (!settings.between_bodies) return make(options, ground);
  options.contact_margin = settings.margin;
  options.tie_capacity = most_points_between_bodies;
  options.contact_capacity = ground.most_points() + most_points_between_bodies;
  return make(options, actio::ContactSources(ground, body_contacts(model, settings)));
}

/// Returns the pairs of bodies that the model's file lets pass through each other by name, without those of links on one body.
std::vector<std::pair<actio::BodyIndex, actio::BodyIndex>> passing_by_name(const Model& model, const actio::LoadReport& report);

/// Two bodies whose shapes overlap.
struct Overlap {
  actio::BodyIndex a, b;
  double depth;  ///< [m]
};
/// Returns the bodies that may touch and overlap by more than 1 mm at q, the deepest first.
std::vector<Overlap> overlaps(const Model& model, const Settings& settings, const actio::VectorX<double>& q);

/// Returns "with the ground", "between bodies" or both; empty if contact is not enforced.
std::string contacts_in_words(const Model& model, const Settings& settings);
/// Returns "'a' and 'b' by 0.1 m, 'c' and 'd' by 0.05 m, and 3 more".
std::string list_of(const Model& model, const std::vector<Overlap>& overlaps);

}  // namespace simulate
