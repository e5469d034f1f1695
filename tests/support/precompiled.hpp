// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Headers that nearly every test includes: parsing them takes most of the compile time of small tests.
#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "actio/actio.hpp"
#include "support/catch.hpp"

// Defined in precompiled.cpp: solvers factor dense matrices of double with the first.
extern template class Eigen::PartialPivLU<Eigen::MatrixXd>;
extern template class actio::Model<float>;
extern template class actio::ModelBuilder<float>;
