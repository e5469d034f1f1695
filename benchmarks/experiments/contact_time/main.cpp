// SPDX-License-Identifier: BSD-3-Clause
// The time of a variational step in contact beside a compliant step and a step of MuJoCo of the same scene, and beside a variational step of
// the same bodies without contact.
#include <algorithm>
#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/plane.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/limb.hpp"
#include "actio/model/samples/robots.hpp"
#include "runs.hpp"
#include "support/exponent.hpp"
#include "support/race.hpp"
#include "support/report.hpp"

namespace {

using namespace actio;
using namespace contact_time;
using experiments::Report;

ContactMaterial<double> rough() {
  ContactMaterial<double> material;
  material.friction = friction;
  return material;
}
PlaneContacts<double> ground_of(const Model<double>& model) {
  PlaneContacts<double> ground(rough());
  ground.add_shapes_of(model);
  return ground;
}
ModelBuilder<double> builder_of(const std::string& name) {
  ModelBuilder<double> builder(name);
  builder.gravity({0, 0, -g});
  return builder;
}

/// A box that stands on its face.
Model<double> box() {
  ModelBuilder<double> builder = builder_of("box");
  const Vector3<double> size(0.4, 0.3, 0.2);
  builder.add_body("box", Inertia<double>::box(2, size)).add_shape({.name = "box", .geometry = Box<double>{size}}, "box");
  builder.add_joint("free", "world", "box", Pose<double>::translation(0, 0, 0.1), Free<double>());
  return builder.build();
}
/// Balls of 1 kg that stand on each other.
Model<double> stack(int balls) {
  ModelBuilder<double> builder = builder_of("stack");
  for (int k = 0; k < balls; ++k) {
    const std::string name = "ball" + std::to_string(k);
    builder.add_body(name, Inertia<double>::sphere(1, 0.5)).add_shape({.name = name, .geometry = Sphere<double>{0.5}}, name);
    builder.add_joint(name, "world", name, Pose<double>::translation(0, 0, 0.5 + k), Free<double>());
  }
  return builder.build();
}
/// Quadrupeds of 13 bodies, with springs and dampers in their joints, that stand a metre apart.
Model<double> quadrupeds(int copies) {
  ModelBuilder<double> builder = builder_of("quadrupeds");
  for (int copy = 0; copy < copies; ++copy) {
    const Pose<double> at = Pose<double>::translation(copy % 8, copy / 8, 0.47);
    models::detail::add_quadruped<double>(builder, std::to_string(copy + 1) + "/", at, Base::floating);
  }
  const Model<double> model = builder.build();
  ModelProperties<double> properties = model.properties();
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    if (model.nv(i) != 1) continue;
    properties.stiffness[model.v_index(i)] = 400;
    properties.damping[model.v_index(i)] = 4;
  }
  return model.with_properties(properties);
}
/// A chain of capsules, with damped hinges, that lies on the ground.
Model<double> chain(int links) {
  ModelBuilder<double> builder = builder_of("chain");
  JointProperties<double> damped;
  damped.damping = 0.02;
  for (int k = 0; k < links; ++k) {
    const std::string name = "link" + std::to_string(k);
    models::detail::add_capsule<double>(builder, name, 0.5, 0.03, {0, 0, 0}, {0.2, 0, 0});
    if (k == 0) builder.add_joint("free", "world", name, Pose<double>::translation(0, 0, 0.031), Free<double>());
    else {
      builder.add_joint(name, "link" + std::to_string(k - 1), name, Pose<double>::translation(0.2, 0, 0),
                        Revolute<double>(k % 2 ? Vector3<double>::UnitY() : Vector3<double>::UnitZ()), damped);
    }
  }
  return builder.build();
}
Model<double> humanoid() {
  ModelBuilder<double> builder = builder_of("humanoid");
  models::detail::add_humanoid<double>(builder, "", Pose<double>::translation(0, 0, 0.97), Base::floating);
  return builder.build();
}

struct Times {
  double variational = 0, compliant = 0, free = 0;  // of a step [s]
};

