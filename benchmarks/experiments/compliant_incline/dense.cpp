// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/contact_rows.hpp"
#include "actio/math/symmetric_inertia.hpp"
#include "actio/model/joints/free.hpp"
#include "actio/solvers/published_forms.hpp"
#include "scene.hpp"

namespace compliant_incline {
namespace {

/// The step of CompliantIntegrator with the rows' dense matrix.  @param forces says which act.
template <class Forces>
Path run(const Forces& forces, const Settings& settings) {
  using namespace actio;
  const Free<double> joint;
  const PlaneContacts<double> ramp = feet(settings);
  const StepCompliance<double> spring = Compliance<double>{stiffness, damping}.over(settings.h);
  const Matrix6<double> M = SymmetricInertia<double>::of(box()).matrix(), M_inverse = M.inverse();
  const double h = settings.h;
  Free<double>::Config q = joint.neutral();
  q[2] = rest_height();
  Vector6<double> V = Vector6<double>::Zero();
  BodyArray<Pose<double>> T_WB(2, Pose<double>::identity());
  ContactList<double> found(ramp.most_points());
  Path path{h, {0}, {0}};
  while (path.x.size() <= num_steps(settings) && path.z.back() < 1) {
    T_WB[1] = joint.pose(q);
    // Momentum is balanced in axes that stay where they are over the step; the body's origin is its centre of mass.
    const Vector3<double> w = V.head<3>(), spin = M.topLeftCorner<3, 3>() * w;
    const Vector6<double> V_free = V + h * spatial<double>(-M_inverse.topLeftCorner<3, 3>() * w.cross(spin), T_WB[1].R.transpose() * gravity);
    found.clear();
    ramp.find(T_WB, 0.1, found);
    const Eigen::Index m = 3 * static_cast<Eigen::Index>(found.points().size());
    MatrixX<double> G(m, 6);
    DenseConeProblem<double> problem{MatrixX<double>(m, m), VectorX<double>(m), ConeRows<double>(m)};
    for (const ContactPoint<double>& point : found.points()) {
      const Eigen::Index first = problem.rows.size();
      const auto rows = contact_rows(point, T_WB[0], T_WB[1]);
      for (std::size_t k = 0; k < 3; ++k) G.row(first + static_cast<Eigen::Index>(k)) = rows[k].bodies[0].wrench.transpose();
      [[maybe_unused]] const bool fits =
          problem.rows.add_contact(2, spring.R, 1 / settings.tangential_damping, settings.friction, spring.gain * point.gap);
    }
    problem.W = h * G * M_inverse * G.transpose();
    problem.W.diagonal() += problem.rows.R();
    problem.b = G * V_free + problem.rows.bias();
    V = V_free;
    if (m > 0) {
      const ConeSolution<double> solution = forces(problem);
      if (solution.status != Status::converged) break;
      V += h * M_inverse * G.transpose() * solution.lambda;
    }
    const Vector6<double> moved = h * V;
    q = joint.integrate(q, moved);
    V = joint.carried(V, moved);
    path.x.push_back(q[0]);
    path.z.push_back(q[2] - rest_height());
  }
  return path;
}

}  // namespace

Path dense(actio::ConeLaw law, const Settings& settings) {
  return run([law](const actio::DenseConeProblem<double>& problem) { return actio::solve(problem, law); }, settings);
}
Path published(double weight, const Settings& settings) {
  return run([weight](const actio::DenseConeProblem<double>& problem) { return actio::solve_published(problem, weight); }, settings);
}

}  // namespace compliant_incline
