// SPDX-License-Identifier: BSD-3-Clause
#include "drive.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "actio/core/text.hpp"
#include "actio/model/describe.hpp"
#include "actio/simulation/hold.hpp"
#include "drive_meter.hpp"

namespace simulate {
namespace {

using actio::detail::counted;
using actio::detail::to_text;
using Actuators = std::vector<actio::Actuator<double>>;

std::string range(double lower, double upper) { return to_text(lower, 6) + " to " + to_text(upper, 6); }

/// Returns "2 motor, 1 position".
std::string kinds(const Actuators& actuators) {
  std::map<std::string, int> count;
  for (const auto& a : actuators) ++count[a.kind];
  std::string text;
  for (const auto& [kind, number] : count) text += (text.empty() ? "" : ", ") + std::to_string(number) + ' ' + kind;
  return text;
}

/// Returns the smallest and the largest of a number of each actuator.
template <class Number>
std::string span(const Actuators& actuators, Number number) {
  double low = INFINITY, high = -INFINITY;
  for (const auto& a : actuators) {
    low = std::min(low, number(a));
    high = std::max(high, number(a));
  }
  return low == high ? to_text(low, 3) : to_text(low, 3) + " to " + to_text(high, 3);
}

}  // namespace

const actio::Keyframe<double>* find_keyframe(const actio::Loaded<double>& loaded, const Options& options) {
  if (!options.keyframe) return nullptr;
  const std::string& wanted = *options.keyframe;
  std::vector<std::string> names;
  for (const auto& key : loaded.keyframes) {
    if (!wanted.empty() && key.name == wanted) return &key;
    if (!key.name.empty()) names.push_back(key.name);
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  if (error == std::errc{} && end == wanted.data() + wanted.size() && index < loaded.keyframes.size()) return &loaded.keyframes[index];
  if (loaded.keyframes.empty()) throw BadInput("--keyframe: " + options.model + " has no keyframes");
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? ": " : ", ") + name;
  throw BadInput("--keyframe: no keyframe '" + wanted + "'; there are " + std::to_string(loaded.keyframes.size()) + ", from index 0" +
                 known + did_you_mean(wanted, names));
}

std::string describe_drive(const actio::Loaded<double>& loaded) {
  std::string text;
  for (const auto& a : loaded.actuators) {
    text += "actuator " + a.name + ": " + a.kind + " on " + loaded.model.v_name(a.v_index(loaded.model));
    if (a.gear != 1) text += ", gear " + to_text(a.gear, 6);
    if (a.stiffness != 0) text += ", kp " + to_text(a.stiffness, 6);
    if (a.damping != 0) text += ", kv " + to_text(a.damping, 6);
    if (std::isfinite(a.ctrl_lower)) text += ", control " + range(a.ctrl_lower, a.ctrl_upper);
    if (std::isfinite(a.force_lower)) text += ", force " + range(a.force_lower, a.force_upper);
    text += '\n';
  }
  for (std::size_t k = 0; k < loaded.keyframes.size(); ++k) {
    text += "keyframe " + std::to_string(k) + (loaded.keyframes[k].name.empty() ? "" : ": " + loaded.keyframes[k].name) + '\n';
  }
  if (loaded.time_step) text += "time step of the file: " + to_text(*loaded.time_step, 6) + " s\n";
  return text;
}

Drive::Drive(const actio::Loaded<double>& loaded, const Options& options, const actio::VectorX<double>& start)
    : actuators(loaded.actuators), ctrl(actio::VectorX<double>::Zero(std::ssize(loaded.actuators))) {
  const auto* const key = find_keyframe(loaded, options);
  if (key) ctrl = key->ctrl;
  if (options.ctrl && actuators.empty()) {
    throw BadInput("--ctrl: " + options.model + " has no actuators" + (options.hold ? "" : "; --hold holds the start pose"));
  }
  if (options.hold) {
    actio::HeldPose<double> held = actio::hold_pose(loaded.model, loaded.actuators, ctrl, start);
    actuators = std::move(held.actuators);
    ctrl = std::move(held.ctrl);
    not_held = std::move(held.not_held);
  }
  const auto of_file = static_cast<std::ptrdiff_t>(loaded.actuators.size());
  if (options.ctrl) {
    actio::VectorX<double> given = ctrl.head(of_file);
    assign(given, *options.ctrl, "--ctrl", [&](Eigen::Index k) { return actuators[static_cast<std::size_t>(k)].name; });
    ctrl.head(of_file) = given;
  }
  const char* const controls = options.ctrl ? ", controls as given"
                               : options.hold ? ", servos at the start pose"
                               : key          ? ", controls of the keyframe"
                                              : ", controls 0";
  if (of_file > 0) remarks.push_back(kinds(loaded.actuators) + controls);
  for (std::size_t k = 0; k < loaded.actuators.size(); ++k) {
    const auto& a = actuators[k];
    const double c = ctrl[static_cast<Eigen::Index>(k)];
    if (a.limited_ctrl(c) == c) continue;
    remarks.push_back("the control " + to_text(c, 6) + " of " + a.name + " is limited to its range " + range(a.ctrl_lower, a.ctrl_upper));
  }
  if (!options.hold) return;
  Actuators servos;
  const auto is_servo = [](const auto& a) { return a.stiffness > 0 && a.gain != 0; };
  std::copy_if(actuators.begin(), actuators.end(), std::back_inserter(servos), is_servo);
  std::string left;
  for (std::size_t k = 0; k < not_held.size(); ++k) {
    if (k == 8) {
      left += " and " + std::to_string(not_held.size() - k) + " more";
      break;
    }
    left += (left.empty() ? "" : ", ") + not_held[k];
  }
  if (servos.empty()) throw BadInput("--hold: " + options.model + " has no joint that can be held" + (left.empty() ? "" : ": " + left));
  remarks.push_back("hold: " + counted(std::ssize(servos), "servo", "servos") + " of stiffness " +
                    span(servos, [](const auto& a) { return a.gear * a.gear * a.stiffness; }) + ", damping " +
                    span(servos, [](const auto& a) { return a.gear * a.gear * a.damping; }) + " (N m or N, per rad or m and s)");
  if (!left.empty()) remarks.push_back("not held: " + left);
}

bool Drive::acts() const {
  for (std::size_t k = 0; k < actuators.size(); ++k) {
    const auto& a = actuators[k];
    const double push = a.gain * a.limited_ctrl(ctrl[static_cast<Eigen::Index>(k)]);
    const bool is_affine = a.constant != 0 || a.stiffness != 0 || a.damping != 0;
    if (a.gear != 0 && (push != 0 || is_affine || a.force_lower > 0 || a.force_upper < 0)) return true;
  }
  return false;
}

actio::Model<double> Drive::damped(const actio::Model<double>& model) const {
  actio::ModelProperties<double> p = model.properties();
  for (const auto& a : actuators) p.damping[a.v_index(model)] += 1;
  return model.with_properties(p);
}

actio::VectorX<double> DriveMeter::forces(const actio::State<double>& x) const {
  actio::VectorX<double> tau = actio::VectorX<double>::Zero(x.v.size());
  actio::add_actuator_forces(control_->model(), control_->actuators(), control_->ctrl(), x.q, x.v, tau);
  return tau;
}

void DriveMeter::begin(const actio::State<double>& x) {
  first_ = last_ = x;
  tau_ = forces(x);
}

void DriveMeter::add_step(const actio::State<double>& x, const actio::DiagnosticsSample<double>* books) {
  const Control& control = *control_;
  const actio::VectorX<double> step = control.model().difference(last_.q, x.q), moved = control.model().difference(first_.q, x.q);
  const actio::VectorX<double> before = std::exchange(tau_, forces(x));
  damped_ += control.damping_work(step, 0.5 * (last_.v + x.v));
  const double of_books = books ? books->input - damped_ - (control.elastic_energy(x.q) - control.elastic_energy(first_.q)) : 0;
  if (control.use() != actio::ActuatorUse::inputs && control.model().servos().empty()) work_ += 0.5 * (before + tau_).dot(step);
  else work_ = of_books;
  if (books) {
    const double error = std::abs(books->balance + of_books - work_);
    largest_error_ = std::isfinite(error) ? std::max(largest_error_, error) : INFINITY;
  }
  last_ = x;
  for (const auto& a : control.actuators()) {
    const Eigen::Index v = a.v_index(control.model());
    if (!(std::abs(moved[v]) > deviation_)) continue;
    deviation_ = std::abs(moved[v]);
    deviating_ = v;
  }
}

}  // namespace simulate
