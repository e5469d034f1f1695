// SPDX-License-Identifier: BSD-3-Clause
#include <Eigen/LU>

#include <algorithm>

#include "box.hpp"

namespace compliant_foundation {

Coordinates rest(const Box& box) {
  // q is scaled by the depth under the weight alone, so that all entries are of order one
  const double depth = box.depth(), arm = Box::side / 2;
  Eigen::Vector3d x(-1, 0, 0);
  for (int k = 0; k < 100; ++k) {
    Eigen::Vector3d balance = Eigen::Vector3d(-box.weight(), -box.load * arm, box.load * arm);
    Eigen::Matrix3d slope = Eigen::Matrix3d::Zero();
    for (int j = 0; j < box.edge; ++j) {
      for (int i = 0; i < box.edge; ++i) {
        const Eigen::Vector3d row(1, box.center(j), -box.center(i));
        const double gap = row.dot(x) * depth;
        if (gap >= 0) continue;
        balance -= box.stiffness() * gap * row;
        slope += box.stiffness() * depth * row * row.transpose();
      }
    }
    x += slope.inverse() * balance;
  }
  return (Coordinates() << 0, 0, depth * x[0], depth * x[1] / 2, depth * x[2] / 2, 0, 1).finished();
}

std::vector<double> pressure_at(const Box& box, const Coordinates& q) {
  std::vector<double> pressure;
  for (int j = 0; j < box.edge; ++j) {
    for (int i = 0; i < box.edge; ++i) {
      pressure.push_back(box.young / Box::thickness * std::max(0.0, -(q[2] + 2 * (box.center(j) * q[3] - box.center(i) * q[4]))));
    }
  }
  return pressure;
}

}  // namespace compliant_foundation
