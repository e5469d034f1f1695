// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <utility>

#include "actio/contacts/plane.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/builder.hpp"
#include "runs.hpp"

namespace variational_contact {
namespace {

using namespace actio;
using Ground = PlaneContacts<double>;

ContactMaterial<double> material(double friction, Compliance<double> normal = {}, double restitution = 0) {
  ContactMaterial<double> made;
  made.normal = normal;
  made.friction = friction;
  made.restitution = restitution;
  return made;
}
/// Returns the point of a body's origin on the ground.
Ground foot(const ContactMaterial<double>& of, BodyIndex body) { return Ground(of).add(body, Pose<double>::identity(), Sphere<double>{0}); }

/// A point mass on slides along axes; springs along them to the origin.
struct Slide {
  Vector3<double> axis;
  double stiffness = 0;
};
Model<double> point_mass(const std::vector<Slide>& slides) {
  ModelBuilder<double> builder("point");
  builder.gravity({0, 0, -g});
  std::string before = "world";
  for (std::size_t k = 0; k < slides.size(); ++k) {
    const std::string name = "slide" + std::to_string(k);
    builder.add_body(name, {k + 1 == slides.size() ? 1. : 0., Vector3<double>::Zero(), Matrix3<double>::Zero()});
    JointProperties<double> spring;
    spring.stiffness = slides[k].stiffness;
    builder.add_joint(name, before, name, Pose<double>::identity(), Prismatic<double>(slides[k].axis), spring);
    before = name;
  }
  return builder.build();
}

/// Calls run(integrator) with the contestant's integrator, its equations solved to rounding.
template <class Run>
auto with(const Contestant& contestant, const Model<double>& model, const Ground& ground, const Run& run) {
  switch (contestant.kind) {
    case Contestant::maximal: return run(MaximalIntegrator(model, {.tolerance = 0}, ground));
    case Contestant::compliant: return run(CompliantIntegrator(model, {}, ground));
    default: return run(VariationalIntegrator(model, {.tolerance = 0}, ground));
  }
}

/// The state of an integrator and its energy.
template <class Integrator>
class Motion {
 public:
  Motion(Integrator integrator, const State<double>& start) : integrator_(std::move(integrator)), data_(integrator_.model()), state(start) {
    integrator_.reset(start);
  }
  bool step(double h) {
    last = integrator_.step({}, h);
    return last && integrator_.read(state) == Status::converged;
  }
  double energy() {
    double sum = actio::energy(integrator_.model(), data_, state.q, state.v).total();
    if constexpr (requires { integrator_.row_energy(); }) sum += integrator_.row_energy();
    return sum;
  }

 private:
  Integrator integrator_;
  KinematicsData<double> data_;

 public:
  State<double> state;
  StepResult<double> last;
};

VectorX<double> vector(std::initializer_list<double> values) {
  VectorX<double> made(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), made.begin());
  return made;
}

}  // namespace

std::optional<CartRun> swing(const Contestant& contestant, const Cart& cart) {
  if (contestant.kind == Contestant::mujoco) return swing_mujoco(*contestant.version, cart);
  ModelBuilder<double> builder("cart");
  builder.gravity({0, 0, -g});
  builder.add_body("slide", {0, Vector3<double>::Zero(), Matrix3<double>::Zero()});
  builder.add_body("cart", {1, Vector3<double>::Zero(), Matrix3<double>::Zero()});
  builder.add_body("pendulum", {0.5, {0, 0, -1}, Vector3<double>(0.02, 0.02, 1e-3).asDiagonal()});
  builder.add_joint("x", "world", "slide", Pose<double>::identity(), Prismatic<double>({1, 0, 0}));
  builder.add_joint("z", "slide", "cart", Pose<double>::identity(), Prismatic<double>({0, 0, 1}));
  builder.add_joint("hinge", "cart", "pendulum", Pose<double>::identity(), Revolute<double>({0, -1, 0}));
  const Model<double> model = builder.build();
  return with(contestant, model, foot(material(cart.friction), 2), [&](auto integrator) -> std::optional<CartRun> {
    Motion motion(std::move(integrator), State<double>{vector({0, 0, 1.2}), vector({0, 0, 0}), 0});
    const double start = motion.energy();
    CartRun run{std::vector<double>(10, 0), 0};
    for (int k = 0; k < cart.steps; ++k) {
      if (!motion.step(cart.h)) return {};
      run.energies[static_cast<std::size_t>(10 * k / cart.steps)] += (motion.energy() - start) / (cart.steps / 10);
      run.moved = std::max(run.moved, std::abs(motion.state.q[0]));
    }
    return run;
  });
}

