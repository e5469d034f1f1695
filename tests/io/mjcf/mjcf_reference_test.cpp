// SPDX-License-Identifier: BSD-3-Clause
// Small files against MuJoCo 2.2.2, with its results (mj_fullM, qfrc_bias, qfrc_passive, body_mass after mj_forward).
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/rnea.hpp"
#include "io/read_models.hpp"
#include "support/catch.hpp"
#include "support/shared_file.hpp"

namespace mjcf_reference_test {

using namespace actio;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Defaults and classes, angles in degrees, every type of geom, limits, a reference angle, a spring, armature.
const std::string bodies_of_geoms = R"(<mujoco model="geoms">
  <compiler eulerseq="zyx" autolimits="true"/>
  <default>
    <geom density="800"/>
    <joint damping="0.3" armature="0.02"/>
    <default class="thin">
      <geom type="capsule" size="0.05"/>
      <joint damping="0.7" axis="0 1 0"/>
      <default class="heavy"><geom density="3000"/></default>
    </default>
  </default>
  <worldbody>
    <body name="a" pos="0.1 0.2 1" euler="10 -20 30">
      <joint name="j1" axis="1 2 0.5" pos="0.05 0 -0.1" range="-40 90"/>
      <geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0.2" euler="20 0 40"/>
      <geom type="ellipsoid" size="0.1 0.15 0.2" pos="-0.1 0 0.2" axisangle="1 1 0 25"/>
      <geom class="heavy" fromto="0 0 0 0.2 0.1 -0.4"/>
      <body name="b" pos="0.2 0.1 -0.4" quat="0.9 0.1 -0.3 0.2" childclass="thin">
        <joint name="j2" pos="0 0.02 0" stiffness="4" springref="15" ref="10"/>
        <geom fromto="0 0 0 0 0 -0.5"/>
        <geom class="main" type="cylinder" size="0.04 0.2" pos="0 0.3 0" zaxis="1 -1 0.2"/>
        <body name="c" pos="0 0 -0.5" xyaxes="0 1 0.1 -1 0.2 0">
          <joint name="j3" type="slide" class="main" axis="1 0 1" range="-0.2 0.3"/>
          <geom type="sphere" size="0.1" mass="1.5"/>
          <geom type="box" size="0.03" fromto="0 0 0 0.3 0.2 0.1"/>
          <geom type="sphere" size="0.1" group="6"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
)";

/// Angles in radians, bounds on inertia, a total mass, two hinges at one point, a hinge on a slide, three hinges at one point.
const std::string several_joints = R"(<mujoco>
  <compiler angle="radian" eulerseq="XyZ" boundmass="0.5" boundinertia="0.01" settotalmass="12" balanceinertia="true"/>
  <option gravity="1 2 -9"/>
  <worldbody>
    <body name="u" pos="0 0 1" euler="0.3 0.2 0.1">
      <inertial pos="0 0 -0.3" mass="2" diaginertia="0.2 0.3 0.1" euler="0.5 0.1 -0.2"/>
      <joint name="h1" axis="1 0 0" pos="0.1 0 0"/><joint name="h2" axis="0 1 0" pos="0.1 0 0"/>
      <body name="cyl" pos="0 0 -0.5">
        <inertial pos="0.1 0 0" mass="1" diaginertia="0.02 0.01 0.04"/>
        <joint name="s" type="slide" axis="0 0 2"/><joint name="r" axis="0 0 1" pos="0.2 0.1 0" armature="0.3"/>
        <body name="three" pos="0.3 0 0" euler="1 0 0">
          <geom type="sphere" size="0.1" pos="0 0 -0.2"/>
          <joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/><joint name="z" axis="0 0 1"/>
          <body name="light"><inertial pos="0 0 0.1" mass="0.001" diaginertia="1e-6 1e-6 5e-6"/></body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
)";

