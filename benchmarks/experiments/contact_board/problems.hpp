// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Frictional contact problems of simulations, read from the text format of Siconos.
#include <Eigen/Core>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace contact_board {

struct Problem {
  std::string name;
  Eigen::MatrixXd W;  ///< symmetrised
  Eigen::VectorXd q, mu;

  Eigen::Index size() const { return mu.size() > 0 ? q.size() / mu.size() : 2; }  ///< rows of a contact
  double scale() const { return std::max(q.norm(), 1e-6); }
};

/// Reads a problem.  @throws std::runtime_error if the file is not one, or compressed by columns, which none of ours is.
Problem read_problem(const std::filesystem::path& file);

}  // namespace contact_board
