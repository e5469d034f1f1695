// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Converts states to and from the layouts of Pinocchio, MuJoCo, Drake and DART, which io/peers/convention.hpp describes.
#include <algorithm>
#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include "actio/core/elementary.hpp"
#include "actio/io/peers/convention.hpp"
#include "actio/io/peers/joint_order.hpp"
#include "actio/model/state.hpp"

namespace actio {

/// Configuration and velocity in another library's layout.
template <Scalar S>
struct PeerState {
  VectorX<S> q;  ///< (PeerLayout::nq) [rad, m; quaternions, cos and sin 1]
  VectorX<S> v;  ///< (PeerLayout::nv) [rad/s, m/s]
};

/// What a PeerLayout cannot know about the other library's model.
struct PeerOptions {
  /// All joints in the other library's order, by the names used here; empty: in this model's order. Libraries number joints differently
  /// (Pinocchio and DART sort the joints that a URDF file attaches to a link by name), so pass the library's own list without its fixed
  /// joints and its universe. Free joints on the world may be left out, under any name: they come first. The entries of
  /// a cylindrical joint are listed one by one, "slider.length", "slider.angle".
  std::vector<std::string> joints{};
  /// Revolute joints that Pinocchio stores as (cos, sin); if not given, those without limits, as it reads URDF. For MJCF it has none: {{}}.
  std::optional<std::vector<std::string>> continuous{};
};

/// Where a model's q and v are found in another library, determined once: `PeerLayout layout(model, peers::mujoco);` A library that keeps
/// fixed joints, which are merged here, has the same entries. Information that the other layout cannot represent is lost: full revolutions
/// of (cos, sin) and of rotation vectors, and the sign of a quaternion if rotations are stored in another form. Conversions are O(bodies)
/// and allocate.
template <class ModelType>
class PeerLayout {
 public:
  using Model = ModelType;                    ///< type of the model whose states are converted
  using Scalar = typename Model::Scalar;      ///< of all numbers
  using Vector = VectorX<Scalar>;             ///< type of results
  using VectorView = ConstVectorRef<Scalar>;  ///< type of arguments

  /// @param model must outlive the layout.  @throws ModelError that names a joint which the other library does not have, or which the
  /// options omit, list twice or name although the model does not have it.
  explicit PeerLayout(const Model& model, const PeerConvention& peer, const PeerOptions& options = {}) : model_(&model), peer_(peer) {
    for (const std::string& name : options.continuous.value_or(std::vector<std::string>{})) {
      const BodyIndex i = model.find_joint(name);
      if (!is_joint<Revolute<Scalar>>(model, i)) refuse_layout(named(i) + "it is listed as continuous, but is not revolute");
    }
    for (const auto& [body, entry] : detail::joints_in_order(model, options.joints, where())) add(body, entry, options);
  }
  explicit PeerLayout(Model&&, const PeerConvention&, const PeerOptions& = {}) = delete;  // the layout would dangle

  Eigen::Index nq() const { return nq_; }  ///< number of entries of the other library's q
  Eigen::Index nv() const { return nv_; }  ///< number of entries of the other library's v

  /// Converts a state.  @throws OptionsError if the state does not fit the model: sizes, non-finite numbers, quaternions that are not unit.
  PeerState<Scalar> to_peer(const State<Scalar>& state) const {
    require_configuration(state.q);
    PeerState<Scalar> theirs{Vector(nq_), Vector(nv_)};
    for (const Segment& s : segments_) write(s, state.q, theirs.q);
    theirs.v = in_their_axes(state.q, state.v, Kind::velocity);
    return theirs;
  }

  /// Converts a state back.  @param time of the result [s].
  /// @throws OptionsError for sizes other than nq() and nv(), non-finite numbers, quaternions and (cos, sin) that are not unit.
  State<Scalar> from_peer(const PeerState<Scalar>& theirs, Scalar time = Scalar(0)) const {
    require("q", theirs.q, nq_, [&](Eigen::Index k) { return q_names()[static_cast<std::size_t>(k)]; });
    State<Scalar> state{Vector(model_->nq()), Vector(model_->nv()), time};
    for (const Segment& s : segments_) read(s, theirs.q, state.q);
    state.v = in_our_axes(state.q, theirs.v, Kind::velocity);
    return state;
  }