/// The forces of the joints, with the sign of MuJoCo.
VectorXd passive(const Model<double>& model, const VectorXd& q, const VectorXd& v) {
  const ModelProperties<double>& p = model.properties();
  return p.stiffness.cwiseProduct(p.rest - q) - p.damping.cwiseProduct(v);
}
double distance(const MatrixXd& a, const MatrixXd& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST_CASE("mjcf reference: bodies made of geoms have the dynamics of MuJoCo", "[io][mjcf][fast]") {
  const auto loaded = parse_mjcf(bodies_of_geoms, "file");
  const auto& model = loaded.model;
  const LoadReport& report = loaded.report;
  CHECK(std::abs(model.mass() - 68.5678968617239) < 1e-12);
  CHECK(std::abs(model.inertia(model.find_body("b")).mass - 5.16896711270641) < 1e-13);
  CHECK(std::abs(model.inertia(model.find_body("c")).mass - 2.5775973273909) < 1e-13);
  VectorXd q(3), v(3), bias(3), of_joints(3);
  q << -0.15, -0.05, 0.05;  // qpos - qpos0
  v << 0.5, 0.35, 0.2;
  MatrixXd M(3, 3);
  M << 9.35139946076334, 0.916442525718266, 1.2388427090233, 0.916442525718266, 0.865530770202591, 0.10138139554705, 1.2388427090233,
      0.10138139554705, 2.5975973273909;
  bias << 6.74472127841232, -18.8099179896311, 8.49885456690261;
  of_joints << -0.15, 0.304065850398866, -0.06;
  CrbaData<double> composite(model);
  RneaData<double> inverse(model);
  CHECK(distance(crba(model, composite, q), M) < 1e-7);  // MuJoCo diagonalises inertias with an accuracy of 1e-8
  CHECK(distance(rnea(model, inverse, q, v, VectorXd::Zero(3)), bias) < 1e-7);
  CHECK(distance(passive(model, q, v), of_joints) < 1e-14);
  const ModelProperties<double>& p = model.properties();
  CHECK(std::abs(p.lower[0] + 0.698131700797732) < 1e-14);
  CHECK(std::abs(p.upper[0] - 1.5707963267949) < 1e-14);
  CHECK(!std::isfinite(p.upper[1]));
  CHECK(p.lower[2] == -0.2);
  CHECK(test::has_code(report.warnings, "joint.ref"));
}

TEST_CASE("mjcf reference: several joints in a body move as in MuJoCo", "[io][mjcf][fast]") {
  const auto model = parse_mjcf(several_joints, "file").model;
  REQUIRE(model.nv() == 7);
  CHECK(model.joint_name(1) == "h1+h2");
  CHECK(model.joint_name(2) == "s+r");
  CHECK(std::holds_alternative<Universal<double>>(model.joint(1)));
  CHECK(std::holds_alternative<Cylindrical<double>>(model.joint(2)));
  CHECK(model.joint_name(3) == "x");
  CHECK(model.inertia(3).mass == 0);
  const double masses[] = {3.1214273456258, 1.5607136728129, 6.53750214515486, 0.780356836406449};
  CHECK(std::abs(model.inertia(1).mass - masses[0]) < 1e-13);
  CHECK(std::abs(model.inertia(2).mass - masses[1]) < 1e-13);
  CHECK(std::abs(model.inertia(5).mass - (masses[2] + masses[3])) < 1e-13);  // the light body is fixed to the last of the three
  VectorXd q(7), v(7), bias(7);
  q << -0.15, -0.05, 0.15, 0.05, 0.25, 0.35, 0.45;  // a cylindrical joint has its angle first
  v << 0.5, 0.35, 0.05, 0.2, -0.1, -0.25, -0.4;
  bias << 6.80993998157124, 6.59123168398109, 80.6031102880899, 0.513806073201992, 9.85526374298026, 4.21921950909725, -0.00129437795547371;
  MatrixXd M(7, 7);
  M << 2.99877419351185, -0.13961013635825, 1.11530724336385, 0.0466484291832374, 0.440525521189616, -0.27741422086645,
      0.0190775785454342,                                                                                                     //
      0, 3.0768718342203, -1.00915481757331, 0.138638396787358, -0.0867116304526727, 0.555535868090248, -0.0346667078289834,  //
      0, 0, 8.87857265437421, 0, 1.09600666243243, 0.132933842929885, 0,                                                      //
      0, 0, 0, 0.497903380790694, 0.00906472163392767, 0.139691984836095, 0.0123686845373818,                                 //
      0, 0, 0, 0, 0.279396370343521, 0, 0.0143184335719685,                                                                   //
      0, 0, 0, 0, 0, 0.311060799479007, 0,                                                                                    //
      0, 0, 0, 0, 0, 0, 0.0417571453087484;
  M.triangularView<Eigen::StrictlyLower>() = M.transpose();
  Eigen::PermutationMatrix<Eigen::Dynamic> to_ours(7);
  to_ours.setIdentity();
  std::swap(to_ours.indices()[2], to_ours.indices()[3]);
  CrbaData<double> composite(model);
  RneaData<double> inverse(model);
  CHECK(distance(crba(model, composite, q), to_ours * M * to_ours.transpose()) < 1e-13);
  CHECK(distance(rnea(model, inverse, q, v, VectorXd::Zero(7)), to_ours * bias) < 1e-13);
}

TEST_CASE("mjcf reference: Cassie has the inertia and the closures of MuJoCo", "[io][mjcf][fast]") {
  if (!test::shared_file("robots")) ACTIO_SKIP("no collection of robots");
  const auto loaded = read_mjcf(test::shared_file("robots/loops/closed_chain_pinocchio.mjcf.xml")->string());
  const auto& model = loaded.model;
  const LoadReport& report = loaded.report;
  CHECK(report.links == 25);
  CHECK(report.joints == std::map<std::string, int>{{"free", 1}, {"hinge", 20}, {"ball", 2}});
  CHECK(model.nv() == 32);
  CHECK(report.dof == 26);
  CHECK(std::abs(model.mass() - 33.312) < 1e-12);
  REQUIRE(model.loops().size() == 4);
  for (const Loop<double>& loop : model.loops()) CHECK(loop.type == LoopType::ball);
  const Eigen::Index knee = model.v_index(model.find_joint("left-knee"));
  CHECK(std::abs(model.properties().lower[knee] + 2.07694180987325) < 1e-14);
  CHECK(std::abs(model.properties().upper[knee] - 0.139626340159546) < 1e-14);
  CHECK(model.properties().armature[knee] == 0.09344);
  CHECK(model.shapes().size() == 18);
  CHECK(report.ignored.at("body/site") == 1);
}

}  // namespace mjcf_reference_test
