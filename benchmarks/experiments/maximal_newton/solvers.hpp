// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The linear system of a Newton step in maximal coordinates, solved by blocks and dense; each is compiled in a separate .cpp file.
#include <memory>

#include "actio/model/model.hpp"

namespace maximal_newton {

using Model = actio::Model<double>;
using Vector = actio::VectorX<double>;

/// Repeats calls and returns the time of one [s].
class Solver {
 public:
  Solver() = default;
  virtual ~Solver() = default;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  virtual double assemble(int calls) = 0;            ///< the matrix
  virtual double assemble_and_solve(int calls) = 0;  ///< the matrix, its factors and one solve
  virtual double solve(int calls) = 0;               ///< one solve with existing factors
  virtual const Vector& solution() const = 0;        ///< for a right-hand side of ones
  virtual double num_blocks() const { return 1; }    ///< stored blocks, including fill-in
  virtual int fill() const { return 0; }             ///< pairs of nodes coupled by elimination only
};

/// @param model must outlive the solver, and is at q.
std::unique_ptr<Solver> blocks(const Model& model, const Vector& q);
std::unique_ptr<Solver> dense(const Model& model, const Vector& q);

}  // namespace maximal_newton
