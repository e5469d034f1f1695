// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The derivative of a step at rest.
#include "actio/integrators/step_derivatives.hpp"
#include "support/contact_models.hpp"

namespace actio::test {

/// Checks the derivative of a step of a box that rests on the ground on four corners.  @param model of a free body.  @param small error.
template <class S>
void check_box_at_rest(const Model<S>& model, const S& small) {
  ContactMaterial<S> material;
  material.friction = S(0.8);
  VariationalIntegrator integrator(model, {}, test::under_corners(material));
  State<S> state = rest_state(model);
  state.q[2] = S(0.1);
  integrator.reset(state);
  for (int k = 0; k < 3; ++k) REQUIRE(integrator.step({}, S(0.01)));
  StepDerivatives derivatives(integrator);
  REQUIRE(derivatives.linearize(integrator) == Status::converged);
  REQUIRE(derivatives.contact_pieces().size() == 4);
  for (const ContactPieces& pieces : derivatives.contact_pieces()) {
    CHECK(pieces == ContactPieces{pieces.id, 0, 1, ContactPiece::sticks, ContactPiece::sticks});
  }
  MatrixX<S> A, B;
  derivatives.matrix(A, B);
  CHECK(A.rightCols(6).norm() < small);
  CHECK(B.norm() < small);
  // Where it stands on the ground it stays: it may turn about z and move along x and y.
  for (const int free : {2, 3, 4}) CHECK((A.col(free) - VectorX<S>::Unit(12, free)).norm() < small);
}

}  // namespace actio::test
