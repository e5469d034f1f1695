// SPDX-License-Identifier: BSD-3-Clause
#include "start.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "actio/contacts/plane.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/integrators/close_loops.hpp"
#include "actio/model/samples/random.hpp"

namespace simulate {
namespace {

using Model = actio::Model<double>;
using Vector = actio::VectorX<double>;

/// Returns the names of the entries, as many as fit in a line.
std::string names(Eigen::Index count, const char* separator, const std::function<std::string(Eigen::Index)>& name_of) {
  std::string all;
  for (Eigen::Index k = 0; k < count; ++k) {
    if (k > 0) all += separator;
    if (all.size() > 200) return all += "...";
    all += name_of(k);
  }
  return count == 0 ? "none" : all;
}

/// Fills `vector` from a text with all its numbers, or with some of them as name=value.
void assign(Vector& vector, const std::string& text, const std::string& flag, const std::function<std::string(Eigen::Index)>& name_of) {
  const std::vector<std::string> pieces = split(text, " \t\r\n");
  if (text.find('=') == std::string::npos) {
    if (static_cast<Eigen::Index>(pieces.size()) != vector.size()) {
      throw BadInput(flag + " has " + std::to_string(pieces.size()) + " numbers, expected " + std::to_string(vector.size()) + ": " +
                     names(vector.size(), " ", name_of) + "; or name=value for some of them");
    }
    for (Eigen::Index k = 0; k < vector.size(); ++k) vector[k] = parse_number(pieces[static_cast<std::size_t>(k)], flag + ", " + name_of(k));
    return;
  }
  std::vector<bool> seen(static_cast<std::size_t>(vector.size()), false);
  for (const std::string& piece : pieces) {
    const std::size_t equals = piece.rfind('=');
    if (equals == std::string::npos) throw BadInput(flag + ": '" + piece + "' has no name, expected name=value");
    const std::string name = piece.substr(0, equals);
    Eigen::Index found = 0;
    while (found < vector.size() && name_of(found) != name) ++found;
    if (found == vector.size()) throw BadInput(flag + ": no entry '" + name + "'; the entries are " + names(vector.size(), ", ", name_of));
    if (seen[static_cast<std::size_t>(found)]) throw BadInput(flag + " gives '" + name + "' twice");
    seen[static_cast<std::size_t>(found)] = true;
    vector[found] = parse_number(piece.substr(equals + 1), flag + ", " + name);
  }
}

/// Normalises quaternions that were typed with a few digits.
void tidy_quaternions(const Model& model, Vector& q) {
  for (actio::BodyIndex i = 1; i < model.num_bodies(); ++i) {
    actio::visit_joint(model, i, [&]<actio::JointType J>(const J&) {
      if constexpr (J::nq == J::nv + 1 && J::nq >= 4) {
        const Eigen::Index at = model.q_index(i) + J::nq - 4;
        const double norm = q.segment<4>(at).norm();
        if (std::abs(norm - 1) < 1e-2) q.segment<4>(at) /= norm;
      }
    });
  }
}

}  // namespace

std::string releasable(const Model& model) {
  const auto any = [](const auto& items) { return std::any_of(items.begin(), items.end(), [](const auto& item) { return item.active; }); };
  const bool loops = any(model.loops()), mimic = any(model.couplings());
  return std::string(loops ? "loops" : "") + (loops && mimic ? "," : "") + (mimic ? "mimic" : "");
}

Start::Start(const Model& model, const Options& options) : state(actio::rest_state(model)) {
  if (options.seed) {
    actio::models::Random random(*options.seed);
    state.q = actio::models::random_configuration(model, random);
    state.v = actio::models::random_velocity(model, random);
  }
  if (options.q) {
    assign(state.q, *options.q, "--q", [&](Eigen::Index k) { return model.q_name(k); });
    tidy_quaternions(model, state.q);
  }
  if (options.v) assign(state.v, *options.v, "--v", [&](Eigen::Index k) { return model.v_name(k); });
  if (const std::string why = model.why_not_configuration(state.q); !why.empty()) throw BadInput("--q: " + why);
}

void Start::close(const Model& model, const Options& options) {
  const std::string active = releasable(model);
  if (active.empty()) return;
  try {
    const Vector closed = actio::close_loops(model, state.q), x = model.difference(state.q, closed);
    const double far = x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0;
    if (far < 1e-12) return;  // rounding only: the requested configuration is kept
    state.q = closed;
    moved = far;
  } catch (const actio::ModelError& error) {
    throw BadInput(options.model + ": " + error.what() + " (try another --q, or --release " + active + ')');
  }
}

void Start::lift(const Model& model, const Options& options) {
  if (!model.enforced().contact || options.q) return;
  auto ground = actio::PlaneContacts<double>::ground_of(model, options.settings.ground);
  ground.add_shapes_of(model, actio::Meshes::leave_out);
  actio::KinematicsData<double> data(model);
  actio::forward_kinematics(model, data, state.q);
  actio::ContactList<double> points(ground.most_points());
  ground.find(data.T_WB, 0.0, points);
  Vector depth = Vector::Zero(model.num_bodies());  // of the deepest point in the tree of each root
  for (const actio::ContactPoint<double>& point : points.points()) {
    actio::BodyIndex root = point.b;
    while (model.parent(root) > 0) root = model.parent(root);
    depth[root] = std::max(depth[root], -point.gap);
  }
  for (actio::BodyIndex i = 1; i < model.num_bodies(); ++i) {
    if (depth[i] == 0 || !std::holds_alternative<actio::Free<double>>(model.joint(i))) continue;
    state.q.segment<3>(model.q_index(i)) += depth[i] * model.placement(i).R.row(2).transpose();
    lifted = std::max(lifted, depth[i]);
  }
}

}  // namespace simulate
