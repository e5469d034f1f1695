// SPDX-License-Identifier: BSD-3-Clause
// The summary as JSON: all that the text has. Numbers that are not finite become null, because JSON has no infinity.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "actio/model/describe.hpp"
#include "report.hpp"
#include "warnings.hpp"

namespace simulate {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::vector<actio::Finding>& findings) {
  Json list = Json::array();
  for (const auto& [code, origin, text] : findings) list.push_back({{"code", code}, {"origin", origin}, {"text", text}});
  return list;
}

Json to_json(const Eigen::Ref<const Eigen::VectorXd>& numbers) { return std::vector<double>(numbers.begin(), numbers.end()); }

/// Returns why, when and where the run failed; null if it did not.
Json failure(const Run& run, const Model& model) {
  if (run.summary) return nullptr;
  Json json;
  json["status"] = actio::name(run.summary.status);
  json["time"] = run.summary.time;
  json["step"] = run.summary.steps + 1;
  json["culprit"] = nullptr;
  if (run.summary.culprit) json["culprit"] = actio::describe(model, run.summary.culprit);
  json["text"] = describe_failure(run, model);
  return json;
}

}  // namespace

Json to_json(const Model& model, const actio::LoadReport& report, const Options& options, const Start& start, const Drive& drive,
             const Run& run) {
  const Watch& watch = run.watch;
  Json json;
  json["model"] = model.name();
  json["file"] = options.model;
  json["dof"] = dof(report);
  json["nv"] = model.nv();
  json["mass"] = model.mass();
  json["bodies"] = model.num_bodies() - 1;
  json["floating_base"] = report.floating > 0;
  json["gravity"] = to_json(model.gravity());
  json["start"] = {{"text", options.start()}, {"q", to_json(start.state.q)}, {"v", to_json(start.state.v)}};
  json["start"]["moved_to_close_loops"] = start.moved;
  json["start"]["lifted"] = start.lifted;
  json["start"]["warnings"] = start.warnings;
  json["contact"] = nullptr;
  if (model.enforced().contact) {
    json["contact"] = {{"ground", options.settings.on_ground}, {"bodies", options.settings.between_bodies}, {"passing", Json::array()}};
    for (const auto& [a, b] : options.settings.passing) json["contact"]["passing"].push_back({model.body_name(a), model.body_name(b)});
  }
  json["ctrl"] = Json::object();
  for (std::size_t k = 0; k < drive.actuators.size(); ++k) {
    if (drive.actuators[k].kind != "hold") json["ctrl"][drive.actuators[k].name] = drive.ctrl[static_cast<Eigen::Index>(k)];
  }
  json["hold"] = nullptr;
  if (options.hold && watch.drive) {
    Json& hold = json["hold"] = {{"servos", Json::array()}, {"not_held", drive.not_held}};
    hold["deviation_max"] = watch.drive->deviation();
    hold["deviating"] = watch.drive->deviating();
    for (const auto& a : drive.actuators) {
      if (!(a.stiffness > 0)) continue;
      const double square = a.gear * a.gear;
      hold["servos"].push_back({{"name", a.name},
                                {"joint", model.v_name(a.v_index(model))},
                                {"stiffness", square * a.stiffness},
                                {"damping", square * a.damping}});
    }
  }
  json["integrator"] = run.integrator;
  json["status"] = !run.summary ? "failed" : run.signal != 0 ? "interrupted" : "finished";
  json["failure"] = failure(run, model);
  json["warnings"] = warnings_of(run, model, options);
  json["step"] = options.step;
  json["step_source"] = options.step_source;
  json["duration"] = options.duration;
  json["time"] = run.summary.time;
  json["steps"] = run.summary.steps;
  json["failed_steps"] = run.summary.failed_steps;
  json["substeps"] = run.summary.substeps;
  json["relaxed_loops"] = run.summary.relaxed_loops;
  json["relaxed_friction"] = run.summary.relaxed_friction;
  json["relaxed_restitution"] = run.summary.relaxed_restitution;
  json["impacts"] = run.summary.impacts;
  json["reversals"] = run.summary.reversals;
  json["iterations_mean"] = run.summary.mean_iterations();
  json["iterations_max"] = run.summary.worst_iterations;
  json["evaluations_mean"] = run.summary.mean_evaluations();
  json["wall_seconds"] = run.summary.seconds;
  json["ns_per_body_step"] = ns_per_body_step(model, run);
  json["steps_between_samples"] = watch.meter_stride;
  json["energy_initial"] = watch.energy.initial().total();
  json["kinetic_energy_max"] = watch.energy.largest_kinetic();
  json["energy_error_max"] = watch.energy.largest_error();
  json["energy_drift_max"] = watch.energy.relative_error();
  json["actuator_work"] = json["dissipated"] = json["added_by_corrections"] = json["energy_unaccounted_max"] =
      json["energy_unaccounted_drift_max"] = nullptr;
  if (watch.books) {
    json["dissipated"] = dissipated(watch);
    if (watch.drive) json["actuator_work"] = watch.drive->work();
    json["added_by_corrections"] = watch.books->now().corrections;
    json["energy_unaccounted_max"] = largest_error(watch);
    json["energy_unaccounted_drift_max"] = relative_error(watch);
  }
  json["linear_momentum_error"] = json["angular_momentum_error"] = nullptr;
  if (watch.momentum.protects_linear()) json["linear_momentum_error"] = watch.momentum.linear_error();
  if (watch.momentum.protects_angular()) json["angular_momentum_error"] = watch.momentum.angular_error();
  json["conserved_momenta"] = watch.momentum.what();
  json["gap_max"] = watch.gap.largest();
  json["h_omega_max"] = watch.rate.largest_rotation();
  json["rotation_per_step_max"] = watch.rate.largest_body_rotation();
  json["spring_frequency"] = watch.rate.spring_frequency();
  json["not_enforced"] = Json::array();
  for (const NotEnforced& item : not_enforced(model)) json["not_enforced"].push_back(item.word);
  json["repaired"] = to_json(report.repairs);
  json["doubtful"] = to_json(report.warnings);
  json["ignored"] = report.ignored;
  return json;
}

}  // namespace simulate
