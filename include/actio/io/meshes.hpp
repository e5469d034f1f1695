// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Replaces the mesh files among a model's collision shapes by hulls, capsules or boxes, which can make contact. Only STL and OBJ files below
// the model's folder, and below folders that the caller names, are opened.
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
  Model<S, Joints> model;
  int read = 0;                     ///< meshes whose files were read
  double largest_error = 0;         ///< by how much a mesh may stick out of its hull [m]
  std::string roughest{};           ///< the body of that mesh
  std::vector<Finding> findings{};  ///< meshes that were not read, with body, file, reason, and what replaces them
};

/// Replaces each mesh file on a moving body. Hulls lie inside the mesh, up to the reported error, which is 0.001 of the largest extent if 32
/// corners suffice; capsules and boxes contain it. If a file cannot be read, the finding says why, and once for its body the limbs take its
/// place with which the body is drawn (see drawn_shapes); for MeshContact::box, the box of its inertia. Shapes without such a replacement, and
/// meshes on the world, which is not in contact with the ground, are kept.
/// Several shapes of one file are read once.  @param folders where files may be.
template <Scalar S, class Joints>
ReplacedMeshes<S, Joints> replace_meshes(const Model<S, Joints>& model, MeshFolders& folders, MeshContact contact) {
  ReplacedMeshes<S, Joints> result{model};
  if (contact == MeshContact::none) return result;
  struct Fit {
    std::optional<detail::Fitted> shape;
    double error = 0;
    std::string why;  // it could not be read
  };
  std::map<std::tuple<std::string, double, double, double>, Fit> fits;
  const auto fit_of = [&](const MeshFile& file) -> const Fit& {
    const auto [entry, is_new] = fits.try_emplace({file.uri, file.scale[0], file.scale[1], file.scale[2]});
    Fit& fit = entry->second;
    if (!is_new) return fit;
    try {
      const TriangleMesh mesh = folders.read(file);
      detail::Points corners;  // those of triangles: other vertices of an OBJ file are no part of the surface
      for (const auto& triangle : mesh.triangles) {
        for (const int k : triangle) corners.push_back(mesh.vertices[static_cast<std::size_t>(k)]);
      }
      const auto before = [](const Vector3<double>& a, const Vector3<double>& b) { return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end()); };
      std::sort(corners.begin(), corners.end(), before);
      corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
      if (contact == MeshContact::capsule) fit.shape = detail::fit_capsule(corners);
      else if (contact == MeshContact::box) fit.shape = detail::fit_box(corners);
      else {
        detail::FewCorners few = detail::few_corners(corners);
        fit.shape = detail::Fitted{std::move(few.hull)};
        fit.error = few.error;
      }
    } catch (const ParseError& error) {
      fit.why = error.what();
    }
    return fit;
  };

  constexpr detail::Cast<double> in_double;
  std::vector<Shape<S>> shapes;
  std::vector<Shape<double>> primitive;
  for (const Shape<S>& shape : model.shapes()) {
    if (!std::holds_alternative<MeshFile>(shape.geometry)) primitive.push_back({shape.name, shape.body, in_double(shape.T_BS), in_double(shape.geometry)});
  }
  std::stable_sort(primitive.begin(), primitive.end(), detail::is_on_earlier_body);
  const std::vector<Shape<double>> limbs = detail::limbs_of(model, primitive);
  std::vector<bool> has_limbs(static_cast<std::size_t>(model.num_bodies()), false);
  for (const Shape<S>& shape : model.shapes()) {
    const auto* file = std::get_if<MeshFile>(&shape.geometry);
    if (!file || shape.body == 0) {
      shapes.push_back(shape);
      continue;
    }
    const Fit& fit = fit_of(*file);
    if (fit.shape) {
      shapes.push_back({shape.name, shape.body, shape.T_BS * detail::cast_numbers<S>(fit.shape->T), detail::cast_geometry<S>(fit.shape->geometry)});
      ++result.read;
      if (fit.error > result.largest_error) result.largest_error = fit.error, result.roughest = model.body_name(shape.body);
      continue;
    }
    std::vector<Shape<double>> instead;
    const Inertia<double> inertia = in_double(model.inertia(shape.body));
    if (contact == MeshContact::box) {
      if (inertia.mass > 0) instead.push_back(detail::box_of(model.body_name(shape.body), shape.body, inertia));
    } else {
      for (const Shape<double>& limb : limbs) {
        if (limb.body == shape.body) instead.push_back(limb);
      }
    }
    const bool is_box = !instead.empty() && std::holds_alternative<Box<double>>(instead[0].geometry);
    result.findings.push_back({"mesh.not_read", "", "body '" + model.body_name(shape.body) + "', mesh " + detail::excerpt(file->uri) + ": " + fit.why + "; " +
                                                       (instead.empty() ? "nothing takes its place in contact"
                                                        : is_box        ? "the box of the body's inertia takes its place"
                                                                        : "capsules between the body's joints take its place")});
    if (instead.empty()) shapes.push_back(shape);
    auto&& is_done = has_limbs[static_cast<std::size_t>(shape.body)];
    if (is_done) continue;
    is_done = true;
    for (const Shape<double>& limb : instead) shapes.push_back({limb.name, limb.body, detail::cast_numbers<S>(limb.T_BS), detail::cast_geometry<S>(limb.geometry)});
  }
  result.model = model.with_shapes(std::move(shapes));
  return result;
}

}  // namespace actio