std::optional<BounceRun> bounce(const Contestant& contestant, const Bounce& scene) {
  if (contestant.kind == Contestant::mujoco) return bounce_mujoco(*contestant.version, scene);
  const Model<double> model = point_mass({{Vector3<double>::UnitZ()}});
  const Ground ground = foot(material(0, {.stiffness = scene.stiffness, .damping = 0}), 1);
  return with(contestant, model, ground, [&](auto integrator) -> std::optional<BounceRun> {
    Motion motion(std::move(integrator), State<double>{vector({0.05}), vector({0}), 0});
    const auto energy = [&] {
      const double z = motion.state.q[0], depth = std::max(0., -z), v = motion.state.v[0];
      return v * v / 2 + g * z + scene.stiffness * depth * depth / 2 + g * g / scene.stiffness / 2;
    };
    const double start = energy();
    BounceRun run;
    for (int k = 0; k < std::lround(scene.duration / scene.h); ++k) {
      const bool falls = motion.state.v[0] < 0;
      if (!motion.step(scene.h)) return {};
      run.bounces += falls && motion.state.v[0] >= 0;
      run.highest = std::max(run.highest, energy() / start - 1);
    }
    run.left = energy() / start;
    return run;
  });
}

namespace {
auto ball_motion(const Model<double>& model, Restitution mode, const Ball& ball) {
  const Ground ground = foot(material(0, {}, ball.restitution), 1);
  VariationalOptions<double> options{.tolerance = 0};
  options.impacts = mode == Restitution::located ? Impacts::located : Impacts::in_place;
  return Motion(VariationalIntegrator(model, options, ground), State<double>{vector({1}), vector({0}), 0});
}
}  // namespace

std::optional<double> height_error(Restitution mode, const Ball& ball, double time) {
  const Model<double> model = point_mass({{Vector3<double>::UnitZ()}});
  auto motion = ball_motion(model, mode, ball);
  for (int k = 0; k < std::lround(time / ball.h); ++k) {
    if (!motion.step(ball.h)) return {};
  }
  double left = time - std::sqrt(2 / g), speed = ball.restitution * std::sqrt(2 * g);  // after the first impact
  while (left > 2 * speed / g) left -= 2 * speed / g, speed *= ball.restitution;
  return std::abs(motion.state.q[0] - (speed * left - g * left * left / 2));
}

std::optional<double> energy_error(Restitution mode, const Ball& ball, int bounces) {
  const Model<double> model = point_mass({{Vector3<double>::UnitZ()}});
  auto motion = ball_motion(model, mode, ball);
  double worst = 0;
  for (int done = 0; done < bounces; done += motion.last.impacts) {
    if (!motion.step(ball.h)) return {};
    worst = std::max(worst, std::abs(motion.energy() / g - 1));
  }
  return worst;
}

std::optional<std::vector<double>> slide(const Contestant& contestant, const Puck& puck) {
  if (contestant.kind == Contestant::mujoco) return slide_mujoco(*contestant.version, puck);
  const Model<double> model = point_mass({{Vector3<double>::UnitX(), 4}, {Vector3<double>::UnitY(), 9}, {Vector3<double>::UnitZ()}});
  return with(contestant, model, foot(material(0.15), 3), [&](auto integrator) -> std::optional<std::vector<double>> {
    Motion motion(std::move(integrator), State<double>{vector({1, 0, 0}), vector({0, 3, 0}), 0});
    for (int k = 0; k < std::lround(puck.time / puck.h); ++k) {
      if (!motion.step(puck.h)) return {};
    }
    const auto& [q, v, time] = motion.state;
    return std::vector{q[0], q[1], v[0], v[1]};
  });
}

std::optional<double> slip(const Contestant& contestant, const Incline& incline) {
  if (contestant.kind == Contestant::mujoco) return slip_mujoco(*contestant.version, incline);
  const Vector3<double> size(0.4, 0.3, 0.2);
  ModelBuilder<double> builder("box");
  builder.gravity(g * Vector3<double>(std::sin(0.3), 0, -std::cos(0.3))).add_body("box", Inertia<double>::box(2, size));
  builder.add_joint("free", "world", "box", Pose<double>::translation(0, 0, 0.1), Free<double>());
  const Model<double> model = builder.build();
  const Ground ground = Ground(material(incline.friction)).add(1, Pose<double>::identity(), Box<double>{size});
  return with(contestant, model, ground, [&](auto integrator) -> std::optional<double> {
    Motion motion(std::move(integrator), rest_state(model));
    for (int k = 0; k < std::lround(incline.time / incline.h); ++k) {
      if (!motion.step(incline.h)) return {};
    }
    return motion.state.q.template head<3>().norm();
  });
}

