// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// ModelBuilder: makes a checked Model from links, joints and closures in any order. All errors of a stage are reported at once.
#include "actio/model/builder/checks.hpp"
#include "actio/model/builder/class.hpp"
#include "actio/model/builder/growth.hpp"

#ifdef ACTIO_PRECOMPILED
namespace actio {

ACTIO_INSTANTIATE class ModelBuilder<double>;
ACTIO_INSTANTIATE ModelBuilder<double>& ModelBuilder<double>::add_joint(std::string, std::string, std::string, const Pose<double>&,
                                                                      const Revolute<double>&, const JointProperties<double>&,
                                                                      std::string, const Pose<double>&);
ACTIO_INSTANTIATE ModelBuilder<double>& ModelBuilder<double>::add_joint(std::string, std::string, std::string, const Pose<double>&,
                                                                      const Prismatic<double>&, const JointProperties<double>&,
                                                                      std::string, const Pose<double>&);
ACTIO_INSTANTIATE ModelBuilder<double>& ModelBuilder<double>::add_joint(std::string, std::string, std::string, const Pose<double>&,
                                                                      const Spherical<double>&, const JointProperties<double>&,
                                                                      std::string, const Pose<double>&);
ACTIO_INSTANTIATE ModelBuilder<double>& ModelBuilder<double>::add_joint(std::string, std::string, std::string, const Pose<double>&,
                                                                      const Free<double>&, const JointProperties<double>&,
                                                                      std::string, const Pose<double>&);

}  // namespace actio
#endif
