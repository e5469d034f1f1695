// SPDX-License-Identifier: BSD-3-Clause
#include "support/models.hpp"

#include <algorithm>
#include <cstdint>
#include <numbers>

#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"

namespace models = actio::models;

bench::Names bench::trees() { return {"revolute_chain", "planar_chain", "spherical_chain", "binary_tree", "humanoid"}; }

bench::Names bench::loops() { return {"square_chain", "square_net", "ladder", "four_bar"}; }

bench::Names bench::trees_and_loops() {
  Names names = trees();
  names.insert(names.end(), {"four_link_segments", "ladder", "closed_chain"});
  return names;
}

actio::Model<double> bench::make_model(std::string_view name, int n) {
  if (name == "revolute_chain") return models::revolute_chain(n);
  if (name == "planar_chain") return models::planar_chain(n);
  if (name == "spherical_chain") return models::spherical_chain(n);
  if (name == "binary_tree") return models::binary_tree(n);
  if (name == "four_link_segments") return models::four_link_segments(n);
  if (name == "ladder") return models::ladder(n);
  if (name == "square_chain") return models::square_chain(n);
  if (name == "square_net") return models::square_net(n);
  if (name == "four_bar") return models::four_bars(n);
  if (name == "closed_chain") return models::closed_chain(n);
  if (name == "opened_chain") return models::closed_chain(n).with_loops(false);
  return models::humanoids(n);
}

std::vector<int> bench::sizes(std::string_view name) {
  if (name == "square_net") return {1, 2, 4, 8, 16, 32, 64};
  std::vector<int> sizes;
  if (name == "square_chain" || name == "four_bar") {
    for (int n = 1; n <= 4096; n *= 2) sizes.push_back(n);
    return sizes;
  }
  const int bodies = name == "four_link_segments" ? 4 : name == "ladder" ? 3 : 1;  // for each of n
  for (int n = name == "humanoid" ? 16 : 2; n * bodies <= 1024; n *= 2) sizes.push_back(n);
  if (name == "revolute_chain") sizes.insert(sizes.end(), {30, 100, 300});
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

actio::State<double> bench::start(const actio::Model<double>& model) {
  actio::State<double> state = actio::rest_state(model);
  if (model.loops().empty()) {
    state.q = models::random_configuration(model, 1, std::numbers::pi / 2);
    if (model.nv(1) == 6) state.v = models::random_velocity(model, 2);
    return state;
  }
  models::Random random(1);
  const int n = static_cast<int>(model.loops().size());
  if (model.name() == "four_link_segments") {
    for (int k = 0; k < n; ++k) {
      const double half = random.uniform(0.3, 1.2), lean = random.uniform(-0.5, 0.5);
      models::open_segment(model, k, half, lean, state.q);
    }
  } else if (model.name() == "square_net") {
    state.q = models::leaning(model, std::numbers::pi / 6);
  } else if (model.name() == "ladder") {
    Eigen::VectorXd angles(n);
    for (double& angle : angles) angle = random.uniform(-0.5, 0.5);
    state.q = models::sheared(model, angles);
  }
  return state;
}

std::vector<actio::State<double>> bench::moving_starts(const actio::Model<double>& model, int n) {
  std::vector<actio::State<double>> starts;
  for (int k = 0; k < n; ++k) {
    const auto seed = static_cast<std::uint64_t>(k);
    starts.push_back({models::random_configuration(model, 10 + seed, 0.5), models::random_velocity(model, 100 + seed), 0});
  }
  return starts;
}
