// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "actio/core/error.hpp"
#include "actio/io/drawing/drawn_shapes.hpp"
#include "actio/io/drawing/plot.hpp"
#include "actio/simulation/motion_recorder.hpp"

namespace actio {

/// A motion that can be looked at: what to_glb and to_html write. A plain value; add shapes, grounds or plots as you like.
struct Film {
  std::string title;                         ///< the name of the model
  std::vector<std::string> body_names;       ///< body 0, the world, included
  std::vector<Shape<double>> shapes;         ///< drawn_shapes of the model, on the bodies whose poses `motion` has
  Motion motion;                             ///< poses of the bodies, frame by frame
  std::vector<Plot> plots;                   ///< over the time of the motion [s]; drawn by to_html
};

namespace detail {

/// @throws ModelError where a film has no frame, not a time for each, frames of other bodies than it names, or shapes on none of them.
inline void require_consistent(const Film& film) {
  const auto refuse = [&](const std::string& why) { throw ModelError("film '" + film.title + "' " + why); };
  const Motion& motion = film.motion;
  const auto bodies = static_cast<BodyIndex>(film.body_names.size());
  if (motion.poses.empty() && motion.times.empty()) refuse("has no frame");
  if (motion.times.size() != motion.poses.size()) {
    refuse("has " + std::to_string(motion.times.size()) + " times and " + std::to_string(motion.poses.size()) + " frames");
  }
  for (const BodyArray<Pose<double>>& poses : motion.poses) {
    if (poses.size() != bodies) refuse("has a frame of " + std::to_string(poses.size()) + " bodies, and " + std::to_string(bodies) + " names");
  }
  for (const Shape<double>& shape : film.shapes) {
    if (shape.body < 0 || shape.body >= bodies) refuse("has " + std::to_string(bodies) + " bodies, shape '" + shape.name + "' is on body " + std::to_string(shape.body));
  }
}

}  // namespace detail

/// The film of a model that moved.
/// @throws ModelError where the motion has no frame, not a time for each, or frames of other than the model's bodies.
template <Scalar S, class Joints>
Film film_of(const Model<S, Joints>& model, Motion motion, std::vector<Plot> plots = {}) {
  Film film{model.name(), {}, drawn_shapes(model), std::move(motion), std::move(plots)};
  for (BodyIndex i = 0; i < model.num_bodies(); ++i) film.body_names.push_back(model.body_name(i));
  detail::require_consistent(film);
  return film;
}

}  // namespace actio
