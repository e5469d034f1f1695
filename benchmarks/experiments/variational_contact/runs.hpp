// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Small scenes with contact, each run by several integrators and by MuJoCo.
#include <optional>
#include <string>
#include <vector>

#include "support/mujoco.hpp"

namespace variational_contact {

inline constexpr double g = 9.81;  // [m/s^2]
inline constexpr double coin_radius = 0.1, coin_thickness = 0.01, coin_tilt = 1.17;  // [m], [m], [rad] of its axis from the vertical
inline constexpr double coin_spin[]{-0.5, 0.4, 8};                                      // in the coin [rad/s]

/// Who makes the steps.
struct Contestant {
  enum Kind { variational, maximal, compliant, mujoco } kind;
  const experiments::Mujoco* version = nullptr;  ///< of MuJoCo
};
inline std::string name(const Contestant& contestant) {
  constexpr const char* ours[]{"variational", "maximal", "compliant"};
  return contestant.kind == Contestant::mujoco ? contestant.version->name() : ours[contestant.kind];
}

/// A cart of 1 kg that a point carries on the ground, with a pendulum of 0.5 kg and 1 m that begins at 1.2 rad.
struct Cart {
  double friction;
  double h;
  int steps;
};
struct CartRun {
  std::vector<double> energies;  ///< means over tenths of the run, with that of the start subtracted [J]
  double moved = 0;              ///< largest displacement of the cart [m]
};
/// @returns nothing if a step failed.
std::optional<CartRun> swing(const Contestant& contestant, const Cart& cart);

/// A ball of 1 kg that falls 5 cm on a spring without damping, again and again.
struct Bounce {
  double stiffness;  ///< [N/m]
  double h;
  double duration;
};
struct BounceRun {
  double left = 0;     ///< energy at the end, above that at rest on the spring, relative to the start
  double highest = 0;  ///< largest excess over the energy at the start, relative to it
  int bounces = 0;
};
std::optional<BounceRun> bounce(const Contestant& contestant, const Bounce& bounce);

/// How `variational` treats impacts with restitution.
enum class Restitution { located, in_place };
/// A ball of 1 kg that falls from 1 m, with restitution e.
struct Ball {
  double restitution;
  double h;
};
/// @returns |height - closed form| after `time` [m].
std::optional<double> height_error(Restitution mode, const Ball& ball, double time);
/// @returns the largest |E / E_0 - 1| until so many bounces.
std::optional<double> energy_error(Restitution mode, const Ball& ball, int bounces);

/// A particle of 1 kg on rough ground, between springs of 4 and 9 N/m along x and y: its slip turns. Friction 0.15.
struct Puck {
  double h;
  double time;
};
/// @returns x, y and their rates at the end.
std::optional<std::vector<double>> slide(const Contestant& contestant, const Puck& puck);

/// A box of 2 kg, 0.4 x 0.3 x 0.2 m, on four corners, at rest on an incline of 0.3 rad.
struct Incline {
  double friction;
  double h;
  double time;
};
/// @returns the distance from its initial position [m].
std::optional<double> slip(const Contestant& contestant, const Incline& incline);

/// A ball of 1 kg and 0.1 m that rolls at 1 m/s on rough ground.
/// @returns 1 - E / E_0 after so many steps of 10 ms.
std::optional<double> rolling_loss(const Contestant& contestant, int steps);

/// A coin of 0.5 kg, 0.1 m and 1 cm that rolls, slides or, without friction, slips on the rim of one side, inclined to the ground.
struct Coin {
  double friction;
  double h;
  int steps;
};
struct CoinRun {
  std::vector<double> end;  ///< position of its centre [m], and velocity of the centre in the world [m/s]
  double lowest = 0, highest = 0;  ///< energy, relative to the start, minus 1
  double gap = 0;           ///< largest distance of the lowest point from the ground [m]
  double back = 0;          ///< distance of the centre from the start, after as many steps with all velocities reversed [m]
};
std::optional<CoinRun> roll_coin(const Contestant& contestant, const Coin& coin);

/// MuJoCo's runs.
std::optional<CartRun> swing_mujoco(const experiments::Mujoco& mujoco, const Cart& cart);
std::optional<BounceRun> bounce_mujoco(const experiments::Mujoco& mujoco, const Bounce& bounce);
std::optional<std::vector<double>> slide_mujoco(const experiments::Mujoco& mujoco, const Puck& puck);
std::optional<double> slip_mujoco(const experiments::Mujoco& mujoco, const Incline& incline);
std::optional<double> rolling_loss_mujoco(const experiments::Mujoco& mujoco, int steps);
std::optional<CoinRun> roll_coin_mujoco(const experiments::Mujoco& mujoco, const Coin& coin);

}  // namespace variational_contact
