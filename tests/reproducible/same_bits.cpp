// SPDX-License-Identifier: BSD-3-Clause
// Prints a line for each scene with hashes of all bits of its states. Two builds with actio::reproducible print the same, whatever
// compilers, optimisation and processors they are for: .ci/reproducible compares them.  usage: same_bits [steps, 10000 by default]
#include <cstdlib>

#include "scenes.hpp"

int main(int count, char** arguments) {
  const long steps = count > 1 ? std::atol(arguments[1]) : 10000;
  bool succeeded = same_bits_program::variational_scenes(steps);
#ifdef SAME_BITS_ALL
  succeeded &= same_bits_program::compliant_scenes(steps);
  succeeded &= same_bits_program::contact_scenes(steps);
  succeeded &= same_bits_program::other_scenes(steps);
  succeeded &= same_bits_program::lanes_scenes(steps);
#endif
  return succeeded ? 0 : 1;
}
