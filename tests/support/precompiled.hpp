// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What nearly every test includes: reading it once is most of what small tests cost.
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

// Solvers factor dense matrices of double with it; the library of what tests share has its code, in dense.cpp.
extern template class Eigen::PartialPivLU<Eigen::MatrixXd>;
