// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Properties of the contact points of two convex shapes, checked with only the shapes' extents and their surfaces.
#include <algorithm>
#include <cmath>
#include <set>

#include "actio/contacts/pairs/points.hpp"
#include "actio/math/so3.hpp"
#include "actio/model/shape.hpp"
#include "support/catch.hpp"
#include "support/cone_problems.hpp"

namespace actio::test {

inline Pose<double> random_pose(Random& random, double reach) {
  const Eigen::Vector3d w = random.matrix(3, 1, 3);
  return {so3::exp<double>(w), random.matrix(3, 1, reach)};
}

/// Random sizes from 0.1 to 2. In braces they are drawn in the order in which they are written, with every compiler.
template <class G>
G random_shape(Random& random) {
  if constexpr (std::same_as<G, Sphere<double>>) return {random(0.1, 1)};
  else if constexpr (std::same_as<G, Capsule<double>>) return {random(0.1, 0.5), random(0.1, 2)};
  else return {Eigen::Vector3d{random(0.1, 2), random(0.1, 2), random(0.1, 2)}};
}

/// Returns the extent of a shape along a direction, in the shape's frame.
inline double reach(const Sphere<double>& s, const Eigen::Vector3d&) { return s.radius; }
inline double reach(const Capsule<double>& c, const Eigen::Vector3d& n) { return c.radius + c.length / 2 * std::abs(n[2]); }
inline double reach(const Box<double>& b, const Eigen::Vector3d& n) { return n.cwiseAbs().dot(b.size) / 2; }

/// Returns the signed distance of a point from the surface, in the shape's frame.
inline double distance_from(const Sphere<double>& s, const Eigen::Vector3d& x) { return x.norm() - s.radius; }
inline double distance_from(const Capsule<double>& c, const Eigen::Vector3d& x) {
  const double over = std::max(0., std::abs(x[2]) - c.length / 2);
  return std::hypot(x[0], x[1], over) - c.radius;
}
inline double distance_from(const Box<double>& b, const Eigen::Vector3d& x) {
  const Eigen::Vector3d q = x.cwiseAbs() - b.size / 2;
  return q.cwiseMax(0).norm() + std::min(0., q.maxCoeff());
}

template <class A, class B>
struct Pair {
  A a;
  Pose<double> T_WA;
  B b;
  Pose<double> T_WB;

