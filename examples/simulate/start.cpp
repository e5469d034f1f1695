// SPDX-License-Identifier: BSD-3-Clause
#include "start.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "actio/core/text.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/integrators/close_loops.hpp"
#include "actio/integrators/compliant/options.hpp"
#include "actio/integrators/variational/options.hpp"
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

}  // namespace

void assign(Vector& vector, const std::string& text, const std::string& flag, const std::function<std::string(Eigen::Index)>& name_of) {
  const std::vector<std::string> pieces = split(text, ", \t\r\n");
  if (text.find('=') == std::string::npos) {
    if (static_cast<Eigen::Index>(pieces.size()) != vector.size()) {
      throw BadInput(flag + " has " + std::to_string(pieces.size()) + (pieces.size() == 1 ? " number" : " numbers") + ", expected " +
                     std::to_string(vector.size()) + ": " + names(vector.size(), " ", name_of) + "; or name=value for some of them" +
                     (text.find(',') == std::string::npos ? "" : ". Commas separate numbers, the decimal separator is a point"));
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
    if (found == vector.size()) {
      std::vector<std::string> known;
      for (Eigen::Index k = 0; k < vector.size(); ++k) known.push_back(name_of(k));
      throw BadInput(flag + ": no entry '" + name + "'; the entries are " + names(vector.size(), ", ", name_of) + did_you_mean(name, known));
    }
    if (seen[static_cast<std::size_t>(found)]) throw BadInput(flag + " gives '" + name + "' twice");
    seen[static_cast<std::size_t>(found)] = true;
    vector[found] = parse_number(piece.substr(equals + 1), flag + ", " + name);
  }
}

namespace {

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

/// Something that starts where it must not be, and by how much [m, rad].
struct Violation {
  std::string name;
  double amount;
};

/// Returns "joints 'a' by 0.5, 'b' by 0.2 and 3 more", the largest amounts first.
std::string list_of(std::vector<Violation> all, const char* what, const char* unit) {
  std::stable_sort(all.begin(), all.end(), [](const Violation& a, const Violation& b) { return a.amount > b.amount; });
  constexpr std::size_t most = 3;
  std::string text = what;
  for (std::size_t k = 0; k < std::min(all.size(), most); ++k) {
    text += (k == 0 ? " '" : ", '") + all[k].name + "' by " + actio::detail::to_text(all[k].amount, 3) + unit;
  }
  return all.size() > most ? text + " and " + std::to_string(all.size() - most) + " more" : text;
}

/// The ground of a model and the points of its shapes.
class Ground {
 public:
  Ground(const Model& model, const Options& options)
      : model_(&model), plane_(ground_contacts(model, options.settings)), data_(model), found_(plane_.most_points()) {}
  /// Returns the points that are at most `margin` above the ground at q; valid until the next call.
  std::span<const actio::ContactPoint<double>> points(const Vector& q, double margin) {
    actio::forward_kinematics(*model_, data_, q);
    found_.clear();
    plane_.find(data_.T_WB, margin, found_);
    return found_.points();
  }
  const actio::KinematicsData<double>& kinematics() const { return data_; }  ///< at q of the last points()
  /// Returns the direction away from the ground.  @pre points() found one
  actio::Vector3<double> normal() const { return found_.points().front().normal; }

 private:
  const Model* model_;
  actio::PlaneContacts<double> plane_;
  actio::KinematicsData<double> data_;
  actio::ContactList<double> found_;
};

/// Adds to x (nv) what moves a whole tree up: by the first joint from its root on that can translate it upwards.
/// @param data kinematics at the start.  @param up unit vector.  @param rise [m].  @returns false if there is no such joint.
bool add_rise(const Model& model, const actio::KinematicsData<double>& data, actio::BodyIndex root, const actio::Vector3<double>& up, double rise,
              Vector& x) {
  for (actio::BodyIndex i = root; i != 0;) {
    Vector upwards = Vector::Zero(model.nv(i));  // speed along `up` of each entry that translates
    for (Eigen::Index k = 0; k < model.nv(i); ++k) {
      const actio::Vector6<double> S = data.tree.subspace.col(model.v_index(i) + k);
      if (S.head<3>().isZero(0)) upwards[k] = up.dot(data.T_WB[i].R * S.tail<3>());
    }
    if (upwards.norm() > 0.1) {
      x.segment(model.v_index(i), model.nv(i)) = rise / upwards.squaredNorm() * upwards;
      return true;
    }
    // The next joint moves the whole tree too if this body has no shapes and carries only one other.
    const bool has_shapes = std::any_of(model.shapes().begin(), model.shapes().end(), [&](const auto& shape) { return shape.body == i; });
    actio::BodyIndex child = 0;
    int children = 0;
    for (actio::BodyIndex j = i + 1; j < model.num_bodies(); ++j) {
      if (model.parent(j) != i) continue;
      ++children;
      child = j;
    }
    i = !has_shapes && children == 1 ? child : 0;
  }
  return false;
}

actio::BodyIndex root_of(const Model& model, actio::BodyIndex body) {
  while (model.parent(body) > 0) body = model.parent(body);
  return body;
}

constexpr double small_depth = 1e-3;  // of a body in the ground at the start, which does no harm [m]

}  // namespace

std::string releasable(const Model& model) {
  const auto any = [](const auto& items) { return std::any_of(items.begin(), items.end(), [](const auto& item) { return item.active; }); };
  const bool loops = any(model.loops()), mimic = any(model.couplings());
  return std::string(loops ? "loops" : "") + (loops && mimic ? "," : "") + (mimic ? "mimic" : "");
}

Start::Start(const Model& model, const Options& options, const actio::State<double>* keyframe)
    : state(keyframe ? actio::State<double>{keyframe->q, keyframe->v, 0.0} : actio::rest_state(model)) {
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
  if (!model.enforced().contact || !options.settings.on_ground || (options.q && !options.lift)) return;
  Ground ground(model, options);
  Vector gap = Vector::Constant(model.num_bodies(), std::numeric_limits<double>::infinity());  // of the lowest point in the tree of each root
  for (const actio::ContactPoint<double>& point : ground.points(state.q, std::numeric_limits<double>::infinity())) {
    const actio::BodyIndex root = root_of(model, point.b);
    gap[root] = std::min(gap[root], point.gap);
  }
  Vector x = Vector::Zero(model.nv());
  for (actio::BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const double rise = options.lift ? *options.lift - gap[i] : std::max(-gap[i], 0.0);
    if (rise == 0 || !std::isfinite(rise)) continue;
    if (add_rise(model, ground.kinematics(), i, ground.normal(), rise, x)) lifted = std::abs(rise) > std::abs(lifted) ? rise : lifted;
    else if (options.lift) throw BadInput("--lift: joint '" + model.joint_name(i) + "' does not let the robot move up: give --floating-base too");
  }
  state.q = model.integrate(state.q, x);
}

void Start::check(const Model& model, const Options& options) {
  std::vector<Violation> outside, below;
  const auto& p = model.properties();
  for (actio::BodyIndex i = 1; model.enforced().limits && i < model.num_bodies(); ++i) {
    for (Eigen::Index k = 0; k < model.nv(i); ++k) {
      const Eigen::Index v = model.v_index(i) + k;
      if (!std::isfinite(p.lower[v]) && !std::isfinite(p.upper[v])) continue;
      const double q = state.q[model.q_index(i) + k], out = std::max(p.lower[v] - q, q - p.upper[v]);
      if (out > 1e-6) outside.push_back({model.v_name(v), out});
    }
  }
  if (!outside.empty()) {
    const bool is_one = outside.size() == 1, is_compliant = std::count(options.integrators.begin(), options.integrators.end(), "compliant") > 0;
    const double recovery = is_compliant ? actio::CompliantOptions<double>{}.recovery : actio::VariationalOptions<double>{}.recovery;
    warnings.push_back(list_of(outside, is_one ? "joint" : "joints", "") + (is_one ? " starts outside its range" : " start outside their ranges") +
                       ": moved back at " + actio::detail::to_text(recovery, 3) +
                       " rad/s or m/s at most, as far as loops allow; --q \"name=value\" sets another start");
  }
  if (!model.enforced().contact || !options.settings.on_ground) return;
  Ground ground(model, options);
  double energy = 0;
  for (const actio::ContactPoint<double>& point : ground.points(state.q, 0.0)) {
    energy += std::get<actio::Compliance<double>>(point.material->normal).energy(point.gap);
    const auto same = std::find_if(below.begin(), below.end(), [&](const Violation& one) { return one.name == model.body_name(point.b); });
    if (same == below.end()) below.push_back({model.body_name(point.b), -point.gap});
    else same->amount = std::max(same->amount, -point.gap);
  }
  std::erase_if(below, [](const Violation& one) { return one.amount < small_depth; });
  if (below.empty()) return;
  const bool is_one = below.size() == 1;
  const std::string where = list_of(below, is_one ? "body" : "bodies", " m") + (is_one ? " starts" : " start") + " in the ground";
  if (options.q || options.lift) {  // the user asked for it
    const std::string out = options.settings.ground.is_rigid() ? ", which they leave slowly" : ", whose springs push them out with " + actio::detail::to_text(energy, 3) + " J";
    warnings.push_back(where + out + "; --lift 0 raises a robot that can move up");
    return;
  }
  throw BadInput(options.model + ": " + where + ", and no joint lets the robot move up: give " + (options.floating_base ? "" : "--floating-base, or ") +
                 "a pose above the ground by --q" + (options.seed ? " or by another --random-state" : ""));
}

void Start::prepare(const Model& model, const Options& options) {
  close(model, options);
  lift(model, options);
  if (lifted != 0) close(model, options);  // loops with the world
  check(model, options);
  if (options.settings.between_bodies) overlaps = simulate::overlaps(model, options.settings, state.q);
}

}  // namespace simulate
