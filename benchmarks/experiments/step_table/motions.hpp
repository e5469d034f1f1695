// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "contestant.hpp"

namespace step_table {

struct Motion {
  std::string name;
  Model model;
  State start;
};

/// Chains of n links two seconds after their release at rest, by steps of 1 ms, as timed by Step/... in the benchmarks.
///  * revolute_chain and spherical_chain: from random q in +-pi/2;
///  * closed_chain: from a regular polygon.
std::vector<Motion> motions(int n);

}  // namespace step_table