  ///@{
  /// Converts joint forces, or momenta, at the configuration q, such that their product with velocities is the same in both layouts.
  /// @param q (nq) in this library's layout.  @param tau (nv) in the layout that is converted [N m, N].  @throws OptionsError as to_peer().
  Vector forces_to_peer(const VectorView& q, const VectorView& tau) const {
    require_configuration(q);
    return in_their_axes(q, tau, Kind::force);
  }
  Vector forces_from_peer(const VectorView& q, const VectorView& tau) const {
    require_configuration(q);
    return in_our_axes(q, tau, Kind::force);
  }
  ///@}

  ///@{
  /// Return the names of the other layout's entries: the joint's name, with a dot and the entry if there are several, "wheel.cos".
  std::vector<std::string> q_names() const;
  std::vector<std::string> v_names() const;
  ///@}

 private:
  enum class Form { entries, circle, planar, ball, free };
  enum class Kind { velocity, force };
  /// A joint, or an entry of a cylindrical one, in both layouts.
  struct Segment {
    BodyIndex body;
    Form form = Form::entries;
    Eigen::Index our_q, our_v, q, v;  ///< first entries, in this layout (our_) and in the other
    Eigen::Index nq, nv;              ///< number of entries in the other layout
    Pose<Scalar> T_WF = Pose<Scalar>::identity(), T_ML = Pose<Scalar>::identity();  ///< of a free joint that is stored as T_WL
  };

  void add(BodyIndex body, Eigen::Index entry, const PeerOptions& options);
  bool is_continuous(BodyIndex i, const PeerOptions& options) const;

  void write(const Segment& s, const VectorView& ours, Vector& theirs) const;
  void read(const Segment& s, const Vector& theirs, Vector& ours) const;
  void write_angle(const Scalar& angle, Eigen::Index at, Vector& theirs) const;
  Scalar read_angle(const Segment& s, Eigen::Index at, const Vector& theirs) const;
  Quaternion<Scalar> read_rotation(const Segment& s, RotationForm form, Eigen::Index at, const Vector& theirs) const;
  Vector in_their_axes(const VectorView& q, const VectorView& ours, Kind kind) const;
  Vector in_our_axes(const VectorView& q, const VectorView& theirs, Kind kind) const;

  // First entries of the parts of a free joint: rotation, position, angular velocity, linear velocity.
  Eigen::Index rotation_at(const Segment& s) const { return s.q + (peer_.linear_first ? 3 : 0); }
  Eigen::Index position_at(const Segment& s) const { return s.q + (peer_.linear_first ? 0 : s.nq - 3); }
  Eigen::Index angular_at(const Segment& s) const { return s.v + (peer_.linear_first ? 3 : 0); }
  Eigen::Index linear_at(const Segment& s) const { return s.v + (peer_.linear_first ? 0 : 3); }

  /// Returns the axes of the child in the parent; for a free joint, those of the link in the world.
  Matrix3<Scalar> child_axes(const Segment& s, const VectorView& q) const;
  VelocityAxes axes_of(const Segment& s) const { return s.form == Form::ball ? peer_.ball_velocity : peer_.planar; }
  /// Returns the matrix that takes components in the child's axes to components in the requested axes.
  static Matrix3<Scalar> turn_to(VelocityAxes axes, const Matrix3<Scalar>& child) {
    return axes == VelocityAxes::parent ? child : Matrix3<Scalar>::Identity();
  }
  static Eigen::Quaternion<Scalar> quaternion_in(const VectorView& q, Eigen::Index at) {
    return Eigen::Quaternion<Scalar>(Vector4<Scalar>(q.template segment<4>(at)));
  }

  std::string where() const { return detail::concat({"model '", model_->name(), "' in the layout of ", peer_.name, ": "}); }
  std::string named(BodyIndex i) const { return "joint '" + model_->joint_name(i) + "': "; }
  [[noreturn]] void refuse_layout(const std::string& why) const { throw ModelError(where() + why); }
  [[noreturn]] void refuse_state(const std::string& why) const { throw OptionsError("state of " + where() + why); }
  template <class NameOf>
  void require(const char* what, const VectorView& x, Eigen::Index size, NameOf name_of) const {
    if (x.size() != size) {
      refuse_state(detail::concat({what, " has ", std::to_string(x.size()), " entries, expected ", std::to_string(size)}));
    }
    for (Eigen::Index k = 0; k < size; ++k) {
      if (!is_finite(x[k])) refuse_state(detail::concat({what, " '", name_of(k), "' is not finite"}));
    }
  }
  void require_configuration(const VectorView& q) const {
    if (const std::string why = model_->why_not_configuration(q); !why.empty()) refuse_state(why);
  }

