// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

#include "actio/contacts/plane.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/integrators/close_loops.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/io/meshes.hpp"
#include "actio/io/model_file.hpp"
#include "actio/model/samples/limb.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"

namespace variational_falls {
namespace {

using namespace actio;

ContactMaterial<double> rough(double restitution) {
  ContactMaterial<double> material;
  material.friction = 0.8;
  material.restitution = restitution;
  return material;
}

/// A chain of hinges about y and z in turn: boxes and capsules in turn.
Model<double> chain(int links) {
  ModelBuilder<double> builder("chain");
  for (int k = 0; k < links; ++k) {
    const std::string name = "link" + std::to_string(k);
    if (k % 2) {
      models::detail::add_capsule<double>(builder, name, 1, 0.05, {0.05, 0, 0}, {0.25, 0, 0});
    } else {
      const Vector3<double> size(0.25, 0.12, 0.06);
      const Pose<double> at = Pose<double>::translation(0.15, 0, 0);
      builder.add_body(name, Inertia<double>::box(1, size).seen_from_parent(at));
      builder.add_shape({.name = name, .T_BS = at, .geometry = Box<double>{size}}, name);
    }
    if (k == 0) builder.add_joint("free", "world", name, Pose<double>::identity(), Free<double>());
    else {
      builder.add_joint(name, "link" + std::to_string(k - 1), name, Pose<double>::translation(0.3, 0, 0),
                        Revolute<double>(k % 2 ? Vector3<double>::UnitY() : Vector3<double>::UnitZ()));
    }
  }
  return builder.build();
}

Model<double> model_of(Faller faller) {
  switch (faller) {
    case Faller::chain: return chain(8);
    case Faller::quadruped: return models::quadruped();
    default: return models::humanoid();
  }
}

using Integrator = VariationalIntegrator<Model<double>, Drnea<Split>, Automatic, NoForce, PlaneContacts<double>>;

/// Bodies on the ground z = 0, and what their motion is.
class Scene {
 public:
  Scene(const Model<double>& model, const PlaneContacts<double>& ground)
      : model_(model), ground_(ground), data_(model), found_(ground.most_points()) {}
  /// Returns the lowest gap at q, or infinity if nothing can touch.
  double lowest(const VectorX<double>& q) {
    forward_kinematics(model_, data_, q);
    return lowest_here();
  }
  /// Computes energy and poses.  @returns the energy above the ground.
  double energy(const State<double>& state) { return actio::energy(model_, data_, state.q, state.v).total(); }
  double lowest_here() {
    found_.clear();
    ground_.find(data_.T_WB, std::numeric_limits<double>::infinity(), found_);
    double gap = std::numeric_limits<double>::infinity();
    for (const ContactPoint<double>& point : found_.points()) gap = std::min(gap, point.gap);
    return gap;
  }
  /// Returns the velocity of a body's centre of mass, in the body. After energy().
  Vector3<double> velocity(BodyIndex i) const {
    const Vector6<double>& V = data_.V[i];
    return V.tail<3>() + V.head<3>().cross(model_.inertia(i).com);
  }
  double rotation(BodyIndex i) const { return data_.V[i].head<3>().norm(); }  ///< [rad/s]. After energy().

