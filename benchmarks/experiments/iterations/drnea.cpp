// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/root/newton.hpp"
#include "actio/solvers/root/quasi_newton.hpp"
#include "count.hpp"

using namespace actio;

iterations::Count iterations::newton(const Model& model, const State& start, int frames) { return as_ours<Newton>(model, start, frames); }
iterations::Count iterations::simplified_newton(const Model& model, const State& start, int frames) {
  return as_ours<SimplifiedNewton>(model, start, frames);
}
iterations::Count iterations::broyden(const Model& model, const State& start, int frames) { return as_ours<Broyden>(model, start, frames); }
iterations::Count iterations::anderson(const Model& model, const State& start, int frames) {
  return as_ours<Anderson>(model, start, frames);
}
iterations::Count iterations::riqn(const Model& model, const State& start, int frames) { return as_ours<Riqn>(model, start, frames); }
iterations::Count iterations::our_default(const Model& model, const State& start, int frames) {
  return as_ours<Automatic>(model, start, frames);
}
