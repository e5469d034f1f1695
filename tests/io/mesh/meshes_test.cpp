// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/meshes.hpp"

#include <filesystem>
#include <string>

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/plane.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/io/model_file.hpp"
#include "io/mesh/mesh_files.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace meshes_test {

using namespace actio;
using test::missing;
using test::refusal;
namespace fs = std::filesystem;

const TriangleMesh box = test::box_surface({-0.5, -0.25, 0}, {0.5, 0.25, 2});

std::string urdf(const std::string& mesh, const std::string& inertia = "<inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/>") {
  return "<robot name='r'><link name='base'><inertial><mass value='2'/>" + inertia +
         "</inertial><collision><origin xyz='0 0 1'/><geometry><mesh " + mesh + "/></geometry></collision></link></robot>";
}

std::string refused(MeshFolders folders, const std::string& uri) {
  return refusal<ParseError>([&] { return folders.read(MeshFile{uri}); });
}

TEST_CASE("mesh folders: names are searched in the model's folder and in the others, also without a package's name", "[io][mesh][fast]") {
  const test::TemporaryFolder folder;
  const std::string model = folder.write("robot/urdf/r.urdf", "");
  folder.write("robot/urdf/here/a.STL", test::binary_stl(box));
  folder.write("robot/meshes/b.obj", test::obj(box));
  MeshFolders alone(model);
  CHECK(alone.read({"here/a.STL"}).triangles.size() == 12);
  CHECK(alone.read({"here/../here/./a.STL"}).triangles.size() == 12);
  CHECK(alone.read({"package://robot/here/a.STL"}).triangles.size() == 12);
  for (const char* of_package : {"robot", "."}) {
    CAPTURE(of_package);
    CHECK(MeshFolders(model, {folder / of_package}).read({"package://robot/meshes/b.obj"}).triangles.size() == 12);
  }
  MeshFolders beside(model, {folder / "robot"});
  CHECK(beside.read({"../meshes/b.obj"}).triangles.size() == 12);
  const fs::path before = fs::current_path();
  fs::current_path(folder / "robot/urdf");
  CHECK(MeshFolders("r.urdf").read({"here/a.STL"}).triangles.size() == 12);
  fs::current_path(before);
}

