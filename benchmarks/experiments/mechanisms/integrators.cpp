// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "actio/integrators/composition.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "mechanisms.hpp"
#include "support/loop_racers.hpp"

std::unique_ptr<experiments::Racer> mechanisms::make(const Model& model, const State& start, const Setting& setting) {
  namespace racers = experiments::loop_racers;
  const auto& [name, h] = setting;
  const auto joint_steps = [&] { return actio::VariationalIntegrator<Model>(model, {.tolerance = 0}); };  // to rounding
  const auto body_steps = [&] { return actio::MaximalIntegrator<Model>(model, {.tolerance = 0}); };
  if (name == "variational") return experiments::racer(joint_steps(), start, h);
  if (name == "variational, order 4") return experiments::racer(actio::Composition<actio::VariationalIntegrator<Model>, 4>(joint_steps()), start, h);
  if (name == "variational, order 6") return experiments::racer(actio::Composition<actio::VariationalIntegrator<Model>, 6>(joint_steps()), start, h);
  if (name == "maximal") return experiments::racer(body_steps(), start, h);
  if (name == "maximal, order 6") return experiments::racer(actio::Composition<actio::MaximalIntegrator<Model>, 6>(body_steps()), start, h);
  if (name == "compliant") return racers::compliant(model, start, h);
  if (name == "srm") {
    const actio::VectorX<double> at_rest = start.v.isZero(0) ? racers::forces_at_rest(model, start) : actio::VectorX<double>();
    return racers::srm(model, start, h, {.iterations = 4, .order = 4, .lambda_0 = at_rest});
  }
  if (name == "rk4 in accelerations") return racers::in_accelerations(model, start, h);
  throw std::logic_error("no integrator " + name);
}
