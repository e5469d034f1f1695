// SPDX-License-Identifier: BSD-3-Clause
#include "absolute.hpp"
#include "actio/dynamics/svi/residual.hpp"
#include "actio/solvers/reference/dense_roots.hpp"
#include "count.hpp"

using namespace actio;

iterations::Count iterations::svi_newton(const Model& model, const State& start, int frames) {
  return as_released<Svi, DenseNewton>(model, start, frames);
}
iterations::Count iterations::svi_broyden(const Model& model, const State& start, int frames) {
  return as_released<Svi, DenseBroyden>(model, start, frames);
}
iterations::Count iterations::svi_riqn(const Model& model, const State& start, int frames) {
  return as_released<Svi, Riqn>(model, start, frames);
}
iterations::Count iterations::svi_newton_absolute(const Model& model, const State& start, int frames) {
  return as_released<Svi, Absolute<true>>(model, start, frames);
}
iterations::Count iterations::svi_riqn_absolute(const Model& model, const State& start, int frames) {
  return as_released<Svi, Absolute<false>>(model, start, frames);
}
