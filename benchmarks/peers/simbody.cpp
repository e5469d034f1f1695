// SPDX-License-Identifier: BSD-3-Clause
// Simbody. It has no semi-implicit Euler step of fixed length.
#include <Simbody.h>

#include "run.hpp"

namespace {

using namespace SimTK;

Vec3 vector(const peers::Three& x) { return {x[0], x[1], x[2]}; }

class Library {
 public:
  explicit Library(const peers::Tree& tree) : matter_(system_), forces_(system_), gravity_(forces_, matter_, vector(tree.gravity)) {
    for (const peers::Link& link : tree.links) add(link);
    system_.realizeTopology();
    for (int k = 0; k < 2; ++k) {
      state_[k] = system_.getDefaultState();
      system_.realizeModel(state_[k]);
    }
    a_.resize(state_[0].getNU());
    a_ = 0;
    for (std::size_t i = 0; i < tree.links.size(); ++i) set(tree.links[i], bodies_[i]);
    now_ = state_[0];
    floating_ = tree.links[0].joint == "floating";
  }

  void use(int k) {
    now_.updQ() = state_[k].getQ();
    now_.updU() = state_[k].getU();
  }
  void aba() { system_.realize(now_, Stage::Acceleration); }
  void rnea() {
    system_.realize(now_, Stage::Dynamics);
    matter_.calcResidualForceIgnoringConstraints(now_, Vector(), system_.getRigidBodyForces(now_, Stage::Dynamics), a_, residual_);
  }
  double accelerations() const { return norm(now_.getUDot()); }
  double forces() const { return norm(residual_); }

 private:
  /// Adds a body whose joint's frames have the axes that Simbody expects: z for a pin, x and y for a universal joint.
  void add(const peers::Link& link) {
    const auto& r = link.rotation;
    const Transform placement(Rotation(Mat33(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8])), vector(link.position));
    const auto& I = link.inertia;
    const Inertia about_com(I[0], I[1], I[2], I[3], I[4], I[5]);
    const Body::Rigid body(MassProperties(link.mass, vector(link.com), about_com.shiftFromMassCenter(vector(link.com), link.mass)));
    MobilizedBody& ground = matter_.updGround();
    MobilizedBody& parent = link.parent < 0 ? ground : bodies_[static_cast<std::size_t>(link.parent)];
    Rotation axes;
    if (link.joint == "revolute") axes = Rotation(UnitVec3(vector(link.axis)), ZAxis);
    if (link.joint == "universal") axes = Rotation(UnitVec3(vector(link.axis)), XAxis, vector(link.axis2), YAxis);
    const Transform on_parent = placement * Transform(axes), on_child(axes);
    if (link.joint == "floating") bodies_.push_back(MobilizedBody::Free(parent, on_parent, body, on_child));
    else if (link.joint == "ball") bodies_.push_back(MobilizedBody::Ball(parent, on_parent, body, on_child));
    else if (link.joint == "universal") bodies_.push_back(MobilizedBody::Universal(parent, on_parent, body, on_child));
    else bodies_.push_back(MobilizedBody::Pin(parent, on_parent, body, on_child));
  }

  /// Sets the coordinates: quaternions (w, x, y, z) before positions, velocities in the parent.
  void set(const peers::Link& link, const MobilizedBody& body) {
    const int nv = link.freedoms();
    for (int k = 0; k < 2; ++k) {
      const auto& q = link.q[static_cast<std::size_t>(k)];
      const auto& v = link.v[static_cast<std::size_t>(k)];
      if (nv < 3) {
        for (int j = 0; j < nv; ++j) {
          body.setOneQ(state_[k], j, q[static_cast<std::size_t>(j)]);
          body.setOneU(state_[k], j, v[static_cast<std::size_t>(j)]);
          body.updOneFromUPartition(state_[k], j, a_) = link.a[static_cast<std::size_t>(j)];
        }
        continue;
      }
      const double* x = q.data() + nv - 3;
      const Vec4 wxyz(x[3], x[0], x[1], x[2]);
      const Rotation R{Quaternion(wxyz)};
      for (int j = 0; j < 4; ++j) body.setOneQ(state_[k], j, wxyz[j]);
      const Vec3 w = R * Vec3(v[0], v[1], v[2]), alpha = R * Vec3(link.a[0], link.a[1], link.a[2]);
      const Vec3 linear = R * Vec3(v[3], v[4], v[5]), acceleration = R * Vec3(link.a[3], link.a[4], link.a[5]) + cross(w, linear);
      for (int j = 0; j < 3; ++j) {
        body.setOneU(state_[k], j, w[j]);
        if (k == 0) body.updOneFromUPartition(state_[k], j, a_) = alpha[j];
        if (nv < 6) continue;
        body.setOneQ(state_[k], 4 + j, q[static_cast<std::size_t>(j)]);
        body.setOneU(state_[k], 3 + j, linear[j]);
        if (k == 0) body.updOneFromUPartition(state_[k], 3 + j, a_) = acceleration[j];
      }
    }
  }

  /// A floating joint is the first, with its angular part before the linear one.
  double norm(Vector x) const {
    for (int k = 3; floating_ && k < 6; ++k) x[k] = 0;
    return x.norm();
  }

  MultibodySystem system_;
  SimbodyMatterSubsystem matter_;
  GeneralForceSubsystem forces_;
  Force::UniformGravity gravity_;
  std::vector<MobilizedBody> bodies_;
  State state_[2], now_;
  Vector a_, residual_;
  bool floating_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  int major = 0, minor = 0, patch = 0;
  SimTK_version_simbody(&major, &minor, &patch);
  return peers::run<Library>(argc, argv, "Simbody " + std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch));
}