  detail::PairPoints<double> points(double margin = 100) const {
    detail::PairPoints<double> found;
    find_points(a, T_WA, b, T_WB, margin, found);
    return found;
  }
  /// Returns the separation of the shapes along n. Its maximum over n is their signed distance.
  double apart(const Eigen::Vector3d& n) const {
    return n.dot(T_WB.p - T_WA.p) - reach(a, T_WA.R.transpose() * n) - reach(b, T_WB.R.transpose() * n);
  }
  Pair moved(const Pose<double>& T) const { return {a, T * T_WA, b, T * T_WB}; }
  Pair<B, A> swapped() const { return {b, T_WB, a, T_WA}; }
};

inline detail::PairPoint<double> deepest(const detail::PairPoints<double>& found) {
  return *std::min_element(found.points().begin(), found.points().end(), [](const auto& x, const auto& y) { return x.gap < y.gap; });
}

/// Returns the largest value of pair.apart found by sampling.
template <class A, class B>
double largest_apart(const Pair<A, B>& pair, Random& random, int samples) {
  struct Try {
    double apart;
    Eigen::Vector3d n;
  };
  std::vector<Try> tries;
  for (int k = 0; k < samples; ++k) {
    const Eigen::Vector3d n = Eigen::Vector3d(random.matrix(3, 1)).normalized();
    tries.push_back({pair.apart(n), n});
  }
  const int best = std::min(samples, 8);
  std::partial_sort(tries.begin(), tries.begin() + best, tries.end(), [](const Try& x, const Try& y) { return x.apart > y.apart; });
  double largest = tries[0].apart;
  for (int k = 0; k < best; ++k) {
    Try& at = tries[static_cast<std::size_t>(k)];
    for (double step = 0.1; step > 1e-7; step *= 0.8) {
      for (int trial = 0; trial < 6; ++trial) {
        const Eigen::Vector3d n = (at.n + Eigen::Vector3d(random.matrix(3, 1, step))).normalized();
        if (const double apart = pair.apart(n); apart > at.apart) at = {apart, n};
      }
    }
    largest = std::max(largest, at.apart);
  }
  return largest;
}

/// @param tilt allowed relative error of the gap.  @returns whether the gap is exact.
template <class A, class B>
bool check_points(const Pair<A, B>& pair, Random& random, double tilt = 0) {
  const detail::PairPoints<double> found = pair.points();
  REQUIRE(!found.points().empty());
  // The least gap is the signed distance: no direction separates the shapes more, and they are that far apart along the normal.
  const detail::PairPoint<double> least = deepest(found);
  const double largest = largest_apart(pair, random, 300), off = 1e-9 + tilt * std::abs(least.gap);
  CHECK(largest <= least.gap + off);
  const bool is_exact = std::abs(pair.apart(least.normal) - least.gap) < 1e-9;
  if (!is_exact) {
    CHECK(tilt > 0);
    CHECK(std::abs(largest_apart(pair, random, 8000) - least.gap) <= off + 1e-4);
  }
  std::set<std::uint32_t> features;
  for (const detail::PairPoint<double>& point : found.points()) {
    CAPTURE(point.feature, point.gap, point.normal.transpose());
    CHECK(std::abs(point.normal.norm() - 1) < 1e-12);
    // On both surfaces; balls along a capsule that is not level may be below its surface.
    const double on_a = distance_from(pair.a, pair.T_WA.inverse() * Eigen::Vector3d(point.p - point.gap / 2 * point.normal));
    const double on_b = distance_from(pair.b, pair.T_WB.inverse() * Eigen::Vector3d(point.p + point.gap / 2 * point.normal));
    const bool is_least = point.feature == least.feature;
    CHECK((on_a < 1e-6 && (on_a > -1e-6 || (!is_least && std::same_as<A, Capsule<double>>))));
    CHECK((on_b < 1e-6 && (on_b > -1e-6 || (!is_least && std::same_as<B, Capsule<double>>))));
    CHECK((point.feature < 1024 && features.insert(point.feature).second));
    if (!is_exact && point.gap < 0) continue;
    const double margin = point.gap + 1e-9;
    const auto within = std::count_if(found.points().begin(), found.points().end(), [&](const auto& x) { return x.gap <= margin; });
    CHECK(static_cast<std::ptrdiff_t>(pair.points(margin).points().size()) == within);
  }
  CHECK(pair.points(least.gap - 1e-9 - off).points().empty());
  return is_exact;
}

/// Checks that the points are the same in any order, moved by T; if sign is -1, `theirs` are the points of b and a.
inline void check_same(const detail::PairPoints<double>& ours, const detail::PairPoints<double>& theirs, const Pose<double>& T,
                       double sign) {
  REQUIRE(ours.points().size() == theirs.points().size());
  for (const detail::PairPoint<double>& x : ours.points()) {
    CHECK(std::count_if(theirs.points().begin(), theirs.points().end(), [&](const detail::PairPoint<double>& y) {
            return (T * x.p - y.p).norm() < 1e-6 && (T.R * x.normal - sign * y.normal).norm() < 1e-6 && std::abs(x.gap - y.gap) < 1e-9 &&
                   x.feature == (sign < 0 ? 32 * (y.feature % 32) + y.feature / 32 : y.feature);
          }) == 1);
  }
}

/// Checks that d gap / dt of the deepest point is the velocity of b relative to a along the normal, while the features stay the same.
template <class A, class B>
void check_rate(const Pair<A, B>& pair, Random& random, double tolerance) {
  const Eigen::VectorXd V_a = random.matrix(6, 1), V_b = random.matrix(6, 1);  // in the world frame, about its origin
  const auto moved = [&](double t) {
    const auto motion = [&](const Eigen::VectorXd& V, const Pose<double>& T) {
      const Pose<double> turn{so3::exp<double>(Eigen::Vector3d(t * V.head<3>())), t * V.tail<3>()};
      return turn * T;
    };
    return Pair<A, B>{pair.a, motion(V_a, pair.T_WA), pair.b, motion(V_b, pair.T_WB)};
  };
  const detail::PairPoint<double> now = deepest(pair.points());
  const auto gap = [&](double t) {
    for (const detail::PairPoint<double>& point : moved(t).points().points()) {
      if (point.feature == now.feature && (point.normal - now.normal).norm() < 1e-3) return point.gap;
    }
    return std::numeric_limits<double>::quiet_NaN();  // different features
  };
  const double h = 1e-5, rate = (gap(h) - gap(-h)) / (2 * h);
  const Eigen::VectorXd V = V_b - V_a;
  const Eigen::Vector3d velocity = V.tail<3>() + Eigen::Vector3d(V.head<3>()).cross(now.p);
  if (std::isfinite(rate)) CHECK(std::abs(rate - now.normal.dot(velocity)) < tolerance);
}

}  // namespace actio::test
