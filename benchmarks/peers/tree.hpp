// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A tree of rigid bodies as plain numbers, with two states of it. `peer_actio --write` writes it from a Model to a file, which the programs
// of all libraries read. It includes nothing of any library, because each program is compiled for its library alone.
#include <array>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace peers {

using Three = std::array<double, 3>;

/// A body and the joint that connects it to its parent. The frame of the body is that of the joint on the child. SI units and radians.
struct Link {
  int parent = -1;                  ///< -1 for the world
  std::string joint;                ///< revolute, universal, ball or floating; the last only on the world, and without a placement
  Three position{};                 ///< of the joint's frame in the parent
  std::array<double, 9> rotation{};  ///< of the joint's frame to the parent, row by row
  Three axis{}, axis2{};            ///< of revolute and universal joints; the second is fixed in the child
  double mass = 0;
  Three com{};                      ///< centre of mass in the body
  std::array<double, 6> inertia{};  ///< about the centre of mass, in the axes of the body: xx, yy, zz, xy, xz, yz
  /// Angles; of a ball joint the quaternion (x, y, z, w), child to parent; of a floating one the position, then the quaternion.
  std::array<std::array<double, 7>, 2> q{};
  /// Rates of the angles; of a ball joint the angular velocity in the child; of a floating one the angular and then the linear velocity of
  /// the body's origin, both in the child.
  std::array<std::array<double, 6>, 2> v{};
  std::array<double, 6> a{};        ///< accelerations for inverse dynamics: the derivatives of the entries of v

  int freedoms() const { return joint == "floating" ? 6 : joint == "ball" ? 3 : joint == "universal" ? 2 : 1; }
};

/// Two states of a tree differ by 1e-9 in every coordinate: libraries that keep what depends on an unchanged state are made to compute it.
struct Tree {
  std::string name;         ///< of the model
  int size = 0;             ///< number that the model was made with, such as links of a chain
  Three gravity{};
  std::vector<Link> links;  ///< parents before children
};

namespace detail {
/// Calls action with all of a link's numbers, in the order of the file.
template <class L, class Action>
void for_all_numbers(L& link, const Action& action) {
  const auto all = [&](auto& numbers) { for (auto& number : numbers) action(number); };
  all(link.position), all(link.rotation), all(link.axis), all(link.axis2);
  action(link.mass);
  all(link.com), all(link.inertia);
  for (std::size_t k = 0; k < 2; ++k) all(link.q[k]), all(link.v[k]);
  all(link.a);
}
}  // namespace detail

/// Writes a line for the tree and one for each link.  @throws std::runtime_error if the file cannot be written.
inline void write(const Tree& tree, const std::string& path) {
  std::ofstream file(path);
  file.precision(17);
  file << tree.name << ' ' << tree.size << ' ' << tree.links.size();
  for (const double g : tree.gravity) file << ' ' << g;
  for (const Link& link : tree.links) {
    file << '\n' << link.parent << ' ' << link.joint;
    detail::for_all_numbers(link, [&](double number) { file << ' ' << number; });
  }
  if (!(file << '\n')) throw std::runtime_error("cannot write " + path);
}

/// @throws std::runtime_error if the file cannot be read.
inline Tree read(const std::string& path) {
  std::ifstream file(path);
  Tree tree;
  std::size_t links = 0;
  file >> tree.name >> tree.size >> links;
  for (double& g : tree.gravity) file >> g;
  tree.links.resize(file ? links : 0);
  for (Link& link : tree.links) {
    file >> link.parent >> link.joint;
    detail::for_all_numbers(link, [&](double& number) { file >> number; });
  }
  if (!file) throw std::runtime_error("cannot read a tree from " + path);
  return tree;
}

}  // namespace peers
