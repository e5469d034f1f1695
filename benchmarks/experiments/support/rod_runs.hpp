// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs of trees of rods, from rest, by sequential regularisation and by methods for comparison; and pictures of them.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "actio/integrators/srm/loop_forces.hpp"
#include "actio/model/samples/rod_chains.hpp"

namespace experiments {

enum class RodMethod {
  sequential,       ///< loops regularised                                        [Ascher and Lin 1999, (3.6), (3.12)]
  all_regularized,  ///< the tree's constraints, too                              [Ascher and Lin 1999, (3.10)]
  penalty,          ///< loops are springs                                        [Ascher and Lin 1999, (3.4)]
  schur,            ///< loops solved for at acceleration level, a dense matrix
};

struct RodSettings {
  RodMethod method = RodMethod::sequential;
  int iterations = 3;
  double epsilon = 2.5e-3;  ///< [s]; for penalty [s^2]
  double alpha = 10;        ///< [1/s]
  double a1 = 10, a2 = 10;  ///< of the tree's joints [1/s]
  double h = 5e-3;          ///< [s]
  double duration = 0.5;    ///< [s]
  int order = 2;            ///< 1: forward Euler, 2: midpoint, 4: classical Runge-Kutta
  bool matched = false;     ///< lambda_0 is that of the start, instead of zero
  actio::RowWeight weight = actio::RowWeight::bodies;  ///< E of sequential and all_regularized
};

struct RodRun {
  std::vector<std::vector<double>> drift;        ///< of each iterate, at the nodes from the start on: largest component of a gap [m]
  std::vector<double> tree_drift;                ///< of the last iterate, as largest_joint_gap
  std::vector<actio::VectorX<double>> p;         ///< of the last iterate at the nodes
  std::vector<actio::VectorX<double>> p_end;     ///< of each iterate at the end
  bool complete = false;

  double largest_drift(std::size_t iterate, double until = INFINITY, double h = 1) const {
    double largest = 0;
    for (std::size_t n = 0; n < drift[iterate].size() && static_cast<double>(n) * h < until + h / 2; ++n) {
      largest = std::fmax(largest, drift[iterate][n]);
    }
    return largest;
  }
};

/// @tparam d 2 or 3.
template <int d>
RodRun run_rods(const actio::models::PlacedRods<double, d>& rods, const RodSettings& settings);

/// Returns the processor time of a step shortly after the start [s]; the fastest of several slices.  @param spend about how long [s].
template <int d>
double seconds_a_step(const actio::models::PlacedRods<double, d>& rods, const RodSettings& settings, double spend);

/// Lines of one picture, in metres, and its title.
struct Drawing {
  std::string title;
  std::vector<std::array<double, 4>> lines;  ///< from x, y to x, y
};

/// Draws the rods in a plane.  @param project (end of a rod) -> x, y.
template <int d, class Project>
Drawing draw(const std::string& title, const actio::RodTree<double, d>& rods, const actio::VectorX<double>& p, const Project& project) {
  Drawing drawing{title, {}};
  for (actio::BodyIndex j = 1; j <= rods.num_rods(); ++j) {
    const typename actio::RodTree<double, d>::Point end = rods.end_of(j, p), begin = end - rods.vector_of(j, p);
    const auto [x0, y0] = project(begin);
    const auto [x1, y1] = project(end);
    drawing.lines.push_back({x0, y0, x1, y1});
  }
  return drawing;
}

/// Returns the SVG of drawings to one scale, in_a_row of them in a row.
std::string svg(const std::vector<Drawing>& drawings, std::size_t in_a_row);

}  // namespace experiments
