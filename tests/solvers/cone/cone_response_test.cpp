// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/cone/response.hpp"

#include "actio/core/dual.hpp"
#include "actio/solvers/cone/newton.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/cone_problems.hpp"

namespace cone_response_test {

using namespace actio;
using namespace actio::detail;
using Eigen::VectorXd;

/// A problem all of whose parameters change along one direction.
struct Changing {
  test::ConeCase one;
  bool rigid;
  VectorXd dv_free, dR, dbias, dlimit;
  Changing(std::uint64_t seed, bool rigid_rows) : one(test::random_cone_case(seed, 0.4)), rigid(rigid_rows) {
    test::Random random(seed + 1000);
    const Eigen::Index m = one.rows.size();
    dv_free = random.matrix(one.v_free.size(), 1);
    dbias = random.matrix(m, 1);
    dR = rigid ? VectorXd::Zero(m) : VectorXd(one.rows.R().cwiseProduct(random.matrix(m, 1)));
    dlimit = random.matrix(m, 1);
    for (const RowGroup<double>& group : one.rows.groups()) {
      if (group.size == 3) dR[group.first + 2] = dR[group.first + 1];
    }
  }
  test::ConeCase at(double t) const {
    test::ConeCase moved = one;
    moved.v_free += t * dv_free;
    moved.rows.clear();
    bool fits = true;
    for (const RowGroup<double>& group : one.rows.groups()) {
      const VectorXd R = rigid ? VectorXd::Zero(one.rows.size()) : VectorXd(one.rows.R() + t * dR);
      const double bias = one.rows.bias()[group.first] + t * dbias[group.first], limit = group.limit + t * dlimit[group.first];
      fits &= group.kind == RowKind::contact ? moved.rows.add_contact(group.size - 1, R[group.first], R[group.first + 1], limit, bias)
                                             : moved.rows.add(group.kind, R[group.first], bias, limit);
    }
    REQUIRE(fits);
    return moved;
  }
  /// The derivative of the forces at fixed v and lambda.
  VectorXd force(const VectorXd& rho, const VectorXd& v, const VectorXd& lambda, ConeLaw law) const {
    using D = Dual<double>;
    VectorXd change = VectorXd::Zero(lambda.size());
    const test::ConeCase now = at(0);
    for (const RowGroup<double>& group : now.rows.groups()) {
      Vector3<D> w = Vector3<D>::Zero(), metric = w;
      for (Eigen::Index r = group.first; r < group.first + group.size; ++r) {
        const double bias_rate = r == group.first ? dbias[r] : 0;
        w[r - group.first] = D((one.G.row(r) * v)[0] + now.rows.bias()[r], bias_rate) + (D(now.rows.R()[r], dR[r]) - rho[r]) * D(lambda[r]);
        metric[r - group.first] = D(rho[r]);
      }
      const RowGroup<D> varied{group.kind, group.size, group.first, D(group.limit, dlimit[group.first])};
      const Vector3<D> answer = group_force(varied, law, metric, w).lambda;
      for (int r = 0; r < group.size; ++r) change[group.first + r] = answer[r].derivative;
    }
    return change;
  }
};

TEST_CASE("cone response: derivatives match differences for both laws and for soft and rigid rows", "[solvers][cone][fast]") {
  int compared = 0, slid = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const bool rigid = seed % 2 == 0;
    const Changing changing(seed, rigid);
    const Eigen::Index n = changing.one.v_free.size(), m = changing.one.rows.size();
    if (rigid && m > n) continue;  // contradictory rows have no solution
    for (const ConeLaw law : {ConeLaw::convex, ConeLaw::coulomb}) {
      CAPTURE(seed, static_cast<int>(law), n, m);
      const auto solve = [&](double t, VectorXd& v, VectorXd& lambda, std::vector<Piece>& pieces) {
        const test::ConeCase moved = changing.at(t);
        test::DenseVelocities<double> problem = moved.velocities();
        ConeNewton<double> newton(n, m);
        v = moved.v_free;
        lambda.setZero(m);
        const ConeResult<double> result = newton.solve(problem, {.law = law, .tolerance = 0}, v, lambda);
        pieces.clear();
        for (const GroupForce<double>& force : newton.forces()) pieces.push_back(force.piece);
        return result && !result.is_convex && result.residual < 1e-11;
      };
      VectorXd v, lambda, ahead, behind, f;
      std::vector<Piece> pieces, pieces_ahead, pieces_behind;
      const double e = 1e-5;
      if (!solve(0, v, lambda, pieces) || !solve(e, ahead, f, pieces_ahead) || !solve(-e, behind, f, pieces_behind)) continue;
      if (pieces != pieces_ahead || pieces != pieces_behind) continue;  // the contact changes its state within this distance
      test::DenseVelocities<double> problem = changing.at(0).velocities();
      ConeResponse<double> response(n, m);
      VectorXd dv(n), dlambda(m);
      REQUIRE(response.linearize(problem, law, v, lambda));
      const VectorXd impulse = changing.one.M * changing.dv_free, force = changing.force(response.rho(), v, lambda, law);
      const test::AllocationCounter allocations;
      response.respond(problem, impulse, force, dv, dlambda);
      CHECK(allocations.count() == 0);
      const VectorXd expected = (ahead - behind) / (2 * e);
      CHECK((dv - expected).norm() < 1e-6 * (1 + expected.norm()));  // the error of the differences
      ++compared;
      for (const Piece piece : pieces) slid += piece == Piece::slide;
      // The balance of momentum holds along the direction.
      CHECK((changing.one.M * (dv - changing.dv_free) - changing.one.h * changing.one.G.transpose() * dlambda).norm() <
            1e-11 * (1 + (changing.one.M * dv).norm()));
    }
  }
  CHECK(compared > 100);
  CHECK(slid > 50);
}

}  // namespace cone_response_test
