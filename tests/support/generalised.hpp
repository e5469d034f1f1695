// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mechanisms of traj_loops_generalised.json.                                                        [SCHEMA_constraints.md]
#include <filesystem>
#include <string>
#include <vector>

#include "actio/math/so3.hpp"
#include "actio/model/builder.hpp"
#include "support/oracle.hpp"

namespace actio::test {

struct Generalised {
  Json json;
  Model<double> model;

  /// Returns q or v of this model from one number per joint.
  Eigen::VectorXd to_ours(const Json& theirs) const {
    Eigen::VectorXd ours(model.nv());
    for (std::size_t k = 0; k < theirs.size(); ++k) ours[model.v_index(model.find_body("body" + std::to_string(k)))] = theirs[k];
    return ours;
  }
  std::string name() const { return json["name"]; }
  double h() const { return json["h"]; }
  State<double> start() const {
    State<double> start{to_ours(json["model"]["q0"]), Eigen::VectorXd::Zero(model.nv()), 0};
    if (json.contains("v0")) start.v = to_ours(json["v0"]);
    return start;
  }
};

inline Model<double> generalised_model(const Json& theirs) {
  const auto pose = [](const Json& rows) {
    const Eigen::MatrixXd T = to_matrix(rows);
    return Pose<double>{T.topLeftCorner<3, 3>(), T.topRightCorner<3, 1>()};
  };
  ModelBuilder<double> builder("generalised");
  builder.gravity(to_vector(theirs["gravity"]));
  builder.inertia_check(InertiaCheck::warn);
  const auto body = [](int k) { return k < 0 ? std::string("world") : "body" + std::to_string(k); };
  for (std::size_t k = 0; k < theirs["parent"].size(); ++k) {
    const Eigen::VectorXd axis = to_vector(theirs["S"][k]);
    const double mass = theirs["mass"][k];
    const Vector3<double> com = to_vector(theirs["com"][k]);
    const Matrix3<double> about_origin = to_matrix(theirs["inertia"][k]).topLeftCorner<3, 3>();
    const Matrix3<double> I = about_origin + mass * so3::hat(com) * so3::hat(com);
    builder.add_body(body(static_cast<int>(k)), {mass, com, (I + I.transpose()) / 2});
    const auto add = [&](const auto& joint) {
      builder.add_joint("joint" + std::to_string(k), body(theirs["parent"][k]), body(static_cast<int>(k)), pose(theirs["X0"][k]), joint);
    };
    if (axis.head<3>().norm() > 0.5) add(Revolute<double>(axis.head<3>()));
    else add(Prismatic<double>(axis.tail<3>()));
  }
  for (std::size_t k = 0; k < theirs["loops"].size(); ++k) {
    const Json& given = theirs["loops"][k];
    Loop<double> loop;
    loop.name = "loop" + std::to_string(k);
    loop.type = given["kind"] == "planar" ? LoopType::point_on_line : LoopType::fixed;
    loop.axis = Vector3<double>::UnitY();  // planar mechanisms rotate about y
    const bool on_world = given["b"].get<int>() < 0;  // its axes are those of the rows, where loops are open
    loop.T_A = pose(given[on_world ? "XB" : "XA"]);
    loop.T_B = pose(given[on_world ? "XA" : "XB"]);
    builder.add_loop(loop, body(given[on_world ? "b" : "a"]), body(given[on_world ? "a" : "b"]));
  }
  return builder.build();
}

inline std::vector<Generalised> generalised_cases() {
  std::vector<Generalised> cases;
  const Json file = read_json(std::filesystem::path(ACTIO_TEST_DATA) / "reference" / "traj_loops_generalised.json");
  for (const Json& one : file["cases"]) cases.push_back({one, generalised_model(one["model"])});
  return cases;
}

}  // namespace actio::test
