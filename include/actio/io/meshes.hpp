// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Replaces the mesh files among a model's collision shapes by hulls, capsules or boxes, which can make contact. Only STL and OBJ files
// below the model's folder, and below folders that the caller names, are opened.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "actio/io/drawing/drawn_shapes.hpp"
#include "actio/io/mesh/folders.hpp"
#include "actio/io/mesh/hull.hpp"
#include "actio/io/xml/cast_numbers.hpp"
#include "actio/io/xml/load_report.hpp"

namespace actio {

/// What takes the place of a mesh in contact.
enum class MeshContact {
  hull,     ///< at most 32 corners of its convex hull, for PlaneContacts and FclContacts
  capsule,  ///< a capsule that contains it, for all sources
  box,      ///< a box that contains it, for all sources
  none,     ///< nothing: it stays a mesh, and no file is opened
};

/// A model without mesh files, as far as they could be replaced.
template <Scalar S, class Joints>
struct ReplacedMeshes {
  Model<S, Joints> model;           ///< with other shapes instead of its meshes
  int read = 0;                     ///< meshes whose files were read
  double largest_error = 0;         ///< by how much a mesh may stick out of its hull [m]
  std::string roughest{};           ///< the body of that mesh
  std::vector<Finding> findings{};  ///< meshes that were not read, with body, file, reason, and what replaces them
};

namespace detail {

/// What replaces a mesh file, in the frame of the shape, or why the file is not read.
struct MeshFit {
  std::optional<Fitted> shape;
  double error = 0;  ///< of a hull [m]
  std::string why{};
};

inline MeshFit fit_mesh(MeshFolders& folders, const MeshFile& file, MeshContact contact) {
  try {
    const TriangleMesh mesh = folders.read(file);
    Points corners;  // of triangles: other vertices of an OBJ file are not part of the surface
    for (const auto& triangle : mesh.triangles) {
      for (const int k : triangle) corners.push_back(mesh.vertices[static_cast<std::size_t>(k)]);
    }
    std::sort(corners.begin(), corners.end(), [](const Vector3<double>& a, const Vector3<double>& b) {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    });
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    if (contact == MeshContact::capsule) return {fit_capsule(corners)};
    if (contact == MeshContact::box) return {fit_box(corners)};
    FewCorners few = few_corners(corners);
    return {Fitted{std::move(few.hull)}, few.error};
  } catch (const ParseError& error) {
    return {std::nullopt, 0, error.what()};
  }
}

/// Returns the limbs of each body, by which its mesh files are replaced if they cannot be read; for boxes, the boxes of inertias.
template <Scalar S, class Joints>
BodyArray<std::vector<Shape<double>>> mesh_substitutes(const Model<S, Joints>& model, MeshContact contact) {
  constexpr Cast<double> in_double;
  BodyArray<std::vector<Shape<double>>> of_body(model.num_bodies());
  if (contact == MeshContact::box) {
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      const Inertia<double> inertia = in_double(model.inertia(i));
      if (inertia.mass > 0) of_body[i].push_back(box_of(model.body_name(i), i, inertia));
    }
    return of_body;
  }
  for (const Shape<double>& limb : limb_shapes(model, primitive_shapes(model))) of_body[limb.body].push_back(limb);
  return of_body;
}

}  // namespace detail

/// Replaces each mesh file on a moving body. Hulls lie inside the mesh, up to the reported error, which is at most 0.001 of the largest
/// extent if 32 corners suffice; capsules and boxes contain it. If a file cannot be read, the finding says why, and the limbs that are
/// drawn for the body replace its meshes (see limb_shapes), or for MeshContact::box the box of its inertia. Meshes for which there are none
/// are kept, and so are meshes on the world. Several shapes of one file are read once. If no body that moves has a shape, all get such
/// limbs or boxes, and a finding says so.  @param folders where files may be.
template <Scalar S, class Joints>
ReplacedMeshes<S, Joints> replace_meshes(const Model<S, Joints>& model, MeshFolders& folders, MeshContact contact) {
  ReplacedMeshes<S, Joints> result{model};
  if (contact == MeshContact::none) return result;
  std::map<std::tuple<std::string, double, double, double>, detail::MeshFit> fits;
  const BodyArray<std::vector<Shape<double>>> substitutes = detail::mesh_substitutes(model, contact);
  std::vector<Shape<S>> shapes;
  std::vector<bool> is_substituted(static_cast<std::size_t>(model.num_bodies()), false);
  const auto add = [&](const Shape<S>& replaced, const std::string& name, const Pose<S>& T_BS, const Geometry<double>& geometry) {
    shapes.push_back({name, replaced.body, T_BS, detail::cast_geometry<S>(geometry), replaced.filter});
  };
  for (const Shape<S>& shape : model.shapes()) {
    const auto* file = std::get_if<MeshFile>(&shape.geometry);
    if (!file || shape.body == 0) {
      shapes.push_back(shape);
      continue;
    }
    const auto [entry, is_new] = fits.try_emplace({file->uri, file->scale[0], file->scale[1], file->scale[2]});
    detail::MeshFit& fit = entry->second;
    if (is_new) fit = detail::fit_mesh(folders, *file, contact);
    const std::string& body = model.body_name(shape.body);
    if (fit.shape) {
      add(shape, shape.name, shape.T_BS * detail::cast_numbers<S>(fit.shape->T), fit.shape->geometry);
      ++result.read;
      if (fit.error > result.largest_error) result.largest_error = fit.error, result.roughest = body;
      continue;
    }
    const std::vector<Shape<double>>& instead = substitutes[shape.body];
    std::string how = "capsules between the body's joints replace it";
    if (instead.empty()) how = "nothing replaces it in contact";
    else if (std::holds_alternative<Box<double>>(instead[0].geometry)) how = "the box of the body's inertia replaces it";
    result.findings.push_back(
        {"mesh.not_read", "", "body '" + body + "', mesh " + detail::excerpt(file->uri) + ": " + fit.why + "; " + how});
    if (instead.empty()) shapes.push_back(shape);
    auto&& is_done = is_substituted[static_cast<std::size_t>(shape.body)];
    if (is_done) continue;
    is_done = true;
    for (const Shape<double>& limb : instead) add(shape, limb.name, detail::cast_numbers<S>(limb.T_BS), limb.geometry);
  }
  const auto moves = [](const Shape<S>& shape) { return shape.body != 0; };
  if (std::none_of(shapes.begin(), shapes.end(), moves)) {
    const std::size_t before = shapes.size();
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      for (const Shape<double>& limb : substitutes[i]) add({.body = i}, limb.name, detail::cast_numbers<S>(limb.T_BS), limb.geometry);
    }
    if (shapes.size() > before) {
      const std::string what = contact == MeshContact::box ? "boxes of the inertias" : "capsules between joints";
      result.findings.push_back({"shapes.none", "", "no link that moves has a <collision>: " + what + " take its place in contact"});
    }
  }
  result.model = model.with_shapes(std::move(shapes));
  return result;
}

}  // namespace actio
