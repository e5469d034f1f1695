// SPDX-License-Identifier: BSD-3-Clause
// What the variational step keeps in contact, beside the compliant step, MuJoCo and closed forms.   [variational_contact.md, sections 4 to 7]
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "runs.hpp"
#include "support/report.hpp"

using namespace variational_contact;

namespace {

using experiments::Curve;
using experiments::Report;
using experiments::Table;

constexpr double failed = std::numeric_limits<double>::quiet_NaN();
std::string number(double x) { return experiments::text(x, 2); }

/// @param has_inertia whether all bodies have mass and inertia, which maximal coordinates need.
std::vector<Contestant> everyone(bool has_inertia = false) {
  std::vector<Contestant> all{{Contestant::variational}, {Contestant::compliant}};
  if (has_inertia) all.insert(all.begin() + 1, {Contestant::maximal});
  for (const experiments::Mujoco& mujoco : experiments::mujocos()) all.push_back({Contestant::mujoco, &mujoco});
  return all;
}
bool is_new(const Contestant& contestant) { return contestant.kind == Contestant::variational || contestant.kind == Contestant::maximal; }

/// Returns the slope of log y over log x through the first and the last point.
double order(const Curve& curve) {
  return std::log(curve.y.front() / curve.y.back()) / std::log(curve.x.front() / curve.x.back());
}

/// A pendulum on a cart that rests by friction, or is free to slide on ice.
void carts(const Report& report) {
  const int steps = report.is_short() ? 2000 : 100000;
  Table table{{"ground", "integrator", "first tenth [J]", "last tenth [J]", "largest difference of tenths [J]", "cart moved [m]"}, {}};
  std::vector<experiments::Panel> panels;
  for (const bool ice : {false, true}) {
    const Cart cart{ice ? 0. : 5., 0.01, steps};
    experiments::Panel panel{ice ? "On ice" : "At rest by friction", "tenth of the run", "|mean energy - that of the start| [J]", false, true, {}};
    for (const Contestant& contestant : everyone()) {
      const auto run = swing(contestant, cart);
      const std::string who = name(contestant);
      if (!run) {
        table.rows.push_back({ice ? "ice" : "rough", who, failed, failed, failed, failed});
        if (is_new(contestant)) report.check(who + ": every step of the cart is solved", false);
        continue;
      }
      const auto [least, most] = std::minmax_element(run->energies.begin(), run->energies.end());
      const double spread = *most - *least;
      table.rows.push_back({ice ? "ice" : "rough", who, run->energies.front(), run->energies.back(), spread, run->moved});
      Curve curve{who, {}, {}};
      for (std::size_t k = 0; k < run->energies.size(); ++k) {
        curve.x.push_back(static_cast<double>(k + 1));
        curve.y.push_back(std::max(std::abs(run->energies[k]), 1e-6));
      }
      panel.curves.push_back(curve);
      if (!is_new(contestant)) continue;
      // A tenth is not a whole number of periods: what is cut off shows in the means of a short run.
      const double bound = report.is_short() ? 1e-3 : ice ? 1e-5 : 1e-6;
      report.check(who + (ice ? ", on ice" : ", at rest by friction") + ": means of the energy over tenths differ by less than " + number(bound) +
                       " J of 3.1 J: " + number(spread),
                   spread < bound);
      if (!ice) report.check(who + ": the cart moves by less than 1e-13 m: " + number(run->moved), run->moved < 1e-13);
    }
    panels.push_back(panel);
  }
  report.table("cart", table);
  report.figure("cart", panels);
}

/// A ball on a spring without damping.
void springs(const Report& report) {
  const double h = 0.005;
  std::vector<double> products{0.05, 0.1, 0.2, 0.5, 1, 2, 5, 50, 1e4};
  if (report.is_short()) products = {0.1, 1, 1e4};
  Table table{{"integrator", "h omega", "bounces", "energy at the end", "highest energy above the start"}, {}};
  experiments::Panel left{"Energy left after 20 s", "h omega", "of the start", true, false, {}},
      gain{"Largest gain", "h omega", "of the start", true, true, {}};
  double worst = 0, loss = 0;
  for (const Contestant& contestant : everyone()) {
    Curve end{name(contestant), {}, {}}, most = end;
    for (const double product : products) {
      const auto run = bounce(contestant, {product * product / (h * h), h, 20});
      if (!run) {
        table.rows.push_back({name(contestant), product, failed, failed, failed});
        if (is_new(contestant)) report.check(name(contestant) + ": every step on the spring is solved", false);
        continue;
      }
      table.rows.push_back({name(contestant), product, static_cast<double>(run->bounces), run->left, run->highest});
      end.x.push_back(product);
      end.y.push_back(std::clamp(run->left, 0., 2.));
      most.x.push_back(product);
      most.y.push_back(std::max(run->highest, 1e-16));
      if (!is_new(contestant)) continue;
      worst = std::max(worst, run->highest);
      if (product <= 0.2) loss = std::max(loss, (1 - run->left) / run->bounces);
    }
    left.curves.push_back(end);
    gain.curves.push_back(most);
  }
  report.table("springs", table);
  report.figure("springs", {left, gain});
  report.check("variational: no stiffness adds more than 1e-12 of the energy: " + number(worst), worst < 1e-12);
  report.check("variational: a bounce that the step resolves, h omega <= 0.2, loses at most 1e-6: " + number(loss), loss < 1e-6);
}

/// A ball with restitution, located and in place.
void impacts(const Report& report) {
  const int halvings = report.is_short() ? 3 : 6, bounces = report.is_short() ? 300 : 10000;
  Table table{{"impacts", "h [s]", "error of the height after 1.3 s, e = 0.6 [m]"}, {}}, kept{{"impacts", "bounces", "largest |E / E_0 - 1|, e = 1"}, {}};
  experiments::Panel panel{"Bouncing ball, e = 0.6, after 1.3 s", "h [s]", "error of the height [m]", true, true, {}};
  for (const Restitution mode : {Restitution::located, Restitution::in_place}) {
    const std::string name = mode == Restitution::located ? "located" : "in place";
    Curve curve{name, {}, {}};
    for (int k = 0; k <= halvings; ++k) {
      const double h = 0.02 / (1 << k), error = height_error(mode, {0.6, h}, 1.3).value_or(failed);
      table.rows.push_back({name, h, error});
      curve.x.push_back(h);
      curve.y.push_back(std::max(error, 1e-14));
    }
    panel.curves.push_back(curve);
    const double energy = energy_error(mode, {1, 0.01}, bounces).value_or(failed);
    kept.rows.push_back({name, static_cast<double>(bounces), energy});
    report.check(name + ": with e = 1 the energy changes by at most 1e-11 in " + std::to_string(bounces) + " bounces: " + number(energy), energy < 1e-11);
    if (mode == Restitution::located) {
      const double worst = *std::max_element(curve.y.begin(), curve.y.end());
      report.check("located: the height is that of the closed form to 1e-9 m at every step size: " + number(worst), worst < 1e-9);
    }
  }
  report.table("impacts", table);
  report.table("energy_of_impacts", kept);
  report.figure("impacts", {panel});
}

/// Slip whose direction turns.
void turning_slip(const Report& report) {
  const double time = 0.8;
  const auto reference = slide({Contestant::variational}, {time / (report.is_short() ? 100000 : 1000000), time});
  if (!reference) return report.check("the reference of the puck is solved", false);
  Table table{{"integrator", "h [s]", "error of position [m]", "error of velocity [m/s]"}, {}};
  experiments::Panel position{"Puck whose slip turns: position", "h [s]", "error [m]", true, true, {}},
      velocity{"Puck whose slip turns: velocity", "h [s]", "error [m/s]", true, true, {}};
  for (const Contestant& contestant : everyone()) {
    Curve q{name(contestant), {}, {}}, v = q;
    for (int steps = 20; steps <= (report.is_short() ? 80 : 1280); steps *= 2) {
      const auto end = slide(contestant, {time / steps, time});
      if (!end) {
        if (is_new(contestant)) report.check(name(contestant) + ": every step of the puck is solved", false);
        continue;
      }
      const auto error = [&](std::size_t k) { return std::hypot((*end)[k] - (*reference)[k], (*end)[k + 1] - (*reference)[k + 1]); };
      table.rows.push_back({name(contestant), time / steps, error(0), error(2)});
      q.x.push_back(time / steps);
      q.y.push_back(error(0));
      v.x.push_back(time / steps);
      v.y.push_back(error(2));
    }
    position.curves.push_back(q);
    velocity.curves.push_back(v);
    if (!is_new(contestant)) continue;
    const double least = std::min(order(q), order(v));
    report.check(name(contestant) + ": turning slip has the order 1.9 or more, in position and velocity: " + number(least), least > 1.9);
  }
  report.table("turning_slip", table);
  report.figure("turning_slip", {position, velocity});
}

/// A box on an incline, near the angle of friction.
void incline(const Report& report) {
  const double time = 1, h = 0.01;
  Table table{{"integrator", "friction / tan", "slid [m]", "closed form [m]", "difference [m]"}, {}};
  for (const Contestant& contestant : everyone(true)) {
    for (const double share : {0.9, 0.9999, 1.0001, 1.1}) {
      const double moved = slip(contestant, {share * std::tan(0.3), h, time}).value_or(failed);
      const double expected = share < 1 ? g * std::sin(0.3) * (1 - share) * time * time / 2 : 0;
      table.rows.push_back({name(contestant), experiments::text(share, 5), moved, expected, std::abs(moved - expected)});
      if (!is_new(contestant)) continue;
      const double bound = share < 1 ? 1e-10 : 1e-14;
      report.check(name(contestant) + ", friction " + experiments::text(share, 5) + " tan: the distance of the closed form to " +
                       number(bound) + " m: " + number(std::abs(moved - expected)),
                   std::abs(moved - expected) < bound);
    }
  }
  report.table("incline", table);
}

/// A ball that rolls.
void rolling(const Report& report) {
  const int steps = report.is_short() ? 200 : 10000;
  Table table{{"integrator", "steps of 10 ms", "share of the kinetic energy that is lost"}, {}};
  for (const Contestant& contestant : everyone(true)) {
    const double loss = rolling_loss(contestant, steps).value_or(failed);
    table.rows.push_back({name(contestant), static_cast<double>(steps), loss});
    if (is_new(contestant))
      report.check(name(contestant) + ": a ball that rolls loses at most 1e-12 of its energy: " + number(loss), std::abs(loss) < 1e-12);
  }
  report.table("rolling", table);
}

/// A coin that rolls, slides or slips: order, energy, its distance from the ground, and whether it comes back.
void coins(const Report& report) {
  Table orders{{"integrator", "friction", "h [s]", "error of position [m]", "error of velocity [m/s]"}, {}},
      kept{{"integrator", "friction", "steps of 2 ms", "lowest E/E_0 - 1", "highest", "largest gap [m]", "back at the start to [m]"}, {}};
  std::vector<experiments::Panel> panels;
  const double time = 0.1;  // without friction it lies flat after 0.3 s
  for (const double friction : {5., 0., 0.1}) {
    const int steps_kept = friction > 1 && !report.is_short() ? 5000 : 50;
    const std::string what = friction > 1 ? "rolls" : friction > 0 ? "slides" : "slips without friction";
    const auto reference = roll_coin({Contestant::variational}, {friction, time / 20000, 20000});
    if (!reference) return report.check("the reference of the coin is solved", false);
    experiments::Panel panel{"Coin that " + what, "h [s]", "error of position after 0.1 s [m]", true, true, {}};
    for (const Contestant& contestant : everyone(true)) {
      const std::string who = name(contestant);
      Curve q{who, {}, {}}, v = q;
      for (int steps = 20; steps <= (report.is_short() ? 80 : 640); steps *= 2) {
        const auto run = roll_coin(contestant, {friction, time / steps, steps});
        if (!run) {
          if (is_new(contestant)) report.check(who + ": every step of the coin is solved", false);
          continue;
        }
        const auto error = [&](std::size_t k) {
          return std::hypot(run->end[k] - reference->end[k], run->end[k + 1] - reference->end[k + 1], run->end[k + 2] - reference->end[k + 2]);
        };
        orders.rows.push_back({who, friction, time / steps, error(0), error(3)});
        q.x.push_back(time / steps);
        q.y.push_back(error(0));
        v.x.push_back(time / steps);
        v.y.push_back(error(3));
      }
      panel.curves.push_back(q);
      const auto run = roll_coin(contestant, {friction, 0.002, steps_kept});
      if (!run) {
        if (is_new(contestant)) report.check(who + ": every step of the coin is solved", false);
        continue;
      }
      kept.rows.push_back({who, friction, static_cast<double>(steps_kept), run->lowest, run->highest, run->gap, run->back});
      if (!is_new(contestant)) continue;
      const double least = std::min(order(q), order(v));
      report.check(who + ", a coin that " + what + ": the order is 1.9 or more, in position and velocity: " + number(least), least > 1.9);
      report.check(who + ", a coin that " + what + ": its gap stays below 1e-12 m: " + number(run->gap), run->gap < 1e-12);
      if (friction > 0 && friction < 1) continue;
      report.check(who + ", a coin that " + what + ": it comes back to the start to 1e-9 m: " + number(run->back), run->back < 1e-9);
    }
    panels.push_back(panel);
  }
  report.table("coin_orders", orders);
  report.table("coin", kept);
  report.figure("coin", panels);
}

}  // namespace

int main(int argc, char** argv) {
  const Report report(argc, argv, "variational_contact", "Energy, order and rest of the variational step in contact");
  if (!experiments::mujocos().empty()) {
    report.say(experiments::names_of_mujocos() +
               ": Runge-Kutta 4, elliptic cones, time constant of contacts two steps, impratio 100, 10 noslip iterations.\n");
  }
  carts(report);
  springs(report);
  impacts(report);
  turning_slip(report);
  incline(report);
  rolling(report);
  coins(report);
  return report.verdict();
}
