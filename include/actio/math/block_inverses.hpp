// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Inverses of the diagonal blocks of a matrix: metrics and preconditioners for groups of rows, such as those of a loop or a contact.
#include <array>
#include <cstddef>
#include <vector>

#include "actio/math/invert.hpp"

namespace actio::detail {

/// A block-diagonal matrix whose blocks, of at most 6 x 6, are set as inverses. Only the constructor allocates.
template <Scalar S>
class BlockInverses {
 public:
  /// @param blocks largest number of blocks; all are empty.
  explicit BlockInverses(std::size_t blocks) : blocks_(blocks) {}

  /// Sets block k to the inverse of A.  @param first row of the block.  @param A (size x size).  @returns false if A is singular.
  template <class Matrix>
  bool set(std::size_t k, Eigen::Index first, Eigen::Index size, const Matrix& A) noexcept {
    Block& block = blocks_[k];
    block.first = first;
    block.size = size;
    for (Eigen::Index c = 0; c < size; ++c) {
      for (Eigen::Index r = 0; r < size; ++r) block.entries[static_cast<std::size_t>(r + size * c)] = A(r, c);
    }
    std::array<int, 6> row;
    return invert_in_place(block.entries.data(), static_cast<int>(size), row.data());
  }
  /// Computes the rows of out = B x of the first blocks.  @param x, out (rows), which may be the same.
  template <class X, class Out>
  void multiply(const X& x, Out&& out, std::size_t blocks) const noexcept {
    for (std::size_t k = 0; k < blocks; ++k) {
      const Block& block = blocks_[k];
      std::array<S, 6> sum{};
      for (Eigen::Index c = 0; c < block.size; ++c) {
        for (Eigen::Index r = 0; r < block.size; ++r) {
          sum[static_cast<std::size_t>(r)] += block.entries[static_cast<std::size_t>(r + block.size * c)] * x[block.first + c];
        }
      }
      for (Eigen::Index r = 0; r < block.size; ++r) out[block.first + r] = sum[static_cast<std::size_t>(r)];
    }
  }
  /// The same for all blocks.
  template <class X, class Out>
  void multiply(const X& x, Out&& out) const noexcept { multiply(x, out, blocks_.size()); }

 private:
  struct Block {
    Eigen::Index first = 0, size = 0;
    std::array<S, 36> entries{};  // columns of length `size`
  };
  std::vector<Block> blocks_;
};

}  // namespace actio::detail
