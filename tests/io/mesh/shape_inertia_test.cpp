// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/shape_inertia.hpp"

#include <string>
#include <vector>

#include "actio/io/urdf.hpp"
#include "io/mesh/mesh_files.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace shape_inertia_test {

using namespace actio;
using test::missing;

TEST_CASE("with_inertia_of_shapes: bodies without inertia get that of their shapes, others keep theirs", "[io][mesh][fast]") {
  const auto shape = [](const std::string& xyz, const std::string& geometry) {
    return "<collision><origin xyz='" + xyz + "'/><geometry>" + geometry + "</geometry></collision>";
  };
  const auto joint = [](const std::string& parent, const std::string& child) {
    return "<joint name='to_" + child + "' type='continuous'><parent link='" + parent + "'/><child link='" + child + "'/></joint>";
  };
  const std::string mass = "<inertial><mass value='7'/><inertia ixx='1' iyy='1' izz='1'/></inertial>", box = "<box size='1 2 3'/>";
  const std::string text = "<robot name='r'><link name='base'/><link name='heavy'>" + mass + shape("0 0 0", box) +
                           "</link><link name='two'>" + shape("1 0 0", box) + shape("-1 0 0", box) + "</link><link name='mesh'>" +
                           shape("0 0 0", "<mesh filename='box.stl'/>") + shape("0 0 0", "<mesh filename='none.stl'/>") +
                           "</link><link name='bare'/>" + joint("base", "heavy") + joint("heavy", "two") + joint("two", "mesh") +
                           joint("mesh", "bare") + "</robot>";
  const test::TemporaryFolder folder;
  folder.write("box.stl", test::binary_stl(test::box_surface({-0.5, -0.25, 0}, {0.5, 0.25, 2})));  // 1 m^3
  MeshFolders folders(folder.write("r.urdf", text));
  std::vector<Finding> findings;
  const Model<double> before = parse_urdf(text, "r.urdf").model, model = with_inertia_of_shapes(before, 100, folders, findings);
  const auto of = [&](const std::string& body) { return model.inertia(model.find_body(body)); };
  CHECK(of("heavy").mass == 7);
  CHECK(of("bare").mass == 0);
  CHECK(std::abs(of("two").mass - 1200) < 1e-9);
  CHECK(of("two").com.norm() < 1e-12);
  // Two boxes of 600 kg at a distance of 1 m from the centre: I_x = m (2^2 + 3^2) / 12, I_y = m (1 + 3^2) / 12 + m 1^2.
  CHECK((of("two").I_com.diagonal() - Vector3<double>(1300, 2200, 1700)).norm() < 1e-9);
  CHECK(std::abs(of("mesh").mass - 100) < 1e-9);
  REQUIRE(findings.size() == 3);
  CHECK(missing(findings[0].text, {"body 'two' has no inertia in the file and gets 1200 kg"}).empty());
  CHECK(missing(findings[1].text, {"body 'mesh'", "'none.stl'", "its inertia is not known"}).empty());
  CHECK(findings[2].code == "inertia.shapes");
}

}  // namespace shape_inertia_test
