// SPDX-License-Identifier: BSD-3-Clause
#include "support/rod_runs.hpp"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <locale>
#include <sstream>

#include "actio/integrators/reference/dense_loop_forces.hpp"
#include "actio/integrators/regularized_rods.hpp"
#include "actio/integrators/srm/loop_forces.hpp"
#include "support/cpu_time.hpp"

namespace experiments {
namespace {

using namespace actio;
using namespace actio::detail;

State<double> at_rest(const VectorX<double>& p) { return {p, VectorX<double>::Zero(p.size()), 0}; }

template <int d>
VectorX<double> forces_at_start(const models::PlacedRods<double, d>& rods, const RodSettings& settings) {
  const RodLoops<double, d> loops(rods.tree, {settings.a1, settings.a2});
  Waveform<RodLoops<double, d>, ForwardEuler, SchurForces<double>> march(loops, at_rest(rods.p), {loops.rows(), settings.alpha});
  (void)march.step({}, 1e-6);
  return march.loop_forces();
}

/// Calls `use` with the integrator that the settings require, at rest.
template <class Tableau, int d, class Use>
auto with_tableau(const models::PlacedRods<double, d>& rods, const RodSettings& settings, const Use& use) {
  const auto march = [&](const auto& tree, const auto& forces) {
    Waveform<std::decay_t<decltype(tree)>, Tableau, std::decay_t<decltype(forces)>> made(tree, at_rest(rods.p), forces);
    return use(made);
  };
  const RodLoops<double, d> loops(rods.tree, {settings.a1, settings.a2});
  SrmOptions<double> options{
      .iterations = settings.iterations, .epsilon = settings.epsilon, .alpha = settings.alpha, .weight = settings.weight};
  if (settings.matched) options.lambda_0 = forces_at_start(rods, settings);
  switch (settings.method) {
    case RodMethod::sequential: return march(loops, SequentialForces<double>(loops.rows(), options));
    case RodMethod::penalty: return march(loops, PenaltyForces<double>(loops.rows(), settings.epsilon));
    case RodMethod::schur: return march(loops, SchurForces<double>(loops.rows(), settings.alpha));
    case RodMethod::all_regularized: break;
  }
  const RegularizedRods<double, d> all(rods.tree);
  return march(all, SequentialForces<double>(all.rows(), options));
}
template <int d, class Use>
auto with_march(const models::PlacedRods<double, d>& rods, const RodSettings& settings, const Use& use) {
  if (settings.order == 1) return with_tableau<ForwardEuler>(rods, settings, use);
  if (settings.order == 4) return with_tableau<RungeKutta4>(rods, settings, use);
  return with_tableau<Midpoint>(rods, settings, use);
}

template <int d>
double loop_drift(const RodTree<double, d>& rods, const VectorX<double>& p) {
  double largest = 0;
  for (const auto& loop : rods.loops()) {
    largest = std::max(largest, (RodTree<double, d>::end_of(loop.a, p) - RodTree<double, d>::end_of(loop.b, p)).cwiseAbs().maxCoeff());
  }
  return largest;
}

}  // namespace

template <int d>
RodRun run_rods(const models::PlacedRods<double, d>& rods, const RodSettings& settings) {
  return with_march(rods, settings, [&](auto& march) {
    const auto steps = static_cast<std::size_t>(std::lround(settings.duration / settings.h));
    RodRun run;
    run.drift.resize(march.copies().size());
    const auto note = [&] {
      for (std::size_t k = 0; k < run.drift.size(); ++k) run.drift[k].push_back(loop_drift(rods.tree, march.copies()[k].q));
      run.tree_drift.push_back(largest_joint_gap(rods.tree, march.node().q));
      run.p.push_back(march.node().q);
    };
    note();
    for (std::size_t n = 0; n < steps; ++n) {
      if (!march.step({}, settings.h)) break;
      note();
    }
    for (const State<double>& copy : march.copies()) run.p_end.push_back(copy.q);
    run.complete = run.p.size() > steps;
    return run;
  });
}

template <int d>
double seconds_a_step(const models::PlacedRods<double, d>& rods, const RodSettings& settings, double spend) {
  return with_march(rods, settings, [&](auto& march) {
    double best = std::numeric_limits<double>::infinity();
    for (double spent = 0; spent < spend;) {
      march.reset(at_rest(rods.p));
      int steps = 0;
      const double begin = bench::cpu_seconds();
      double now = begin;
      while (steps < 20 && now - begin < 0.02) {  // slices, so that disturbances do not affect all
        if (!march.step({}, settings.h)) return std::numeric_limits<double>::quiet_NaN();
        ++steps;
        now = bench::cpu_seconds();
      }
      best = std::min(best, (now - begin) / steps);
      spent += now - begin;
    }
    return best;
  });
}

std::string svg(const std::vector<Drawing>& drawings, std::size_t in_a_row) {
  double left = 0, right = 0, low = 0, high = 0;
  for (const Drawing& drawing : drawings) {
    for (const auto& [x0, y0, x1, y1] : drawing.lines) {
      left = std::min({left, x0, x1}), right = std::max({right, x0, x1});
      low = std::min({low, y0, y1}), high = std::max({high, y0, y1});
    }
  }
  constexpr double size = 240, margin = 14, title = 18;
  const double scale = size / std::max({right - left, high - low, 1e-9});
  const double width = scale * (right - left) + 2 * margin, height = scale * (high - low) + 2 * margin + title;
  const std::size_t rows = (drawings.size() + in_a_row - 1) / in_a_row;
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << std::fixed << std::setprecision(1) << "<svg xmlns='http://www.w3.org/2000/svg' width='"
      << width * double(std::min(in_a_row, drawings.size())) << "' height='" << height * double(rows)
      << "' font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' fill='white'/>\n";
  for (std::size_t k = 0; k < drawings.size(); ++k) {
    out << "<g transform='translate(" << width * double(k % in_a_row) << ' ' << height * double(k / in_a_row) << ")'><text x='" << margin
        << "' y='" << title << "'>" << drawings[k].title << "</text><path stroke='#1f4e79' stroke-linecap='round' fill='none' d='";
    const auto at = [&](double x, double y) { out << margin + scale * (x - left) << ' ' << margin + title + scale * (high - y); };
    for (const auto& [x0, y0, x1, y1] : drawings[k].lines) {
      out << 'M';
      at(x0, y0);
      out << 'L';
      at(x1, y1);
    }
    out << "'/></g>\n";
  }
  out << "</svg>\n";
  return out.str();
}

template RodRun run_rods(const models::PlacedRods<double, 2>&, const RodSettings&);
template RodRun run_rods(const models::PlacedRods<double, 3>&, const RodSettings&);
template double seconds_a_step(const models::PlacedRods<double, 2>&, const RodSettings&, double);
template double seconds_a_step(const models::PlacedRods<double, 3>&, const RodSettings&, double);

}  // namespace experiments
