// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Gives bodies without inertia that of their collision shapes, because many files leave <inertial> out where a physics engine fills it in.
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "actio/io/mesh/folders.hpp"
#include "actio/io/mesh/solid.hpp"
#include "actio/io/xml/cast_numbers.hpp"
#include "actio/io/xml/load_report.hpp"
#include "actio/model/cast.hpp"

namespace actio {

/// Returns the model in which each body without mass and moments of inertia has those of its collision shapes, which may overlap, as solids
/// of one density. Spheres, boxes, cylinders, capsules and closed meshes count; other bodies keep their inertia.
/// @param density [kg/m^3].  @param folders where meshes may be.
/// @param findings gets a finding for each body that is changed, and for each mesh of such a body that cannot be read.
template <Scalar S, class Joints>
Model<S, Joints> with_inertia_of_shapes(Model<S, Joints> model, double density, MeshFolders& folders, std::vector<Finding>& findings) {
  constexpr detail::Cast<double> in_double;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Inertia<double> own = in_double(model.inertia(i));
    if (own.mass != 0 || !own.I_com.isZero(0)) continue;
    const std::string body = "body '" + model.body_name(i) + "'";
    Inertia<double> sum = Inertia<double>::zero();
    for (const Shape<S>& shape : model.shapes()) {
      if (shape.body != i) continue;
      const Geometry<double> geometry = in_double(shape.geometry);
      std::optional<detail::Solid> solid = detail::solid_of(geometry);
      if (const auto* file = std::get_if<MeshFile>(&geometry)) {
        std::string why = "it is not closed or has no volume";
        try {
          solid = detail::solid_of(folders.read(*file));
        } catch (const ParseError& error) {
          why = error.what();
        }
        if (!solid)
          findings.push_back({"inertia.mesh", "", body + ", mesh " + detail::excerpt(file->uri) + ": its inertia is not known: " + why});
      }
      if (solid) sum += detail::placed(*solid, density * solid->volume, in_double(shape.T_BS));
    }
    if (!(sum.mass > 0)) continue;
    model = model.with_inertia(i, detail::cast_numbers<S>(sum));
    findings.push_back(
        {"inertia.shapes", "", body + " has no inertia in the file and gets " + detail::to_text(sum.mass, 5) + " kg from its shapes"});
  }
  return model;
}

}  // namespace actio
