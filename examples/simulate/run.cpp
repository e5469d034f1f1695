// SPDX-License-Identifier: BSD-3-Clause
#include "run.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "actio/model/describe.hpp"

namespace simulate {

using actio::BodyIndex;
using actio::detail::counted;

bool loses_energy(const Model& model) {
  return model.is_dissipative();
}

bool exchanges_energy(const Model& model, const Watch& watch) { return loses_energy(model) || watch.drive; }

double dissipated(const Watch& watch) { return watch.books->now().dissipated - (watch.drive ? watch.drive->damped() : 0.0); }

double largest_error(const Watch& watch) { return watch.drive ? watch.drive->largest_error() : watch.books->largest_balance(); }

double relative_error(const Watch& watch) {
  if (!watch.drive) return watch.books->relative_balance();
  const auto& energy = watch.energy.initial();
  const double error = largest_error(watch), size = std::abs(energy.potential) + energy.elastic + watch.energy.largest_kinetic();
  return error <= 1e-13 * size ? 0 : error / watch.energy.largest_kinetic();
}

double ns_per_body_step(const Model& model, const Run& run) {
  const double work = static_cast<double>(run.summary.steps) * static_cast<double>(model.num_bodies() - 1);
  return work > 0 ? run.summary.seconds * 1e9 / work : 0.0;
}

std::vector<NotEnforced> not_enforced(const Model& model) {
  const auto& p = model.properties();
  Eigen::Index limited = 0, rubbing = 0;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const auto any = [&](const actio::VectorX<double>& property, auto is) {
      for (Eigen::Index k = model.v_index(i); k < model.v_index(i) + model.nv(i); ++k) {
        if (is(property[k])) return true;
      }
      return false;
    };
    const auto finite = [](double x) { return std::isfinite(x); };
    limited += any(p.lower, finite) || any(p.upper, finite) || any(p.velocity_limit, finite) || any(p.effort_limit, finite);
    rubbing += any(p.friction, [](double x) { return x > 0; });
  }
  const auto released = [](const auto& items) {
    return std::count_if(items.begin(), items.end(), [](const auto& item) { return !item.active; });
  };
  std::vector<NotEnforced> list;
  const auto add = [&](const char* word, bool enforced, Eigen::Index count, const char* one, const char* many) {
    if (!enforced && count > 0) list.push_back({word, counted(count, one, many)});
  };
  add("limits", model.enforced().limits, limited, "joint", "joints");
  add("friction", model.enforced().friction, rubbing, "joint", "joints");
  add("contact", model.enforced().contact, std::ssize(model.shapes()), "shape", "shapes");
  add("loops", false, released(model.loops()), "released", "released");
  add("mimic", false, released(model.couplings()), "released", "released");
  return list;
}

}  // namespace simulate
