// SPDX-License-Identifier: BSD-3-Clause
// Includes all headers but compiles little: it shows already whether a build finds the library, Eigen and C++20.
#include <actio/actio.hpp>

#include <cstdio>

int main() {
  const actio::Pose<double> quarter{actio::so3::rotation<double>({0, 0, 1}, 1.5707963267948966), {1, 2, 3}};
  const actio::Vector3<double> moved = quarter * actio::Vector3<double>(1, 0, 0);
  std::printf("actio %d.%d.%d: %.9f %.9f %.9f\n", ACTIO_VERSION_MAJOR, ACTIO_VERSION_MINOR, ACTIO_VERSION_PATCH, moved[0], moved[1],
              moved[2]);
  return (moved - actio::Vector3<double>(1, 3, 3)).norm() < 1e-12 ? 0 : 1;
}
