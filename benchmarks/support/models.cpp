// SPDX-License-Identifier: BSD-3-Clause
#include "support/models.hpp"

#include <algorithm>
#include <numbers>

#include "actio/model/ready/binary_tree.hpp"
#include "actio/model/ready/chain.hpp"
#include "actio/model/ready/humanoid.hpp"
#include "actio/model/ready/random.hpp"

namespace models = actio::models;

actio::Model<double> bench::make_model(std::string_view name, int n) {
  if (name == "revolute_chain") return models::revolute_chain(n);
  if (name == "planar_chain") return models::planar_chain(n);
  if (name == "spherical_chain") return models::spherical_chain(n);
  if (name == "binary_tree") return models::binary_tree(n);
  return models::humanoids(n);
}

std::vector<int> bench::sizes(std::string_view name) {
  std::vector<int> sizes;
  for (int n = name == "humanoid" ? 16 : 2; n <= 1024; n *= 2) sizes.push_back(n);
  if (name == "revolute_chain") sizes.insert(sizes.end(), {30, 100, 300});
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

actio::State<double> bench::start(const actio::Model<double>& model) {
  actio::State<double> state = actio::rest_state(model);
  state.q = models::random_configuration(model, 1, std::numbers::pi / 2);
  if (model.nv(1) == 6) state.v = models::random_velocity(model, 2);
  return state;
}
