// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A box in other representations: its corners, and a mesh of its sides.
#include "actio/contacts/fcl.hpp"

namespace actio::test {

inline ConvexPoints<double> corners_of(const Box<double>& box) {
  ConvexPoints<double> hull;
  for (int k = 0; k < 8; ++k) {
    hull.points.push_back(box.size.cwiseProduct(Vector3<double>(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5)));
  }
  return hull;
}
inline TriangleMesh mesh_of(const Box<double>& box) {
  return {corners_of(box).points, {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                   {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}}};
}

}  // namespace actio::test
