// SPDX-License-Identifier: BSD-3-Clause
// The scenes in MuJoCo, with its most accurate settings: Runge-Kutta of order 4, elliptic friction cones, the stiffest contacts that its
// documentation allows (a time constant of two steps), friction a hundred times as stiff, and its pass against slip.
#include "runs.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace variational_contact {

namespace {

/// @param bodies of <worldbody>.  @param friction, solref of all geoms; solref is otherwise two steps, critically damped.
/// @returns null if MuJoCo refuses.
std::unique_ptr<experiments::MujocoScene> simulation(const experiments::Mujoco& mujoco, double h, const std::string& gravity,
                                                     const std::string& friction, const std::string& bodies, const std::string& solref = {}) {
  std::ostringstream mjcf;
  mjcf.precision(17);
  mjcf << "<mujoco><compiler angle='radian'/><option timestep='" << h << "' gravity='" << gravity
       << "' integrator='RK4' cone='elliptic' impratio='100' noslip_iterations='10' tolerance='1e-15' iterations='200'>"
       << "<flag energy='enable'/></option><default><geom condim='3' solimp='0.9999 0.9999 1e-3' " << friction << " solref='";
  if (solref.empty()) mjcf << 2 * h << " 1";
  else mjcf << solref;
  mjcf << "'/></default><worldbody><geom type='plane' size='50 50 1'/>" << bodies << "</worldbody></mujoco>";
  return mujoco.read(mjcf.str());
}

std::string text(double x) {
  std::ostringstream out;
  out.precision(17);
  out << x;
  return out.str();
}
std::string friction(double mu) { return "friction='" + text(mu) + " 0 0'"; }
const std::string down = "0 0 " + text(-g);

}  // namespace

std::optional<CartRun> swing_mujoco(const experiments::Mujoco& mujoco, const Cart& cart) {
  const auto it = simulation(
      mujoco, cart.h, down, friction(cart.friction),
      "<body pos='0 0 0.1'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/><geom type='sphere' size='0.1' mass='1'/>"
      "<body><joint axis='0 -1 0'/><inertial pos='0 0 -1' mass='0.5' diaginertia='0.02 0.02 0.001'/></body></body>");
  if (it == nullptr) return {};
  it->q()[2] = 1.2;
  const double start = it->energy();
  CartRun run{std::vector<double>(10, 0), 0};
  for (int k = 0; k < cart.steps; ++k) {
    if (!it->step()) return {};
    run.energies[static_cast<std::size_t>(10 * k / cart.steps)] += (it->energy() - start) / (cart.steps / 10);
    run.moved = std::max(run.moved, std::abs(it->q()[0]));
  }
  return run;
}

std::optional<BounceRun> bounce_mujoco(const experiments::Mujoco& mujoco, const Bounce& scene) {
  // A negative solref is the stiffness and damping for the mass that the contact moves, here 1 kg.
  const auto it = simulation(
      mujoco, scene.h, down, friction(0),
      "<body pos='0 0 0.1'><joint type='slide' axis='0 0 1'/><geom type='sphere' size='0.1' mass='1'/></body>",
      text(-scene.stiffness) + " 0");
  if (it == nullptr) return {};
  it->q()[0] = 0.05;
  const auto energy = [&] {
    const double z = it->q()[0], depth = std::max(0., -z), v = it->v()[0];
    return v * v / 2 + g * z + scene.stiffness * depth * depth / 2 + g * g / scene.stiffness / 2;
  };
  const double start = energy();
  BounceRun run;
  for (int k = 0; k < std::lround(scene.duration / scene.h); ++k) {
    const bool falls = it->v()[0] < 0;
    if (!it->step()) return {};
    run.bounces += falls && it->v()[0] >= 0;
    run.highest = std::max(run.highest, energy() / start - 1);
  }
  run.left = energy() / start;
  return run;
}

