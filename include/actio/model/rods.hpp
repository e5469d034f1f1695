// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Trees of equal rods in redundant coordinates of the world: the point where each rod ends, and the vector along it.
#include <string>
#include <utility>
#include <vector>

#include "actio/core/error.hpp"
#include "actio/core/text.hpp"
#include "actio/core/types.hpp"

namespace actio {

/// Uniform thin rods of one length and one mass, jointed end to end; in space on ball joints, without inertia about their own axes.
/// Rod j, 1 ... num_rods(), begins at the end of its parent, rod parent(j) < j, or if parent(j) is 0 at a knot fixed in the world.
/// Its coordinates are p_j = (x_j, r_j) [m], the point where it ends and the vector along it from its beginning to its end; p contains
/// those of all rods. They satisfy  (r.r - l^2) / 2 = 0  and  x_j - x_parent(j) - r_j = 0; each closed loop joins the ends of two rods.
///                                                                                                          [Ascher and Lin 1999, sec. 4]
template <Scalar S, int dimension>
class RodTree {
 public:
  using Scalar = S;                      ///< type of every number in it
  static constexpr int d = dimension;    ///< 2 in the plane, 3 in space
  using Point = Eigen::Matrix<S, d, 1>;  ///< (d), in the axes of the world
  /// The ends of two rods coincide: x_a - x_b = 0.
  struct Loop {
    BodyIndex a = 0,  ///< rod whose end it joins
        b = 0;        ///< to the end of this one
    friend bool operator==(const Loop&, const Loop&) = default;  ///< whether the rods are the same, in the same order
  };

  /// @param length [m], mass [kg] of a rod, > 0.  @param acceleration of gravity, or of any other uniform field [m/s^2].
  /// @throws ModelError if length or mass is not > 0.
  RodTree(const S& length, const S& mass, const Point& acceleration) : length_(length), mass_(mass), acceleration_(acceleration) {
    for (const auto& [what, value] : {std::pair{"length", length}, std::pair{"mass", mass}}) {
      if (!(value_of(value) > 0)) throw ModelError(detail::concat({"rods: ", what, " is ", detail::to_text(value), ", expected > 0"}));
    }
    rods_.push_back({});
  }

  /// Adds a rod at the end of another, its parent.  @returns its index.  @throws ModelError if there is no such parent.
  BodyIndex add_rod(BodyIndex parent) {
    if (parent < 1 || parent > num_rods())
      throw ModelError("rods: the parent of a rod is rod " + std::to_string(parent) + ", expected 1 ... " + std::to_string(num_rods()));
    rods_.push_back({parent, Point::Zero()});
    return num_rods();
  }
  /// Adds a rod at a knot fixed in the world.  @param knot in the world [m].  @returns its index.
  BodyIndex add_rod(const Point& knot) {
    rods_.push_back({0, knot});
    return num_rods();
  }
  /// Joins the ends of two rods.  @throws ModelError if they are not two different rods of the tree.
  void add_loop(BodyIndex a, BodyIndex b) {
    if (a < 1 || b < 1 || a > num_rods() || b > num_rods() || a == b) {
      throw ModelError("rods: a loop joins rods " + std::to_string(a) + " and " + std::to_string(b) + ", expected two different ones of 1 ... " + std::to_string(num_rods()));
    }
    loops_.push_back({a, b});
  }

  const S& length() const { return length_; }                                      ///< l of every rod [m]
  const S& mass() const { return mass_; }                                          ///< m of every rod [kg]
  const Point& acceleration() const { return acceleration_; }                      ///< in the world [m/s^2]
  BodyIndex num_rods() const { return static_cast<BodyIndex>(rods_.size()) - 1; }  ///< the world not counted
  /// Returns the parent of rod j, or 0 if rod j begins at a knot in the world.
  BodyIndex parent(BodyIndex j) const { return rods_[static_cast<std::size_t>(j)].parent; }
  const Point& knot(BodyIndex j) const { return rods_[static_cast<std::size_t>(j)].knot; }  ///< in the world [m], of a rod without parent
  const std::vector<Loop>& loops() const { return loops_; }                                 ///< in the order in which they were added

  Eigen::Index size() const { return 2 * d * num_rods(); }  ///< of p, and of its rates
  template <class P>
  static auto end_of(BodyIndex j, P&& p) { return p.template segment<d>(2 * d * (j - 1)); }             ///< x_j
  template <class P>
  static auto vector_of(BodyIndex j, P&& p) { return p.template segment<d>(2 * d * (j - 1) + d); }      ///< r_j

  /// Returns p for given vectors along the rods.  @param r (num_rods) r_j at j - 1, of the length of a rod [m].
  VectorX<S> placed(const std::vector<Point>& r) const {
    VectorX<S> p(size());
    for (BodyIndex j = 1; j <= num_rods(); ++j) {
      vector_of(j, p) = r[static_cast<std::size_t>(j - 1)];
      end_of(j, p) = vector_of(j, p);
      if (parent(j) == 0) end_of(j, p) += knot(j);
      else end_of(j, p) += end_of(parent(j), p);
    }
    return p;
  }

  /// Computes out = p + x, all of size().
  void integrate(const VectorX<S>& p, const VectorX<S>& x, VectorX<S>& out) const { out = p + x; }
  /// Computes the momenta of a rod [N s] from the rates of its x and r [m/s]:
  /// M_j (x, r) = m (x - r/2, r/3 - x/2): from  T = m (|x' - r'/2|^2 + |r'|^2 / 12) / 2.
  void momentum(const Point& x, const Point& r, Point& of_x, Point& of_r) const {
    of_x = mass_ * (x - r / S(2));
    of_r = mass_ * (r / S(3) - x / S(2));
  }
  /// Returns the kinetic energy plus the potential of the acceleration, which is zero where all midpoints are at the origin [J].
  /// @param p, v of size().
  S energy(const ConstVectorRef<S>& p, const ConstVectorRef<S>& v) const {
    S sum(0);
    for (BodyIndex j = 1; j <= num_rods(); ++j) {
      const Point rate = end_of(j, v) - vector_of(j, v) / S(2), middle = end_of(j, p) - vector_of(j, p) / S(2);
      sum += mass_ * ((rate.squaredNorm() + vector_of(j, v).squaredNorm() / S(12)) / S(2) - acceleration_.dot(middle));
    }
    return sum;
  }

 private:
  struct Rod {
    BodyIndex parent = 0;
    Point knot = Point::Zero();
  };
  S length_, mass_;
  Point acceleration_;
  std::vector<Rod> rods_;  // the first stands for the world
  std::vector<Loop> loops_;
};

}  // namespace actio
