// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes a film as an animated binary glTF 2.0 file, which Blender, three.js and the viewers of operating systems open.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "actio/io/drawing/film_colour.hpp"
#include "actio/io/drawing/glb_file.hpp"
#include "actio/io/drawing/solid_mesh.hpp"
#include "actio/io/film.hpp"

namespace actio {
namespace detail {

/// Writes a film into a GlbFile: one node for each body, whose children are the body's solids, and an animation of the nodes.
class GlbScene {
 public:
  explicit GlbScene(const Film& film) : film_(film), ground_size_(4 * reach(film)) {
    file_.json["asset"] = {{"version", "2.0"}, {"generator", "actio"}};
    file_.json["scene"] = 0;
    file_.json["scenes"] = Json::array({{{"name", film.title}, {"nodes", Json::array({0})}}});
    const double half = std::sqrt(0.5);
    Json root{{"name", film.title}, {"rotation", {-half, 0, 0, half}}};  // glTF's y axis points up, the world's z axis here
    file_.add("nodes", nullptr);
    add_bodies();
    root["children"] = bodies_;
    file_.json["nodes"][0] = std::move(root);
    add_animation();
  }
  std::string bytes() && { return std::move(file_).bytes(); }

 private:
  using Json = GlbFile::Json;

  /// Returns the largest coordinate of any body in the world during the motion, at least 1 [m].
  static double reach(const Film& film) {
    double far = 1;
    for (const auto& poses : film.motion.poses) {
      for (const Pose<double>& T : poses) far = std::max(far, T.p.cwiseAbs().maxCoeff());
    }
    return far;
  }

  static std::vector<float> flat(const std::vector<Vector3<float>>& vectors) {
    std::vector<float> all;
    for (const Vector3<float>& v : vectors) all.insert(all.end(), v.begin(), v.end());
    return all;
  }
  static Vector4<float> turn(const Pose<double>& T) { return T.quaternion().coeffs().cast<float>().normalized(); }
  static void place(Json& node, const Pose<double>& T) {
    const Vector4<double> q = turn(T).cast<double>();
    node["translation"] = {T.p[0], T.p[1], T.p[2]};
    node["rotation"] = {q[0], q[1], q[2], q[3]};
  }

  void add_bodies() {
    std::vector<Json> nodes;
    for (const std::string& name : film_.body_names) {
      const auto i = static_cast<BodyIndex>(nodes.size());
      place(nodes.emplace_back(Json{{"name", name}}), film_.motion.poses.front()[i]);
    }
    for (const auto* shapes : {&film_.shapes, &film_.drawn_only}) {
      for (const Shape<double>& shape : *shapes) {
        if (std::holds_alternative<MeshFile>(shape.geometry)) continue;
        nodes[static_cast<std::size_t>(shape.body)]["children"].push_back(add_shape(shape));
      }
    }
    for (Json& node : nodes) bodies_.push_back(file_.add("nodes", std::move(node)));
  }

  /// Adds a node with a mesh that many shapes share, scaled to the sizes of this shape.
  std::size_t add_shape(const Shape<double>& shape) {
    Vector3<double> sizes;
    const Geometry<double> unit = std::visit(
        [&]<class G>(const G& g) -> Geometry<double> {
          if constexpr (std::same_as<G, Sphere<double>>) return sizes.setConstant(g.radius), Sphere<double>{1};
          else if constexpr (std::same_as<G, Box<double>>) return sizes = g.size, Box<double>{Vector3<double>::Ones()};
          else if constexpr (std::same_as<G, Cylinder<double>>) return sizes << g.radius, g.radius, g.length, Cylinder<double>{1, 1};
          else if constexpr (std::same_as<G, Capsule<double>>) {
            const double radius = std::max(g.radius, 1e-6 + 1e-4 * g.length);  // a capsule of zero radius is a line
            return sizes.setConstant(radius), Capsule<double>{1, g.length / radius};
          } else return sizes << ground_size_, ground_size_, 1, g;
        },
        shape.geometry);
    Json node{{"name", shape.name}};
    place(node, shape.T_BS);
    node["scale"] = {sizes[0], sizes[1], sizes[2]};
    node["mesh"] = mesh_of(unit, shape.body);
    return file_.add("nodes", std::move(node));
  }