std::optional<std::vector<double>> slide_mujoco(const experiments::Mujoco& mujoco, const Puck& puck) {
  const auto it = simulation(
      mujoco, puck.h, down, friction(0.15),
      "<body pos='0 0 0.1'><joint type='slide' axis='1 0 0' stiffness='4'/><joint type='slide' axis='0 1 0' stiffness='9'/>"
      "<joint type='slide' axis='0 0 1'/><geom type='sphere' size='0.1' mass='1'/></body>");
  if (it == nullptr) return {};
  it->q()[0] = 1;
  it->v()[1] = 3;
  for (int k = 0; k < std::lround(puck.time / puck.h); ++k) {
    if (!it->step()) return {};
  }
  return std::vector<double>{it->q()[0], it->q()[1], it->v()[0], it->v()[1]};
}

std::optional<double> slip_mujoco(const experiments::Mujoco& mujoco, const Incline& incline) {
  const auto it = simulation(
      mujoco, incline.h, text(g * std::sin(0.3)) + " 0 " + text(-g * std::cos(0.3)), friction(incline.friction),
      "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.2 0.15 0.1' mass='2'/></body>");
  if (it == nullptr) return {};
  for (int k = 0; k < std::lround(incline.time / incline.h); ++k) {
    if (!it->step()) return {};
  }
  return std::hypot(it->q()[0], it->q()[1], it->q()[2] - 0.1);
}

std::optional<double> rolling_loss_mujoco(const experiments::Mujoco& mujoco, int steps) {
  const auto it = simulation(mujoco, 0.01, down, friction(0.5), "<body pos='0 0 0.1'><freejoint/><geom type='sphere' size='0.1' mass='1'/></body>");
  if (it == nullptr) return {};
  it->v()[0] = 1;
  it->v()[4] = 10;
  const double potential = g * 0.1, kinetic = it->energy() - potential;
  for (int k = 0; k < steps; ++k) {
    if (!it->step()) return {};
  }
  return 1 - (it->energy() - potential) / kinetic;
}

std::optional<CoinRun> roll_coin_mujoco(const experiments::Mujoco& mujoco, const Coin& coin) {
  const auto it = simulation(
      mujoco, coin.h, down, friction(coin.friction),
      "<body><freejoint/><geom type='cylinder' size='" + text(coin_radius) + " " + text(coin_thickness / 2) + "' mass='0.5'/></body>");
  if (it == nullptr) return {};
  const double half = coin_thickness / 2, s = std::sin(coin_tilt), c = std::cos(coin_tilt);
  const double start[3]{0, 0, coin_radius * s + half * c};
  std::copy(start, start + 3, it->q());
  it->q()[3] = std::cos(coin_tilt / 2), it->q()[4] = std::sin(coin_tilt / 2), it->q()[5] = it->q()[6] = 0;
  // v of the centre = w x (0, r, half) in the coin, turned about x into the world; w remains in the coin.
  const auto& [wx, wy, wz] = coin_spin;
  const double vx = wy * half - wz * coin_radius, vy = -wx * half, vz = wx * coin_radius;
  it->v()[0] = vx, it->v()[1] = c * vy - s * vz, it->v()[2] = s * vy + c * vz;
  std::copy(coin_spin, coin_spin + 3, it->v() + 3);
  CoinRun run;
  const double energy = it->energy();
  for (int k = 0; k < coin.steps; ++k) {
    if (!it->step()) return {};
    const double now = it->energy() / energy - 1, *q = it->q(), up = 1 - 2 * (q[4] * q[4] + q[5] * q[5]);
    run.lowest = std::min(run.lowest, now);
    run.highest = std::max(run.highest, now);
    run.gap = std::max(run.gap, std::abs(q[2] - coin_radius * std::sqrt(1 - up * up) - half * std::abs(up)));
  }
  run.end.assign(it->q(), it->q() + 3);
  run.end.insert(run.end.end(), it->v(), it->v() + 3);
  for (int k = 0; k < 6; ++k) it->v()[k] *= -1;
  for (int k = 0; k < coin.steps; ++k) {
    if (!it->step()) return {};
  }
  run.back = std::hypot(it->q()[0] - start[0], it->q()[1] - start[1], it->q()[2] - start[2]);
  return run;
}

}  // namespace variational_contact