 private:
  const Model<double>& model_;
  PlaneContacts<double> ground_;
  KinematicsData<double> data_;
  ContactList<double> found_;
};

/// A random state within the limits of the joints, its lowest point up to 0.5 m above the ground.
State<double> random_state(const Model<double>& model, Scene& scene, std::uint64_t seed) {
  models::Random random(seed);
  State<double> state = rest_state(model);
  VectorX<double> x(model.nv());
  const ModelProperties<double>& p = model.properties();
  for (Eigen::Index k = 0; k < model.nv(); ++k) x[k] = random.uniform(std::max(p.lower[k], -1.5), std::min(p.upper[k], 1.5));
  x.head<3>() = random.uniform(0, std::numbers::pi) * random.direction<double>();  // of the first body
  state.q = model.integrate(state.q, x);
  state.v = models::random_velocity(model, random, 3);
  state.q[2] += random.uniform(0, 0.5) - scene.lowest(state.q);  // of the first joint, which is free
  return state;
}

void add(Tally& tally, const StepResult<double>& result) {
  ++tally.steps;
  tally.iterations += result.iterations;
  tally.halved += result.substeps > 1 ? 1 : 0;
  tally.convex += result.relaxed.friction ? 1 : 0;
  tally.guarded += result.relaxed.restitution ? 1 : 0;
  tally.impacts += result.impacts;
}

}  // namespace

Tally fall(const Fall& kind, int falls, std::uint64_t first) {
  const Model<double> model = model_of(kind.faller).with_enforced({.limits = true, .contact = true});
  PlaneContacts<double> ground(rough(kind.restitution));
  ground.add_shapes_of(model);
  Scene scene(model, ground);
  Integrator integrator(model, {}, ground);
  Tally tally;
  for (std::uint64_t seed = first; tally.falls < falls; ++seed, ++tally.falls) {
    State<double> state = random_state(model, scene, seed);
    integrator.reset(state);
    const double start = scene.energy(state);
    double before = start;
    for (int n = 0; n < std::lround(kind.time / kind.h); ++n) {
      const StepResult<double> result = integrator.step({}, kind.h);
      add(tally, result);
      if (!result || integrator.read(state) != Status::converged) {
        if (tally.failed++ == 0) {
          tally.failure = "seed " + std::to_string(seed) + " at " + std::to_string(n * kind.h) + " s, " + std::string(actio::name(result.status));
        }
        break;
      }
      const double error = integrator.certificate().worst();
      if (!result.relaxed.friction) tally.certificate = std::max(tally.certificate, error);
      else tally.least = std::min(tally.least, error), tally.most = std::max(tally.most, error);
      const double now = scene.energy(state);
      tally.rise = std::max(tally.rise, (now - std::exchange(before, now)) / start);
      tally.deepest = std::min(tally.deepest, scene.lowest_here());
    }
  }
  tally.iterations /= tally.steps;
  return tally;
}

namespace {

/// Returns a robot of a file, freed from the world if the reader can do that, its joints with dampers.
Model<double> damped_robot(const std::filesystem::path& file) {
  ReadOptions options;
  options.fix_idle_joints = true;
  const auto read = [&] {
    options.base = Base::floating;
    try {
      return read_model(file.string(), options).model;
    } catch (const ParseError&) {
      options.base.reset();
      return read_model(file.string(), options).model;
    }
  };
  Model<double> model = read().with_enforced({.limits = true, .friction = true, .contact = true});
  MeshFolders folders(file);
  model = replace_meshes(model, folders, MeshContact::hull).model;
  ModelProperties<double> properties = model.properties();
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    if (model.parent(i) == 0 && model.nv(i) == 6) continue;
    properties.damping.segment(model.v_index(i), model.nv(i)).setConstant(0.5);
  }
  return model.with_properties(properties);
}

Rest rest(const Model<double>& model, double h, double time) {
  Rest made;
  made.bodies = static_cast<int>(model.num_bodies()) - 1;
  PlaneContacts<double> ground(rough(0));
  ground.add_shapes_of(model, Meshes::leave_out);
  made.shapes = static_cast<int>(model.shapes().size());
  Scene scene(model, ground);
  Integrator integrator(model, {}, ground);
  State<double> state = rest_state(model);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    if (model.parent(i) == 0 && model.nv(i) == 6) {
      state.q[model.q_index(i) + 2] += 0.1 - scene.lowest(state.q);
      break;
    }
  }
  if (!model.loops().empty() || !model.couplings().empty()) state.q = close_loops(model, state.q);
  integrator.reset(state);
  for (int n = 0; n < std::lround(time / h); ++n) {
    const StepResult<double> result = integrator.step({}, h);
    ++made.steps;
    made.halved += result.substeps > 1 ? 1 : 0;
    made.convex += result.relaxed.friction ? 1 : 0;
    if (!result || integrator.read(state) != Status::converged) {
      made.failure = std::string(actio::name(result.status)) + " at " + std::to_string(n * h) + " s";
      break;
    }
  }
  scene.energy(state);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    if (!(model.inertia(i).mass > 0)) continue;
    const double speed = scene.velocity(i).norm();
    if (i == 1) made.base = speed;
    if (speed >= made.speed) made.speed = speed, made.rotation = scene.rotation(i), made.fastest = model.body_name(i);
  }
  return made;
}

}  // namespace

Rest rest(const std::filesystem::path& file, double h, double time) {
  try {
    return rest(damped_robot(file), h, time);
  } catch (const std::exception& error) {
    Rest refused;
    refused.refused = error.what();
    refused.refused = refused.refused.substr(0, refused.refused.find('\n'));
    return refused;
  }
}

}  // namespace variational_falls
