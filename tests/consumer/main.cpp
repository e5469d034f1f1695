// SPDX-License-Identifier: BSD-3-Clause
// A user's program, as small as it gets: built in each of the ways the library can be taken.
#include <actio/core/types.hpp>
#include <actio/version.hpp>

#include <cstdio>

int main() {
  const actio::Vector3<double> gravity(0, 0, -9.81);
  std::printf("actio %d.%d.%d, |g| = %g\n", ACTIO_VERSION_MAJOR, ACTIO_VERSION_MINOR, ACTIO_VERSION_PATCH, gravity.norm());
}