/// Returns the settings of MuJoCo that are tried, of which the fastest counts.
std::vector<MujocoScene> settings_of(const Model<double>& model) {
  std::vector<MujocoScene> all;
  for (const bool elliptic : {true, false}) {
    for (const bool sparse : {true, false}) {
      if (!sparse && model.nv() > 300) continue;  // takes minutes
      all.push_back({.elliptic = elliptic, .sparse = sparse});
    }
  }
  return all;
}

class Board {
 public:
  explicit Board(const Report& report) : report_(report) {
    for (const experiments::Mujoco& mujoco : experiments::mujocos()) {
      table_.columns.insert(table_.columns.end(), {mujoco.name() + " [us]", "variational / it", "its settings"});
    }
  }

  /// Measures the steps after a time by the variational step, in which a scene comes to rest, or touches the ground.  @param settle, h [s].
  /// @param rests whether MuJoCo's scene comes to rest on its own contacts, too, before it is measured.
  template <class Contacts>
  Times add(const std::string& name, const Model<double>& model, State<double> start, const Contacts& contacts, double settle, bool rests,
            double h = 1e-3) {
    VariationalOptions<double> options;
    CompliantOptions<double> compliant;
    const auto room = static_cast<std::size_t>(4 * model.num_bodies());
    options.contact_capacity = compliant.contact_capacity = room;
    options.tie_capacity = compliant.tie_capacity = room;
    VariationalIntegrator settled(model, options, contacts);
    settled.reset(start);
    bool steps = true;
    for (double t = 0; t < settle; t += h) steps = steps && bool(settled.step({}, h));
    steps = steps && settled.read(start) == Status::converged;
    start.time = 0;
    std::vector<std::unique_ptr<experiments::Racer>> racers;
    racers.push_back(experiments::racer(std::move(settled), start, h));
    racers.push_back(experiments::racer(CompliantIntegrator(model, compliant, contacts), start, h));
    racers.push_back(experiments::racer(VariationalIntegrator(model), start, h));
    constexpr bool ties = !std::same_as<Contacts, PlaneContacts<double>>;
    struct Theirs {
      std::size_t first;                  // of its racers
      std::vector<MujocoScene> settings;  // of each
    };
    std::vector<Theirs> theirs;
    for (const experiments::Mujoco& version : experiments::mujocos()) {
      theirs.push_back({racers.size(), {}});
      for (MujocoScene scene : settings_of(model)) {
        scene.h = h, scene.settle = rests ? 1 : 0, scene.between_bodies = ties;
        auto racer = mujoco_racer(version, model, start, scene);
        if (racer == nullptr) continue;
        theirs.back().settings.push_back(scene);
        racers.push_back(std::move(racer));
      }
    }
    const int count = report_.is_short() ? 40 : 400;
    const std::vector<experiments::Lap> laps = experiments::race(racers, count, report_.is_short() ? 0.05 : 2);
    for (const experiments::Lap& lap : laps) steps = steps && lap.steps == count;
    report_.check(name + ": no step fails", steps);
    const Times times{laps[0].seconds / count, laps[1].seconds / count, laps[2].seconds / count};
    std::vector<experiments::Cell> row{name, double(model.nv()), 1e6 * times.variational, 1e6 * times.compliant, 1e6 * times.free,
                                       times.variational / times.compliant, times.variational / times.free, laps[0].iterations / count,
                                       double(laps[0].halved), double(laps[0].relaxed)};
    for (const Theirs& version : theirs) {
      if (version.settings.empty()) {
        row.insert(row.end(), 3, std::string("-"));
        continue;
      }
      std::size_t best = 0;
      const auto seconds = [&](std::size_t k) { return laps[version.first + k].seconds / count; };
      for (std::size_t k = 1; k < version.settings.size(); ++k) best = seconds(k) < seconds(best) ? k : best;
      row.insert(row.end(), {1e6 * seconds(best), times.variational / seconds(best), version.settings[best].text()});
    }
    table_.rows.push_back(row);
    return times;
  }
  void show() const { report_.table("steps", table_); }

