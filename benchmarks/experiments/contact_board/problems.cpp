// SPDX-License-Identifier: BSD-3-Clause
#include "problems.hpp"

#include <fstream>
#include <stdexcept>

contact_board::Problem contact_board::read_problem(const std::filesystem::path& file) {
  std::ifstream in(file);
  Eigen::Index size = 0, contacts = 0, n = 0, skipped = 0, blocks = 0;
  int storage = -1;
  in >> size >> contacts >> storage;
  if (!in || size < 2 || size > 3 || contacts < 1 || contacts > 10000 || storage < 0 || storage > 1)
    throw std::runtime_error(file.string() + ": expected the dimension 2 or 3, a number of contacts and storage 0 or 1");
  const Eigen::Index m = size * contacts;
  Problem problem{file.stem().string(), Eigen::MatrixXd::Zero(m, m), Eigen::VectorXd(m), Eigen::VectorXd(contacts)};
  Eigen::MatrixXd& W = problem.W;
  in >> n >> skipped;
  if (n != m) throw std::runtime_error(file.string() + ": the matrix has another size than the contacts");
  if (storage == 0) {
    in >> n >> skipped;
    for (Eigen::Index k = 0; k < m * m; ++k) in >> W.data()[k];
  } else {
    in >> blocks >> n >> skipped;
    for (Eigen::Index k = 0, limit; k < 2 * contacts; ++k) in >> limit;
    Eigen::Index starts = 0;
    in >> starts >> n;
    if (!in || starts < 1 || starts > contacts + 1 || n < blocks) throw std::runtime_error(file.string() + ": wrong numbers of blocks");
    std::vector<Eigen::Index> first(static_cast<std::size_t>(starts)), column(static_cast<std::size_t>(n));
    for (Eigen::Index& k : first) in >> k;
    for (Eigen::Index& k : column) in >> k;
    for (Eigen::Index k = 0, row = 0; in && k < blocks; ++k) {
      while (row + 1 < starts && first[static_cast<std::size_t>(row + 1)] <= k) ++row;
      const Eigen::Index at = size * column[static_cast<std::size_t>(k)];
      if (row >= contacts || at < 0 || at >= m) throw std::runtime_error(file.string() + ": a block lies outside the matrix");
      in >> skipped;
      for (Eigen::Index c = 0; c < size; ++c) {
        for (Eigen::Index r = 0; r < size; ++r) in >> W(size * row + r, at + c);
      }
    }
  }
  for (double& x : problem.q) in >> x;
  for (double& x : problem.mu) in >> x;
  if (!in) throw std::runtime_error(file.string() + ": the file ends early, or something in it is not a number");
  W = ((W + W.transpose()) / 2).eval();
  return problem;
}
