// SPDX-License-Identifier: BSD-3-Clause
#include "contacts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "actio/core/text.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/io/drawing/drawn_shapes.hpp"

namespace simulate {

using actio::BodyIndex;
using actio::Shape;

actio::PlaneContacts<double> ground_contacts(const Model& model, const Settings& settings) {
  auto ground = actio::PlaneContacts<double>::ground_of(model, settings.ground);
  if (settings.on_ground) ground.add_shapes_of(model, actio::Meshes::leave_out);
  return ground;
}

actio::BodyContacts<double> body_contacts(const Model& model, const Settings& settings) {
  std::vector<Shape<double>> shapes = actio::primitive_shapes(model);
  for (Shape<double>& shape : shapes) {
    const auto* cylinder = std::get_if<actio::Cylinder<double>>(&shape.geometry);
    if (!cylinder) continue;
    const double radius = cylinder->radius, length = cylinder->length, edge = radius * std::sqrt(std::numbers::pi);
    if (length >= 2 * radius) shape.geometry = actio::Capsule<double>{radius, length - 2 * radius};
    else shape.geometry = actio::Box<double>{{edge, edge, length}};
  }
  actio::BodyContacts<double> contacts(settings.bodies);
  try {
    contacts.add_shapes_of(model.with_shapes(std::move(shapes)), actio::Meshes::leave_out);
  } catch (const actio::ModelError&) {
    throw actio::ModelError("model '" + model.name() +
                            "' has fewer than two bodies with shapes that can touch each other: leave bodies out of --contact");
  }
  for (const auto& [a, b] : settings.passing) contacts.exclude(a, b);
  return contacts;
}

std::vector<std::pair<BodyIndex, BodyIndex>> passing_by_name(const Model& model, const actio::LoadReport& report) {
  std::vector<std::pair<BodyIndex, BodyIndex>> pairs;
  const auto body_of = [&](const std::string& link) { return link == "world" ? 0 : model.find_frame(link).body; };
  for (const auto& [a, b] : report.passing) pairs.emplace_back(body_of(a), body_of(b));
  std::erase_if(pairs, [](const auto& pair) { return pair.first == pair.second; });
  return pairs;
}

std::vector<Overlap> overlaps(const Model& model, const Settings& settings, const actio::VectorX<double>& q) {
  constexpr double small = 1e-3;  // [m]
  actio::BodyContacts<double> contacts = body_contacts(model, settings);
  actio::KinematicsData<double> data(model);
  actio::forward_kinematics(model, data, q);
  actio::ContactList<double> found;
  for (std::size_t capacity = 1024; capacity == 1024 || found.overflowed(); capacity *= 4) {
    found = actio::ContactList<double>(capacity);
    contacts.find(data.T_WB, 0, found);
  }
  std::vector<Overlap> list;
  for (const actio::ContactPoint<double>& point : found.points()) {
    const auto same = std::find_if(list.begin(), list.end(), [&](const Overlap& one) { return one.a == point.a && one.b == point.b; });
    if (same == list.end()) list.push_back({point.a, point.b, -point.gap});
    else same->depth = std::max(same->depth, -point.gap);
  }
  std::erase_if(list, [](const Overlap& one) { return one.depth <= small; });
  std::stable_sort(list.begin(), list.end(), [](const Overlap& one, const Overlap& other) { return one.depth > other.depth; });
  return list;
}

std::string contacts_in_words(const Model& model, const Settings& settings) {
  if (!model.enforced().contact) return {};
  if (!settings.between_bodies) return "with the ground";
  return std::string(settings.on_ground ? "with the ground and " : "") + "between bodies";
}

std::string list_of(const Model& model, const std::vector<Overlap>& overlaps) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t k = 0; k < std::min(most, overlaps.size()); ++k) {
    text += std::string(k > 0 ? ", '" : "'") + model.body_name(overlaps[k].a) + "' and '" + model.body_name(overlaps[k].b) + "' by " +
            actio::detail::to_text(overlaps[k].depth, 3) + " m";
  }
  return text + (overlaps.size() > most ? " and " + std::to_string(overlaps.size() - most) + " more" : "");
}

}  // namespace simulate
