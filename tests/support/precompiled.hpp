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

// Solvers factor dense matrices of double with it; it is instantiated in dense.cpp.
extern template class Eigen::PartialPivLU<Eigen::MatrixXd>;

// At the end: it needs all headers, and its declarations must come before their first use.
#include "support/single.hpp"