  /// Returns the mesh of a solid in a body's colour and adds it on first use.
  std::size_t mesh_of(const Geometry<double>& unit, BodyIndex body) {
    const auto* capsule = std::get_if<Capsule<double>>(&unit);
    const Solid solid{unit.index(), capsule ? capsule->length : 0};
    const LinearColour colour = film_colour(body, static_cast<BodyIndex>(film_.body_names.size()));
    const auto [mesh, is_new] = meshes_.try_emplace({solid, colour});
    if (!is_new) return mesh->second;
    if (const auto [surface, is_new_solid] = surfaces_.try_emplace(solid); is_new_solid) {
      const SolidMesh triangles = solid_mesh(unit);
      surface->second = {{"attributes",
                          {{"POSITION", file_.add_numbers(flat(triangles.points), "VEC3", 3, GlbFile::Use::points)},
                           {"NORMAL", file_.add_numbers(flat(triangles.normals), "VEC3", 3, GlbFile::Use::points)}}},
                         {"indices", file_.add_numbers(triangles.corners, "SCALAR", 1, GlbFile::Use::corners)}};
    }
    Json primitive = surfaces_[solid];
    primitive["material"] = material_of(colour);
    return mesh->second = file_.add("meshes", {{"primitives", Json::array({std::move(primitive)})}});
  }

  std::size_t material_of(const LinearColour& colour) {
    const auto [material, is_new] = materials_.try_emplace(colour);
    if (!is_new) return material->second;
    const Json surface{{"baseColorFactor", {colour[0], colour[1], colour[2], 1}}, {"metallicFactor", 0}, {"roughnessFactor", 0.6}};
    return material->second = file_.add("materials", {{"pbrMetallicRoughness", surface}});
  }

  /// Adds the motion of every moving body. Time begins at 0; frames whose times are equal as floats are left out.
  void add_animation() {
    const Motion& motion = film_.motion;
    std::vector<float> times;
    std::vector<std::size_t> frames;
    for (std::size_t k = 0; k < motion.times.size(); ++k) {
      const auto time = static_cast<float>(motion.times[k] - motion.times.front());
      if (!times.empty() && !(time > times.back())) continue;
      times.push_back(time);
      frames.push_back(k);
    }
    Json channels = Json::array(), samplers = Json::array();
    std::size_t clock = 0;
    const auto add_channel = [&](BodyIndex i, const char* path, const char* type, std::size_t width, const std::vector<float>& way) {
      if (std::equal(way.begin() + static_cast<std::ptrdiff_t>(width), way.end(), way.begin())) return;  // the body does not move
      if (samplers.empty()) clock = file_.add_numbers(times, "SCALAR", 1, GlbFile::Use::animation);
      channels.push_back({{"sampler", samplers.size()}, {"target", {{"node", bodies_[static_cast<std::size_t>(i)]}, {"path", path}}}});
      samplers.push_back({{"input", clock}, {"output", file_.add_numbers(way, type, width, GlbFile::Use::animation)}});
    };
    for (BodyIndex i = 1; i < static_cast<BodyIndex>(bodies_.size()); ++i) {
      std::vector<float> positions, rotations;
      Vector4<float> last = Vector4<float>::Zero();
      for (const std::size_t k : frames) {
        const Pose<double>& T = motion.poses[k][i];
        Vector4<float> q = turn(T);
        if (q.dot(last) < 0) q = -q;  // the shorter of the two rotations between frames
        last = q;
        for (const double x : T.p) positions.push_back(static_cast<float>(x));
        rotations.insert(rotations.end(), q.begin(), q.end());
      }
      add_channel(i, "translation", "VEC3", 3, positions);
      add_channel(i, "rotation", "VEC4", 4, rotations);
    }
    if (!samplers.empty()) file_.add("animations", {{"name", "motion"}, {"channels", channels}, {"samplers", samplers}});
  }

  using Solid = std::pair<std::size_t, double>;  ///< index of the geometry type, length of a capsule
  const Film& film_;
  double ground_size_;
  GlbFile file_;
  std::vector<std::size_t> bodies_;  ///< node indices of the bodies
  std::map<Solid, Json> surfaces_;
  std::map<std::pair<Solid, LinearColour>, std::size_t> meshes_;
  std::map<LinearColour, std::size_t> materials_;
};

}  // namespace detail

/// Returns the bytes of a GLB file: nodes named as the bodies, with solids on them, ground squares for half-spaces, and one animation of
/// the whole motion, linear between frames. Lengths are in metres, rotated so that the world's z axis is glTF's up; times in seconds from
/// the first frame. Numbers are floats: about 28 bytes a frame for a body that moves. Meshes are left out.      [glTF 2.0 specification]
/// @throws ModelError if there is no frame, times and frames differ in number, a frame has not one pose per name, or a shape has no body.
inline std::string to_glb(const Film& film) {
  detail::require_consistent(film);
  return detail::GlbScene(film).bytes();
}

}  // namespace actio
