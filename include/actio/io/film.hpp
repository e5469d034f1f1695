// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "actio/core/error.hpp"
#include "actio/io/drawn_shapes.hpp"
#include "actio/io/plot.hpp"
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

/// The film of a model that moved.
/// @throws ModelError where the motion has no frame, or frames of other than the model's bodies.
template <Scalar S, class Joints>
Film film_of(const Model<S, Joints>& model, Motion motion, std::vector<Plot> plots = {}) {
  if (motion.times.empty()) throw ModelError("film_of: the motion of model '" + model.name() + "' has no frame");
  for (const BodyArray<Pose<double>>& poses : motion.poses) {
    if (poses.size() == model.num_bodies()) continue;
    throw ModelError("film_of: a frame has " + std::to_string(poses.size()) + " bodies, model '" + model.name() + "' has " + std::to_string(model.num_bodies()));
  }
  Film film{model.name(), {}, drawn_shapes(model), std::move(motion), std::move(plots)};
  for (BodyIndex i = 0; i < model.num_bodies(); ++i) film.body_names.push_back(model.body_name(i));
  return film;
}

}  // namespace actio