TEST_CASE("mesh folders: paths that lead out of the folders, other files and large files are refused", "[io][mesh][fast]") {
  const test::TemporaryFolder folder;
  const std::string model = folder.write("robot/r.urdf", "");
  folder.write("secret.stl", test::binary_stl(box));
  folder.write("robot/a.stl", test::binary_stl(box));
  folder.write("robotics/a.stl", test::binary_stl(box));
  fs::create_symlink(folder / "secret.stl", folder / "robot/link.stl");
  fs::create_directory_symlink(folder / "robotics", folder / "robot/linked");
  fs::create_symlink("loop.stl", folder / "robot/loop.stl");
  fs::create_directory(folder / "robot/folder.stl");
  const MeshFolders folders(model);
  for (const char* out :
       {"../secret.stl", "package://../secret.stl", "package://x/../../secret.stl", "../robotics/a.stl", "link.stl", "linked/a.stl"}) {
    CAPTURE(out);
    CHECK(missing(refused(folders, out), {"leads out of the model's folder"}).empty());
  }
  CHECK(missing(refused(folders, (folder / "robot/a.stl").string()), {"absolute"}).empty());
  CHECK(missing(refused(folders, "package:///etc/a.stl"), {"absolute"}).empty());
  CHECK(missing(refused(folders, "file://" + (folder / "robot/a.stl").string()), {"'file://'", "relative path"}).empty());
  CHECK(missing(refused(folders, "https://example.org/a.stl"), {"'https://'"}).empty());
  CHECK(missing(refused(folders, "absent.stl"), {"no such file"}).empty());
  CHECK(missing(refused(folders, "loop.stl"), {"no such file"}).empty());
  CHECK(missing(refused(folders, "folder.stl"), {"not a regular file"}).empty());
  CHECK(missing(refused(folders, "a.dae"), {"neither"}).empty());
  CHECK(missing(refused(folders, ""), {"no file"}).empty());
  CHECK(missing(refused(MeshFolders(model, {}, {.bytes = 683}), "a.stl"), {"0.000684 MB", "limit of 0.000683 MB"}).empty());
  MeshFolders few(model, {}, {.total_bytes = 1000});
  CHECK(few.read({"a.stl"}).triangles.size() == 12);
  CHECK(missing(refused(few, "a.stl"), {"in total"}).empty());
  fs::resize_file(folder / "robot/a.stl", 3'000'000'000);  // sparse
  CHECK(missing(refused(folders, "a.stl"), {"3000 MB", "limit of 20 MB"}).empty());
}

TEST_CASE("replace_meshes: hull, capsule and box of a mesh touch the ground where it does", "[io][mesh][fast]") {
  const test::TemporaryFolder folder;
  folder.write("a.stl", test::binary_stl(box));
  const std::string path = folder.write("r.urdf", urdf("filename='a.stl' scale='1 2 -0.5'"));
  const Model<double> model = read_model(path, {.base = Base::floating}).model;
  MeshFolders folders(path);
  const auto lowest = [&](MeshContact contact) {
    const auto replaced = replace_meshes(model, folders, contact);
    CHECK(replaced.read == 1);
    CHECK(replaced.findings.empty());
    CHECK(replaced.largest_error == 0);
    PlaneContacts<double> ground(ContactMaterial<double>{Compliance<double>{1e6, 1e3}, 0.5});
    ground.add_shapes_of(replaced.model);
    KinematicsData<double> data(replaced.model);
    forward_kinematics(replaced.model, data, replaced.model.neutral());
    ContactList<double> points(ground.most_points());
    ground.find(data.T_WB, 10.0, points);
    double gap = 10;
    for (const auto& point : points.points()) gap = std::min(gap, point.gap);
    return gap;
  };
  CHECK(std::abs(lowest(MeshContact::hull)) < 1e-12);  // from z = 1 down by 0.5 * 2
  CHECK(std::abs(lowest(MeshContact::box)) < 1e-12);
  CHECK(lowest(MeshContact::capsule) < 1e-12);
  CHECK(lowest(MeshContact::capsule) > -0.5);
  const auto untouched = replace_meshes(model, folders, MeshContact::none);
  CHECK(std::holds_alternative<MeshFile>(untouched.model.shapes()[0].geometry));
  const auto single = replace_meshes(cast<float>(model), folders, MeshContact::hull);
  CHECK(std::get<ConvexPoints<float>>(single.model.shapes()[0].geometry).points.size() == 8);
  CHECK(missing(refusal<ModelError>([&] {
                  return BodyContacts<double>({Compliance<double>{1, 1}, 0})
                      .add_shapes_of(replace_meshes(model, folders, MeshContact::hull).model);
                }),
                {"'base'", "convex hull"})
            .empty());
}

TEST_CASE("replace_meshes: the limbs that are drawn take the place of a mesh that cannot be read, once for a body", "[io][mesh][fast]") {
  const std::string mass =
      "<inertial><origin xyz='0 0 -0.5'/><mass value='1'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/></inertial>";
  const std::string mesh = "<collision><geometry><mesh filename='package://p/no.stl'/></geometry></collision>";
  const std::string text = "<robot name='r'><link name='a'>" + mass + mesh + mesh + "</link><link name='b'>" + mass + mesh +
                           "</link><link name='c'>" + mesh +
                           "</link><joint name='j' type='continuous'><parent link='a'/><child link='b'/><origin xyz='0 0 -1'/></joint>"
                           "<joint name='k' type='continuous'><parent link='b'/><child link='c'/></joint></robot>";
  const Model<double> model = parse_model(text, "r.urdf", {.base = Base::floating}).model;
  MeshFolders folders("/nowhere/r.urdf");
  const auto capsules = replace_meshes(model, folders, MeshContact::hull);
  REQUIRE(capsules.model.shapes().size() == 3);
  CHECK(std::get<Capsule<double>>(capsules.model.shapes()[0].geometry).length == 1);
  CHECK(capsules.model.shapes()[1].body == model.find_body("b"));
  CHECK(std::holds_alternative<MeshFile>(capsules.model.shapes()[2].geometry));  // a body without mass
  REQUIRE(capsules.findings.size() == 4);
  CHECK(missing(capsules.findings[0].text,
                {"body 'a'", "'package://p/no.stl'", "no such file", "capsules between the body's joints replace it"})
            .empty());
  CHECK(missing(capsules.findings[3].text, {"body 'c'", "nothing replaces it"}).empty());
  const std::vector<Shape<double>> drawn = limb_shapes(model, primitive_shapes(model));
  CHECK(std::get<Capsule<double>>(drawn[0].geometry).radius == std::get<Capsule<double>>(capsules.model.shapes()[0].geometry).radius);
  const auto boxes = replace_meshes(model, folders, MeshContact::box);
  CHECK(std::holds_alternative<Box<double>>(boxes.model.shapes()[1].geometry));
  CHECK(missing(boxes.findings[0].text, {"box of the body's inertia"}).empty());
}

TEST_CASE("replace_meshes: a model without collision shapes gets the limbs that are drawn", "[io][mesh][fast]") {
  const std::string mass =
      "<inertial><origin xyz='0 0 -0.5'/><mass value='1'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/></inertial>";
  const std::string table = "<collision><geometry><box size='1 1 1'/></geometry></collision>";
  const std::string text = "<robot name='r'><link name='a'>" + table + "</link><link name='b'>" + mass + "</link>"
                           "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";
  const Model<double> model = parse_model(text, "r.urdf").model;  // the table does not move
  MeshFolders folders("/nowhere/r.urdf");
  const auto replaced = replace_meshes(model, folders, MeshContact::hull);
  REQUIRE(replaced.model.shapes().size() == 2);
  CHECK(replaced.model.shapes()[1].body == 1);
  CHECK(std::get<Capsule<double>>(replaced.model.shapes()[1].geometry).length == 1);
  REQUIRE(replaced.findings.size() == 1);
  CHECK(replaced.findings[0].code == "shapes.none");
  CHECK(replace_meshes(model, folders, MeshContact::none).model.shapes().size() == 1);
  const Model<double> free = parse_model(text, "r.urdf", {.base = Base::floating}).model;  // it does
  CHECK(replace_meshes(free, folders, MeshContact::hull).findings.empty());
}

TEST_CASE("readers keep the scale of meshes, and the mesh folder of MJCF", "[io][mesh][fast]") {
  const auto mesh_of = [](const std::string& text) { return std::get<MeshFile>(parse_model(text, "r").model.shapes().at(0).geometry); };
  CHECK(mesh_of(urdf("filename='a.stl' scale='1 2 3'")).scale == Vector3<double>(1, 2, 3));
  CHECK(mesh_of(urdf("filename='a.stl' scale='.5'")).scale == Vector3<double>(0.5, 0.5, 0.5));
  CHECK(mesh_of(urdf("filename='a.stl'")).scale == Vector3<double>(1, 1, 1));
  CHECK(missing(refusal<ParseError>([&] { return mesh_of(urdf("filename='a.stl' scale='1 2'")); }), {"2 numbers", "expected 3"}).empty());
  CHECK(mesh_of("<sdf version='1.7'><model name='m'><link name='a'><collision name='c'><geometry><mesh><uri>a.obj</uri><scale>1 2 "
                "3</scale></mesh></geometry>"
                "</collision></link></model></sdf>")
            .scale == Vector3<double>(1, 2, 3));
  const auto mjcf = [](const std::string& compiler, const std::string& mesh) {
    return "<mujoco><compiler " + compiler + "/><default><mesh scale='.1 .1 .1'/></default><asset><mesh " + mesh +
           "/></asset><worldbody><body><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom type='mesh' "
           "mesh='a'/></body></worldbody></mujoco>";
  };
  CHECK(mesh_of(mjcf("meshdir='assets/'", "file='sub/a.stl'")).uri == "assets/sub/a.stl");
  CHECK(mesh_of(mjcf("meshdir='assets/'", "file='sub/a.stl'")).scale == Vector3<double>(0.1, 0.1, 0.1));
  CHECK(mesh_of(mjcf("assetdir='x' meshdir='y' strippath='true'", "name='a' file='sub/b.stl' scale='1 2 3'")).uri == "y/b.stl");
  CHECK(mesh_of(mjcf("assetdir='x'", "name='a' file='b.stl' scale='1 2 3'")).scale == Vector3<double>(1, 2, 3));
}

TEST_CASE("mjcf: a body without <inertial> has the inertia of its meshes, where they can be read", "[io][mesh][fast]") {
  const test::TemporaryFolder folder;
  folder.write("meshes/a.stl", test::text_stl(box));
  const auto text = [](const std::string& file, const std::string& geom) {
    return "<mujoco><compiler meshdir='meshes'/><asset><mesh name='a' file='" + file +
           "' scale='1 1 .5'/></asset><worldbody><body name='b'><freejoint/>" + "<geom type='mesh' mesh='a' pos='1 0 0' " + geom +
           "/></body></worldbody></mujoco>";
  };
  const auto expected = Inertia<double>::box(500, {1, 0.5, 1}).seen_from_parent(Pose<double>::translation(1, 0, 0.5));
  for (const auto& [geom, mass] :
       {std::pair<std::string, double>("contype='0' conaffinity='0'", 500), {"density='100'", 50}, {"mass='3'", 3}}) {
    CAPTURE(geom);
    const Inertia<double> G = read_model(folder.write("r.xml", text("a.stl", geom))).model.inertia(1);
    CHECK(std::abs(G.mass - mass) < 1e-9);
    CHECK((G.com - expected.com).norm() < 1e-12);
    CHECK((G.I_com - mass / 500 * expected.I_com).norm() < 1e-9);
  }
  const std::string with_mass = "<mujoco><asset><mesh name='a' file='../a.stl'/></asset><worldbody><body name='b'><freejoint/>"
                                "<geom size='1'/><geom name='g' type='mesh' mesh='a'/></body></worldbody></mujoco>";
  const Loaded<double> absent = read_model(folder.write("r.xml", with_mass));
  REQUIRE(absent.report.warnings.size() == 1);
  CHECK(missing(absent.report.warnings[0].text, {"'g'", "'../a.stl'", "leads out", "is ignored"}).empty());
  const Loaded<double> of_text = parse_model(with_mass, "r.xml");  // has no folder
  CHECK(missing(of_text.report.warnings.at(0).text, {"is not computed and is ignored"}).empty());
}

}  // namespace meshes_test
