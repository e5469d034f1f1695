// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Support corners: for each convex shape a set of points, the farthest of which along a direction is exactly as far as the shape.
#include <vector>

#include "actio/contacts/plane.hpp"

namespace actio::detail {

template <Scalar S>
using Corners = std::vector<Vector3<S>>;

// Each function fills x with corners in the world.  @param n unit, the direction along which the farthest one is exact.
template <Scalar S>
void support_corners(const Sphere<S>& sphere, const Pose<S>& T, const Vector3<S>& n, Corners<S>& x) {
  x = {T.p + sphere.radius * n};
}
template <Scalar S>
void support_corners(const Capsule<S>& capsule, const Pose<S>& T, const Vector3<S>& n, Corners<S>& x) {
  const Vector3<S> end = T.R.col(2) * (capsule.length / S(2)), out = capsule.radius * n;
  x = {T.p - end + out, T.p + end + out};
}
template <Scalar S>
void support_corners(const Box<S>& box, const Pose<S>& T, const Vector3<S>&, Corners<S>& x) {
  x.clear();
  for (int k = 0; k < 8; ++k) {
    x.push_back(T * Vector3<S>(box.size.cwiseProduct(Vector3<S>(S(k & 1 ? 0.5 : -0.5), S(k & 2 ? 0.5 : -0.5), S(k & 4 ? 0.5 : -0.5)))));
  }
}
/// Eight corners on each rim, the first at its farthest point.
template <Scalar S>
void support_corners(const Cylinder<S>& cylinder, const Pose<S>& T, const Vector3<S>& n, Corners<S>& x) {
  const Vector3<S> axis = T.R.col(2), in_disc = n - axis * axis.dot(n);
  const S slope = in_disc.norm();
  const Vector3<S> far = slope > S(1e-9F) ? Vector3<S>(in_disc / slope) : Vector3<S>(T.R.col(0)), side = axis.cross(far);
  const S diagonal = std::sqrt(S(0.5));
  x.clear();
  for (const S end : {S(-0.5), S(0.5)}) {
    const Vector3<S> center = T.p + axis * (end * cylinder.length);
    for (const Vector3<S>& out : {far, Vector3<S>(diagonal * (far + side)), side, Vector3<S>(diagonal * (side - far))}) {
      x.push_back(center + cylinder.radius * out);
      x.push_back(center - cylinder.radius * out);
    }
  }
}
template <Scalar S>
void support_corners(const ConvexPoints<S>& hull, const Pose<S>& T, const Vector3<S>&, Corners<S>& x) {
  x.clear();
  for (const Vector3<S>& point : hull.points) x.push_back(T * point);
}

}  // namespace actio::detail
