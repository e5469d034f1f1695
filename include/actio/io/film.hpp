// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Film: a recorded motion together with what is needed to draw it.
#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "actio/core/error.hpp"
#include "actio/io/drawing/drawn_shapes.hpp"
#include "actio/io/drawing/plot.hpp"
#include "actio/simulation/motion_recorder.hpp"

namespace actio {

/// A motion that can be displayed; to_glb and to_html write it. A plain value: add shapes, grounds or plots as needed.
struct Film {
  std::string title;                         ///< the name of the model
  std::vector<std::string> body_names;       ///< including body 0, the world
  std::vector<Shape<double>> shapes;         ///< grounds, and solids that touch them; shape.body is an index into the poses of `motion`
  Motion motion;                             ///< poses of the bodies, frame by frame
  std::vector<Plot> plots;                   ///< over the time of the motion [s]; only to_html draws them
  std::vector<Shape<double>> drawn_only{};   ///< solids that touch nothing, such as limbs in place of meshes; to_html hatches them
  std::string failure{};                     ///< why the motion ends early, which to_html says; empty if it does not
};

namespace detail {

/// @throws ModelError if there is no frame, times, frames and contacts differ in number, a frame has not one pose per name, or a shape has
/// no body.
inline void require_consistent(const Film& film) {
  const auto refuse = [&](const std::string& why) { throw ModelError("film '" + film.title + "' " + why); };
  const Motion& motion = film.motion;
  const auto bodies = static_cast<BodyIndex>(film.body_names.size());
  if (motion.poses.empty() && motion.times.empty()) refuse("has no frames");
  if (motion.times.size() != motion.poses.size()) {
    refuse("has " + std::to_string(motion.times.size()) + " times but " + std::to_string(motion.poses.size()) + " frames");
  }
  if (!motion.contacts.empty() && motion.contacts.size() != motion.times.size()) {
    refuse("has " + std::to_string(motion.times.size()) + " frames but contacts of " + std::to_string(motion.contacts.size()));
  }
  for (const BodyArray<Pose<double>>& poses : motion.poses) {
    if (poses.size() != bodies)
      refuse("has a frame with " + std::to_string(poses.size()) + " poses, but " + std::to_string(bodies) + " body names");
  }
  for (const auto* shapes : {&film.shapes, &film.drawn_only}) {
    for (const Shape<double>& shape : *shapes) {
      if (shape.body >= 0 && shape.body < bodies) continue;
      refuse("has " + std::to_string(bodies) + " bodies, but shape '" + shape.name + "' is on body " + std::to_string(shape.body));
    }
  }
}

}  // namespace detail

/// Returns the film of a model's motion. The model's primitive shapes are its `shapes` if contact is enforced; `drawn_only` if not.
/// @throws ModelError if there is no frame, times and frames differ in number, or a frame has not one pose per body of the model.
template <Scalar S, class Joints>
Film film_of(const Model<S, Joints>& model, Motion motion, std::vector<Plot> plots = {}) {
  Film film{model.name(), {}, primitive_shapes(model), std::move(motion), std::move(plots)};
  film.drawn_only = limb_shapes(model, film.shapes);
  if (!model.enforced().contact) {
    const auto is_ground = [](const Shape<double>& shape) { return std::holds_alternative<HalfSpace>(shape.geometry); };
    const auto solids = std::stable_partition(film.shapes.begin(), film.shapes.end(), is_ground);
    film.drawn_only.insert(film.drawn_only.begin(), solids, film.shapes.end());
    film.shapes.erase(solids, film.shapes.end());
  }
  for (BodyIndex i = 0; i < model.num_bodies(); ++i) film.body_names.push_back(model.body_name(i));
  detail::require_consistent(film);
  return film;
}

}  // namespace actio