 private:
  const Report& report_;
  experiments::Table table_{{"scene", "nv", "variational [us]", "compliant [us]", "without contact [us]", "/ compliant", "/ without contact",
                             "iterations", "halved", "relaxed"}, {}};
};

}  // namespace

int main(int argc, char** argv) {
  const Report report(argc, argv, "contact_time", "The time of a variational step in contact");
  Board board(report);
  {
    const Model<double> model = box();
    board.add("box on four corners", model, rest_state(model), ground_of(model), 0.1, true);
  }
  {
    const Model<double> model = humanoid();
    State<double> start = rest_state(model);
    start.v[3] = 1;  // it falls over, forwards
    start.v[4] = 0.5;
    board.add("humanoid, lying", model, start, ground_of(model), report.is_short() ? 1.5 : 6, true, 2e-3);
  }
  for (const int links : {10, 50}) {
    const Model<double> model = chain(links);
    board.add("chain of " + std::to_string(links) + ", lying", model, rest_state(model), ground_of(model), 0.5, true);
  }
  experiments::Curve copies{"variational", {}, {}}, compliant{"compliant", {}, {}};
  for (const int n : report.is_short() ? std::vector{1, 4} : std::vector{1, 4, 16, 64}) {
    const Model<double> model = quadrupeds(n);
    const Times times = board.add(std::to_string(n) + " standing quadruped" + (n > 1 ? "s" : ""), model, rest_state(model), ground_of(model), 1, true);
    copies.x.push_back(n);
    copies.y.push_back(1e6 * times.variational);
    compliant.x.push_back(n);
    compliant.y.push_back(1e6 * times.compliant);
  }
  for (const int balls : report.is_short() ? std::vector{20} : std::vector{20, 100}) {
    const Model<double> model = stack(balls);
    BodyContacts<double> between(rough());
    between.add_shapes_of(model);
    board.add("stack of " + std::to_string(balls) + " balls", model, rest_state(model), ContactSources(ground_of(model), between), 0.1, true);
  }
  // In motion: the first 0.4 s, or 0.8 s of the humanoid, after the first contact.
  {
    const Model<double> model = box();
    State<double> start = rest_state(model);
    start.v << 0, 0, 8, 3, 1, 0;  // joint of type free: angular velocity first
    board.add("box that slides and turns", model, start, ground_of(model), 0, false);
  }
  for (const int n : report.is_short() ? std::vector{1} : std::vector{1, 16}) {
    const Model<double> model = quadrupeds(n);
    State<double> start = rest_state(model);
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      if (model.nv(i) == 6) start.v.segment<6>(model.v_index(i)) << 1, 2, 0.5, 1, 0.5, 0;
    }
    board.add(std::to_string(n) + " falling quadruped" + (n > 1 ? "s" : ""), model, start, ground_of(model), 0.1, false);
  }
  {
    const Model<double> model = humanoid();
    State<double> start = rest_state(model);
    start.v[3] = 1;
    start.v[4] = 0.5;
    board.add("humanoid that falls over", model, start, ground_of(model), 0.2, false, 2e-3);
  }
  {
    const Model<double> model = chain(10);
    State<double> start = rest_state(model);
    start.q[2] += 0.2;
    start.v.segment<3>(0) << 1, 3, 2;
    board.add("chain of 10 that falls and slides", model, start, ground_of(model), 0.1, false);
  }
  board.show();
  report.figure("copies", {{"Standing quadrupeds", "copies", "time of a step [us]", true, true, {copies, compliant}}});
  if (!experiments::mujocos().empty()) {
    report.say(experiments::names_of_mujocos() + ": Newton's method, their own soft contacts; the fastest of the settings that are tried.");
  }
  report.say("Time of a step of n quadrupeds: n^" + experiments::text(experiments::exponent(copies, 1), 3) + " by variational, n^" +
             experiments::text(experiments::exponent(compliant, 1), 3) + " by compliant.");
  return report.verdict();
}