  const Model* model_;
  PeerConvention peer_;
  std::vector<Segment> segments_;  // in the other library's order
  Eigen::Index nq_ = 0, nv_ = 0;
};

template <class Model>
bool PeerLayout<Model>::is_continuous(BodyIndex i, const PeerOptions& options) const {
  if (const auto& list = options.continuous) return std::find(list->begin(), list->end(), model_->joint_name(i)) != list->end();
  const auto& p = model_->properties();
  return !is_finite(p.lower[model_->v_index(i)]) && !is_finite(p.upper[model_->v_index(i)]);
}

template <class Model>
void PeerLayout<Model>::add(BodyIndex i, Eigen::Index entry, const PeerOptions& options) {
  const Model& model = *model_;
  Segment s{.body = i, .our_q = model.q_index(i), .our_v = model.v_index(i), .q = nq_, .v = nv_, .nq = model.nq(i), .nv = model.nv(i)};
  visit_joint(model, i, [&]<JointType J>(const J&) {
    const std::string has_none = named(i) + std::string(peer_.name) + " has no " + std::string(joints::type_name<J>()) + " joints";
    if constexpr (std::same_as<J, Revolute<Scalar>>) {
      if (!peer_.circle || !is_continuous(i, options)) return;
      s.form = Form::circle;
      s.nq = 2;
    } else if constexpr (std::same_as<J, Prismatic<Scalar>> || std::same_as<J, Universal<Scalar>>) {
      return;
    } else if constexpr (std::same_as<J, Helical<Scalar>>) {
      if (!peer_.helical) refuse_layout(has_none);
    } else if constexpr (std::same_as<J, Cylindrical<Scalar>>) {
      if (entry < 0) {
        refuse_layout(has_none + ": list two in its place, '" + model.v_name(s.our_v) + "' and '" + model.v_name(s.our_v + 1) + '\'');
      }
      s.our_q += entry;
      s.our_v += entry;
      s.nq = s.nv = 1;
    } else if constexpr (std::same_as<J, Planar<Scalar>>) {
      s.form = Form::planar;
      s.nq = peer_.circle ? 4 : 3;
    } else if constexpr (std::same_as<J, Spherical<Scalar>>) {
      s.form = Form::ball;
      s.nq = static_cast<Eigen::Index>(detail::entry_names(peer_.ball).size());
    } else if constexpr (std::same_as<J, Free<Scalar>>) {
      s.form = Form::free;
      s.nq = 3 + static_cast<Eigen::Index>(detail::entry_names(peer_.free).size());
      if (model.parent(i) == 0) {
        s.T_WF = model.placement(i);
        s.T_ML = model.find_frame(model.body_name(i)).T_BF;
      } else if (!peer_.free_below) {
        refuse_layout(has_none + " except on the world");
      }
    } else {
      refuse_layout(has_none);
    }
  });
  nq_ += s.nq;
  nv_ += s.nv;
  segments_.push_back(s);
}

template <class Model>
void PeerLayout<Model>::write(const Segment& s, const VectorView& ours, Vector& theirs) const {
  switch (s.form) {
    case Form::entries: theirs.segment(s.q, s.nq) = ours.segment(s.our_q, s.nq); break;
    case Form::circle: write_angle(ours[s.our_q], s.q, theirs); break;
    case Form::planar:
      theirs.segment(s.q, 2) = ours.segment(s.our_q, 2);
      write_angle(ours[s.our_q + 2], s.q + 2, theirs);
      break;
    case Form::ball: theirs.segment(s.q, s.nq) = detail::to_entries<Scalar>(peer_.ball, quaternion_in(ours, s.our_q)); break;
    case Form::free: {
      const Quaternion<Scalar> q_FM = quaternion_in(ours, s.our_q + 3);
      const Vector3<Scalar> p_FM = ours.template segment<3>(s.our_q), p_FL = p_FM + quaternion::rotation_matrix<Scalar>(q_FM) * s.T_ML.p;
      const Quaternion<Scalar> q_FL = quaternion::multiply<Scalar>(q_FM, s.T_ML.quaternion());
      theirs.template segment<3>(position_at(s)) = s.T_WF * p_FL;
      theirs.segment(rotation_at(s), s.nq - 3) =
          detail::to_entries<Scalar>(peer_.free, quaternion::multiply<Scalar>(s.T_WF.quaternion(), q_FL));
    }
  }
}

template <class Model>
void PeerLayout<Model>::read(const Segment& s, const Vector& theirs, Vector& ours) const {
  switch (s.form) {
    case Form::entries: ours.segment(s.our_q, s.nq) = theirs.segment(s.q, s.nq); break;
    case Form::circle: ours[s.our_q] = read_angle(s, s.q, theirs); break;
    case Form::planar:
      ours.segment(s.our_q, 2) = theirs.segment(s.q, 2);
      ours[s.our_q + 2] = read_angle(s, s.q + 2, theirs);
      break;
    case Form::ball: ours.template segment<4>(s.our_q) = read_rotation(s, peer_.ball, s.q, theirs).coeffs(); break;
    case Form::free: {
      const Quaternion<Scalar> q_WL = read_rotation(s, peer_.free, rotation_at(s), theirs);
      const Quaternion<Scalar> q_FL = quaternion::multiply<Scalar>(s.T_WF.quaternion().conjugate(), q_WL);
      const Quaternion<Scalar> q_FM = quaternion::multiply<Scalar>(q_FL, s.T_ML.quaternion().conjugate());
      const Vector3<Scalar> p_FL = s.T_WF.inverse() * Vector3<Scalar>(theirs.template segment<3>(position_at(s)));
      ours.template segment<3>(s.our_q) = p_FL - quaternion::rotation_matrix<Scalar>(q_FM) * s.T_ML.p;
      ours.template segment<4>(s.our_q + 3) = q_FM.coeffs();
    }
  }
}

template <class Model>
void PeerLayout<Model>::write_angle(const Scalar& angle, Eigen::Index at, Vector& theirs) const {
  using elementary::cos;
  using elementary::sin;
  theirs[at] = peer_.circle ? Scalar(cos(angle)) : angle;
  if (peer_.circle) theirs[at + 1] = sin(angle);
}

template <class Model>
typename PeerLayout<Model>::Scalar PeerLayout<Model>::read_angle(const Segment& s, Eigen::Index at, const Vector& theirs) const {
  using elementary::atan2;
  if (!peer_.circle) return theirs[at];
  if (!detail::is_unit<Scalar>(Vector4<Scalar>(theirs[at], theirs[at + 1], Scalar(0), Scalar(0)))) {
    refuse_state(named(s.body) + "its (cos, sin) does not have unit length");
  }
  return atan2(theirs[at + 1], theirs[at]);
}

template <class Model>
Quaternion<typename PeerLayout<Model>::Scalar> PeerLayout<Model>::read_rotation(const Segment& s, RotationForm form, Eigen::Index at,
                                                                                const Vector& theirs) const {
  const Eigen::Index size = static_cast<Eigen::Index>(detail::entry_names(form).size());
  const Quaternion<Scalar> rotation = detail::from_entries<Scalar>(form, theirs.segment(at, size));
  if (!detail::is_unit<Scalar>(rotation.coeffs())) refuse_state(named(s.body) + "its quaternion does not have unit length");
  return rotation;
}

template <class Model>
Matrix3<typename PeerLayout<Model>::Scalar> PeerLayout<Model>::child_axes(const Segment& s, const VectorView& q) const {
  if (s.form == Form::planar) return so3::rotation<Scalar>(Vector3<Scalar>::UnitZ(), q[s.our_q + 2]);
  if (s.form == Form::ball) return quaternion::rotation_matrix<Scalar>(quaternion_in(q, s.our_q));
  return s.T_WF.R * quaternion::rotation_matrix<Scalar>(quaternion_in(q, s.our_q + 3)) * s.T_ML.R;
}

// A rotation transforms covectors as it transforms vectors: forces differ from velocities in their point of reference only.
template <class Model>
VectorX<typename Model::Scalar> PeerLayout<Model>::in_their_axes(const VectorView& q, const VectorView& ours, Kind kind) const {
  require(kind == Kind::velocity ? "v" : "tau", ours, model_->nv(), [&](Eigen::Index k) { return model_->v_name(k); });
  Vector theirs(nv_);
  for (const Segment& s : segments_) {
    if (s.form == Form::entries || s.form == Form::circle) {
      theirs.segment(s.v, s.nv) = ours.segment(s.our_v, s.nv);
      continue;
    }
    const Matrix3<Scalar> child = child_axes(s, q);
    if (s.form == Form::free) {
      const Vector6<Scalar> at_M = ours.template segment<6>(s.our_v);
      const Vector6<Scalar> at_L = kind == Kind::velocity ? s.T_ML.twist_to_child(at_M) : s.T_ML.wrench_to_child(at_M);
      theirs.template segment<3>(angular_at(s)) = turn_to(peer_.angular, child) * at_L.template head<3>();
      theirs.template segment<3>(linear_at(s)) = turn_to(peer_.linear, child) * at_L.template tail<3>();
    } else {
      theirs.template segment<3>(s.v) = turn_to(axes_of(s), child) * ours.template segment<3>(s.our_v);
    }
  }
  return theirs;
}

template <class Model>
VectorX<typename Model::Scalar> PeerLayout<Model>::in_our_axes(const VectorView& q, const VectorView& theirs, Kind kind) const {
  require(kind == Kind::velocity ? "v" : "tau", theirs, nv_, [&](Eigen::Index k) { return v_names()[static_cast<std::size_t>(k)]; });
  Vector ours(model_->nv());
  for (const Segment& s : segments_) {
    if (s.form == Form::entries || s.form == Form::circle) {
      ours.segment(s.our_v, s.nv) = theirs.segment(s.v, s.nv);
      continue;
    }
    const Matrix3<Scalar> child = child_axes(s, q);
    if (s.form == Form::free) {
      const Vector3<Scalar> angular = turn_to(peer_.angular, child).transpose() * theirs.template segment<3>(angular_at(s));
      const Vector3<Scalar> linear = turn_to(peer_.linear, child).transpose() * theirs.template segment<3>(linear_at(s));
      const Vector6<Scalar> at_L = spatial<Scalar>(angular, linear);
      ours.template segment<6>(s.our_v) = kind == Kind::velocity ? s.T_ML.twist_to_parent(at_L) : s.T_ML.wrench_to_parent(at_L);
    } else {
      ours.template segment<3>(s.our_v) = turn_to(axes_of(s), child).transpose() * theirs.template segment<3>(s.v);
    }
  }
  return ours;
}

template <class Model>
std::vector<std::string> PeerLayout<Model>::q_names() const {
  std::vector<std::string> names;
  for (const Segment& s : segments_) {
    const auto add = [&](std::initializer_list<std::string_view> entries) {
      for (const std::string_view entry : entries) names.push_back(detail::concat({model_->joint_name(s.body), ".", entry}));
    };
    const auto add_rotation = [&](RotationForm form) {
      for (const std::string_view entry : detail::entry_names(form)) add({entry});
    };
    switch (s.form) {
      case Form::entries:
        for (Eigen::Index k = 0; k < s.nq; ++k) names.push_back(model_->q_name(s.our_q + k));
        break;
      case Form::circle: add({"cos", "sin"}); break;
      case Form::planar:
        if (peer_.circle) add({"x", "y", "cos", "sin"});
        else add({"x", "y", "theta"});
        break;
      case Form::ball: add_rotation(peer_.ball); break;
      case Form::free:
        if (peer_.linear_first) add({"px", "py", "pz"});
        add_rotation(peer_.free);
        if (!peer_.linear_first) add({"px", "py", "pz"});
    }
  }
  return names;
}

template <class Model>
std::vector<std::string> PeerLayout<Model>::v_names() const {
  std::vector<std::string> names;
  for (const Segment& s : segments_) {
    const bool swapped = s.form == Form::free && peer_.linear_first;
    for (Eigen::Index k = 0; k < s.nv; ++k) names.push_back(model_->v_name(s.our_v + (swapped ? (k + 3) % 6 : k)));
  }
  return names;
}

}  // namespace actio
