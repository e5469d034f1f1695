// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Simple convex shapes for a cloud of points: few corners of its hull with a bound of the error, a capsule and a box that contain it.
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "actio/model/shape.hpp"

namespace actio::detail {

using Points = std::vector<Vector3<double>>;

/// Returns the distance from p to the convex hull of some points, or up to 1e-6 of it more: the shortest vector of the hull minus p
/// is found in the hulls of up to four of the points.                       [Wolfe 1976, "Finding the nearest point in a polytope"]
inline double distance_to_hull(const Points& hull, const Vector3<double>& p) {
  std::array<Vector3<double>, 5> corner;
  std::array<double, 5> weight{1};
  std::size_t size = 1;
  corner[0] = hull[0] - p;
  Vector3<double> x = corner[0];
  const double scale = x.squaredNorm();
  for (int round = 0; round < 50; ++round) {
    const auto lowest = std::min_element(hull.begin(), hull.end(), [&](const auto& a, const auto& b) { return x.dot(a) < x.dot(b); });
    const Vector3<double> next = *lowest - p;
    if (x.dot(x - next) <= 1e-6 * x.squaredNorm() || x.squaredNorm() <= 1e-24 * scale) break;
    if (std::find(corner.begin(), corner.begin() + size, next) != corner.begin() + size) break;  // rounding
    const double before = x.norm();
    corner[size] = next;
    weight[size++] = 0;
    for (;;) {
      // The nearest point of the affine hull of the corners; if it is outside of their hull, a corner is dropped on the way to it.
      Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 4> edges(3, static_cast<Eigen::Index>(size) - 1);
      for (std::size_t k = 1; k < size; ++k) edges.col(static_cast<Eigen::Index>(k) - 1) = corner[k] - corner[0];
      std::array<double, 5> wanted{1};
      if (size > 1) {
        const VectorX<double> rest = edges.colPivHouseholderQr().solve(-corner[0]);
        for (std::size_t k = 1; k < size; ++k) wanted[0] -= wanted[k] = rest[static_cast<Eigen::Index>(k) - 1];
      }
      double part = 1;
      std::size_t dropped = size;
      for (std::size_t k = 0; k < size; ++k) {
        if (wanted[k] >= 0 || weight[k] / (weight[k] - wanted[k]) >= part) continue;
        part = weight[k] / (weight[k] - wanted[k]);
        dropped = k;
      }
      for (std::size_t k = 0; k < size; ++k) weight[k] += part * (wanted[k] - weight[k]);
      if (dropped == size) break;
      --size;
      std::swap(corner[dropped], corner[size]);
      std::swap(weight[dropped], weight[size]);
    }
    x.setZero();
    double sum = 0;
    for (std::size_t k = 0; k < size; ++k) x += weight[k] * corner[k], sum += weight[k];
    x /= sum;
    if (x.norm() >= before) break;  // rounding
  }
  return x.norm();
}

/// A hull of few points, and how far a point of the whole cloud may lie outside of it [m].
struct FewCorners {
  ConvexPoints<double> hull;
  double error = 0;
};

/// Returns at most `most` of the points, such that in each direction their hull reaches as far as that of all of them, up to the error.
/// The farthest point from the hull is added until all lie within `slack` of it, relative to the largest extent. Distances only decrease
/// as the hull grows, so that old ones are bounds and few are computed again.  @param points not empty.
inline FewCorners few_corners(const Points& points, std::size_t most = 32, double slack = 1e-3) {
  FewCorners found;
  Vector3<double> low = points[0], high = points[0];
  for (const Vector3<double>& x : points) low = low.cwiseMin(x), high = high.cwiseMax(x);
  const double enough = slack * (high - low).maxCoeff();
  const auto farthest = std::max_element(points.begin(), points.end(), [&](const auto& a, const auto& b) {
    return (a - (low + high) / 2).squaredNorm() < (b - (low + high) / 2).squaredNorm();
  });
  Points& corners = found.hull.points;
  corners.push_back(*farthest);
  using Bound = std::pair<double, std::size_t>;
  std::vector<Bound> bounds;
  bounds.reserve(points.size());
  for (std::size_t k = 0; k < points.size(); ++k) bounds.emplace_back((points[k] - corners[0]).norm(), k);
  std::priority_queue<Bound> far({}, std::move(bounds));
  while (!far.empty()) {
    const auto [bound, k] = far.top();
    far.pop();
    const double distance = std::min(bound, distance_to_hull(corners, points[k]));
    if (!far.empty() && distance < far.top().first) {
      if (distance > 0) far.emplace(distance, k);
      continue;
    }
    found.error = distance;
    if (distance <= enough || corners.size() >= most) break;
    corners.push_back(points[k]);
  }
  return found;
}

/// A shape and its pose in the frame of the points.
struct Fitted {
  Geometry<double> geometry;
  Pose<double> T = Pose<double>::identity();
};

/// Returns the axes along which shapes are fitted: those of the points' frame, and the principal axes of the corners of their hull.
inline std::array<Matrix3<double>, 2> fitting_axes(const Points& points) {
  const Points corners = few_corners(points).hull.points;
  Vector3<double> mean = Vector3<double>::Zero();
  for (const Vector3<double>& x : corners) mean += x / static_cast<double>(corners.size());
  Matrix3<double> spread = Matrix3<double>::Zero();
  for (const Vector3<double>& x : corners) spread += (x - mean) * (x - mean).transpose();
  Matrix3<double> axes = Eigen::SelfAdjointEigenSolver<Matrix3<double>>(spread).eigenvectors();
  if (axes.determinant() < 0) axes.col(0) = -axes.col(0);
  return {Matrix3<double>::Identity(), axes};
}

/// Returns the box with the smaller surface, of those along fitting_axes, that contains all points.  @param points not empty.
inline Fitted fit_box(const Points& points) {
  Fitted best;
  double least = std::numeric_limits<double>::infinity();
  for (const Matrix3<double>& R : fitting_axes(points)) {
    Vector3<double> low = R.transpose() * points[0], high = low;
    for (const Vector3<double>& x : points) low = low.cwiseMin(R.transpose() * x), high = high.cwiseMax(R.transpose() * x);
    const Vector3<double> size = high - low;
    const double surface = size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
    if (surface >= least) continue;
    least = surface;
    best = {Box<double>{size}, {R, R * (low + high) / 2}};
  }
  return best;
}

/// Returns the capsule with the least volume, of those along fitting_axes, that contains all points.  @param points not empty.
inline Fitted fit_capsule(const Points& points) {
  Fitted best;
  double least = std::numeric_limits<double>::infinity();
  for (const Matrix3<double>& axes : fitting_axes(points)) {
    for (int axis = 0; axis < 3; ++axis) {
      Matrix3<double> R;
      R << axes.col((axis + 1) % 3), axes.col((axis + 2) % 3), axes.col(axis);
      Vector3<double> low = R.transpose() * points[0], high = low;
      for (const Vector3<double>& x : points) low = low.cwiseMin(R.transpose() * x), high = high.cwiseMax(R.transpose() * x);
      const Vector3<double> middle = (low + high) / 2;
      double square = 0;
      for (const Vector3<double>& x : points) square = std::max(square, (R.transpose() * x - middle).head<2>().squaredNorm());
      double lower = high[2], upper = low[2];  // centres of the caps, so that each point is within the radius of the line between them
      for (const Vector3<double>& x : points) {
        const Vector3<double> y = R.transpose() * x - middle;
        const double reach = std::sqrt(std::max(0.0, square - y.head<2>().squaredNorm()));
        lower = std::min(lower, middle[2] + y[2] + reach);
        upper = std::max(upper, middle[2] + y[2] - reach);
      }
      const double radius = std::sqrt(square), length = std::max(0.0, upper - lower), volume = square * (length + 4 * radius / 3);
      if (volume >= least) continue;
      least = volume;
      best = {Capsule<double>{radius, length}, {R, R * Vector3<double>(middle[0], middle[1], (lower + upper) / 2)}};
    }
  }
  return best;
}

}  // namespace actio::detail