std::optional<double> rolling_loss(const Contestant& contestant, int steps) {
  if (contestant.kind == Contestant::mujoco) return rolling_loss_mujoco(*contestant.version, steps);
  const double r = 0.1;
  ModelBuilder<double> builder("ball");
  builder.gravity({0, 0, -g}).add_body("ball", Inertia<double>::sphere(1, r));
  builder.add_joint("free", "world", "ball", Pose<double>::translation(0, 0, r), Free<double>());
  const Model<double> model = builder.build();
  const Ground ground = Ground(material(0.5)).add(1, Pose<double>::identity(), Sphere<double>{r});
  return with(contestant, model, ground, [&](auto integrator) -> std::optional<double> {
    State<double> start = rest_state(model);
    start.v << 0, 1 / r, 0, 1, 0, 0;
    Motion motion(std::move(integrator), start);
    const double potential = g * r, kinetic = motion.energy() - potential;
    for (int k = 0; k < steps; ++k) {
      if (!motion.step(0.01)) return {};
    }
    return 1 - (motion.energy() - potential) / kinetic;
  });
}

std::optional<CoinRun> roll_coin(const Contestant& contestant, const Coin& coin) {
  if (contestant.kind == Contestant::mujoco) return roll_coin_mujoco(*contestant.version, coin);
  const double r = coin_radius, half = coin_thickness / 2;
  ModelBuilder<double> builder("coin");
  const Vector3<double> inertia(r * r / 4 + half * half / 3, r * r / 4 + half * half / 3, r * r / 2);
  builder.gravity({0, 0, -g}).add_body("coin", {0.5, Vector3<double>::Zero(), (0.5 * inertia).asDiagonal()});
  builder.add_joint("free", "world", "coin", Pose<double>::identity(), Free<double>());
  const Model<double> model = builder.build();
  const Ground ground = Ground(material(coin.friction)).add(1, Pose<double>::identity(), Cylinder<double>{r, 2 * half});
  const Eigen::Quaterniond Q(Eigen::AngleAxisd(coin_tilt, Vector3<double>::UnitX()));
  State<double> start = rest_state(model);
  start.q << 0, 0, r * std::sin(coin_tilt) + half * std::cos(coin_tilt), Q.x(), Q.y(), Q.z(), Q.w();
  // The point on the ground rests: v of the centre is w x its arm.
  const Vector3<double> w(coin_spin[0], coin_spin[1], coin_spin[2]), arm(0, r, half);  // in the body, from the lowest point to the centre
  start.v << w, w.cross(arm);
  const auto velocity = [](const State<double>& x) {
    return Vector3<double>(Eigen::Quaterniond(x.q[6], x.q[3], x.q[4], x.q[5]) * Vector3<double>(x.v.tail<3>()));
  };
  return with(contestant, model, ground, [&](auto integrator) -> std::optional<CoinRun> {
    Motion motion(integrator, start);
    CoinRun run;
    const double energy = motion.energy();
    for (int k = 0; k < coin.steps; ++k) {
      if (!motion.step(coin.h)) return {};
      const double now = motion.energy() / energy - 1;
      run.lowest = std::min(run.lowest, now);
      run.highest = std::max(run.highest, now);
      const VectorX<double>& q = motion.state.q;
      const double up = 1 - 2 * (q[3] * q[3] + q[4] * q[4]);  // of the axis
      run.gap = std::max(run.gap, std::abs(q[2] - r * std::sqrt(1 - up * up) - half * std::abs(up)));
    }
    const Vector3<double> v = velocity(motion.state);
    run.end = {motion.state.q[0], motion.state.q[1], motion.state.q[2], v[0], v[1], v[2]};
    State<double> turned = motion.state;
    turned.v *= -1;
    Motion back(integrator, turned);
    for (int k = 0; k < coin.steps; ++k) {
      if (!back.step(coin.h)) return {};
    }
    run.back = (back.state.q.template head<3>() - start.q.template head<3>()).norm();
    return run;
  });
}

}  // namespace variational_contact
