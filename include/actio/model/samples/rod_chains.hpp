// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Chains of squares and nets of equal rods of 1 m and 1 kg, as trees of rods with loops.   [Ascher and Lin 1999, ex. 4.1 and 4.2]
#include <cmath>
#include <utility>
#include <vector>

#include "actio/model/rods.hpp"

namespace actio::models {

/// Rods of 1 m and 1 kg with their initial coordinates.
template <Scalar S, int d>
struct PlacedRods {
  RodTree<S, d> tree;  ///< rods and loops
  VectorX<S> p;        ///< (tree.size()) ends and vectors of the rods [m], all joints closed
};

namespace detail {

template <Scalar S>
S plain(double x) {
  return S(static_cast<ValueOf<S>>(x));
}

/// Rods in the plane that are added with their directions; those without a parent begin at the origin.
template <Scalar S>
struct PlaneRods {
  using Point = Vector2<S>;
  RodTree<S, 2> tree{S(1), S(1), Point(S(0), plain<S>(-9.8))};
  std::vector<Point> r;
  BodyIndex add(BodyIndex parent, const Point& direction) {
    r.push_back(direction);
    return parent > 0 ? tree.add_rod(parent) : tree.add_rod(Point(Point::Zero()));
  }
  PlacedRods<S, 2> placed() && {
    VectorX<S> p = tree.placed(r);
    return {std::move(tree), std::move(p)};
  }
};

}  // namespace detail

/// Returns n squares in the plane, of which neighbours share a corner: 4 n rods, n loops. From the entry t of each square, a goes along x
/// from t, b down from a, c down from t, and e along x from c; e ends where b does, and there the next square begins. Gravity is 9.8 m/s^2
/// along -y.
///                                                                                                         [srm_math.md, section 4.1]
template <Scalar S = double>
PlacedRods<S, 2> corner_joined_squares(int n) {
  detail::PlaneRods<S> rods;
  const Vector2<S> along = Vector2<S>::UnitX(), down = -Vector2<S>::UnitY();
  BodyIndex entry = 0;
  for (int k = 0; k < n; ++k) {
    const BodyIndex a = rods.add(entry, along), b = rods.add(a, down), c = rods.add(entry, down), e = rods.add(c, along);
    rods.tree.add_loop(e, b);
    entry = b;
  }
  return std::move(rods).placed();
}

/// Returns n squares in a row, of which neighbours share an edge, a ladder on its side: 3 n + 1 rods, n loops. The first rod goes down;
/// then each square has one along the top, one down from it, and one along the bottom, which ends where the second does. Gravity is
/// 9.8 m/s^2 along -y.                                                                                         [srm_math.md, section 4.1]
template <Scalar S = double>
PlacedRods<S, 2> edge_sharing_squares(int n) {
  detail::PlaneRods<S> rods;
  const Vector2<S> along = Vector2<S>::UnitX(), down = -Vector2<S>::UnitY();
  BodyIndex top = 0, bottom = rods.add(0, down);
  for (int k = 0; k < n; ++k) {
    top = rods.add(top, along);
    const BodyIndex edge = rods.add(top, down), c = rods.add(bottom, along);
    rods.tree.add_loop(c, edge);
    bottom = edge;
  }
  return std::move(rods).placed();
}

/// Returns a net of width by height meshes that hangs in a breeze from width + 1 fixed knots: threads of rods, and between neighbouring
/// threads rods that begin on one and end on the other. (2 width + 1) height rods, width height loops. It leans by pi/6 about x; the
/// breeze pulls along y by 2 m/s^2, gravity along -z by 9.8 m/s^2.                                                       [srm_math.md, 4.2]
template <Scalar S = double>
PlacedRods<S, 3> rod_net(int width, int height) {
  using Point = Vector3<S>;
  RodTree<S, 3> tree(S(1), S(1), Point(S(0), S(2), detail::plain<S>(-9.8)));
  const Point down(S(0), detail::plain<S>(0.5), detail::plain<S>(-std::sqrt(0.75)));
  std::vector<Point> r;
  const auto knot = [height](int thread, int i) { return BodyIndex(thread) * height + i + 1; };  // the rod that ends at it
  for (int thread = 0; thread <= width; ++thread) {
    for (int i = 0; i < height; ++i) {
      if (i == 0) tree.add_rod(Point(S(static_cast<ValueOf<S>>(thread)), S(0), S(0)));
      else tree.add_rod(knot(thread, i - 1));
      r.push_back(down);
    }
  }
  for (int i = 0; i < height; ++i) {
    for (int thread = 0; thread < width; ++thread) {
      tree.add_loop(tree.add_rod(knot(thread, i)), knot(thread + 1, i));
      r.push_back(Point::UnitX());
    }
  }
  VectorX<S> p = tree.placed(r);
  return {std::move(tree), std::move(p)};
}

}  // namespace actio::models
