// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Films for tests of writers.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "actio/dynamics/kinematics.hpp"
#include "actio/io/film.hpp"
#include "actio/model/samples/robots.hpp"

namespace actio::test {

/// One body with a box that falls for a given number of frames.
inline Film falling_box(int frames = 3) {
  Film film{"a box", {"world", "box"}, {{"box", 1, Pose<double>::identity(), Box<double>{{1, 2, 3}}}}, {}, {}};
  for (int k = 0; k < frames; ++k) {
    BodyArray<Pose<double>> poses(2, Pose<double>::identity());
    poses[1] = {so3::exp<double>(Vector3<double>(0.1 * k, 0.2, 0.3)), {0, 0, -0.5 * k * k}};
    film.motion.times.push_back(0.1 * k);
    film.motion.poses.push_back(poses);
  }
  return film;
}

inline Plot plot_of(const std::string& title, const std::vector<double>& x, const std::vector<double>& y) {
  return {title, "", "time", "s", title, "J", {{"one", x, y}}};
}

/// At least a given number of bodies of humanoids that wave for ten seconds at 60 frames a second, with curves of as many points.
inline Film waving_humanoids(int bodies, int curves) {
  const Model<double> model = models::humanoids(bodies);
  KinematicsData<double> data(model);
  Motion motion;
  const VectorX<double> neutral = rest_state(model).q;
  for (int frame = 0; frame <= 600; ++frame) {
    const double t = frame / 60.0;
    VectorX<double> x(model.nv());
    for (Eigen::Index k = 0; k < model.nv(); ++k) x[k] = 0.4 * std::sin((1 + 0.1 * static_cast<double>(k)) * t);
    forward_kinematics(model, data, model.integrate(neutral, x));
    motion.times.push_back(t);
    motion.poses.push_back(data.T_WB);
  }
  std::vector<Plot> plots;
  for (int k = 1; k <= curves; ++k) {
    std::vector<double> y;
    for (const double t : motion.times) y.push_back(std::sin(k * t));
    plots.push_back(plot_of("sin(" + std::to_string(k) + " t)", motion.times, y));
  }
  return film_of(model, std::move(motion), std::move(plots));
}

/// Names in a model file that could do harm in a page.
inline const std::string scripting_name = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>";

}  // namespace actio::test
