// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "actio/integrators/composition.hpp"
#include "actio/integrators/extrapolation.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/reversible_steps.hpp"
#include "actio/integrators/runge_kutta.hpp"
#include "actio/integrators/semi_implicit_euler.hpp"
#include "actio/integrators/variational.hpp"
#include "mechanisms.hpp"
#include "support/loop_racers.hpp"

namespace {

using namespace mechanisms;

/// Steps that follow the motion, of which the first has the length h. They end where `run` is to end.
class Reversible final : public experiments::Racer {
 public:
  using Inner = actio::VariationalIntegrator<Model>;
  Reversible(const Inner& inner, const State& start, double h) : start_(start), h_(h), steps_(inner, 1.0) {
    steps_.reset(start);
    steps_ = {inner, h * steps_.density()};
  }
  void restart() override { steps_.reset(start_); }
  void run(int steps, experiments::Lap& lap) override {
    const double end = steps_.time() + steps * h_;
    while (end - steps_.time() > 1e-6 * h_ && lap.end == actio::Status::converged) {
      if (steps_.h() > end - steps_.time()) steps_.shorten(end - steps_.time());
      const actio::StepResult<double> result = steps_.step({});
      lap.end = result.status;
      lap.steps += bool(result);
      lap.halved += result.substeps > 1;
      lap.relaxed += bool(result.relaxed);
    }
  }
  const actio::VectorX<double>& configuration() const override { return steps_.configuration(); }
  actio::Status read(State& state) override { return steps_.read(state); }

 private:
  State start_;
  double h_;
  actio::ReversibleSteps<Inner> steps_;
};

}  // namespace

const std::vector<mechanisms::Setting>& mechanisms::integrators() {
  static const std::vector<Setting> all{{"variational, order 6", 1},
                                        {"variational, order 4", 1. / 2},
                                        {"variational, extrapolated, order 6", 1},
                                        {"variational", 1. / 8},
                                        {"variational at constant cost", 1. / 8},
                                        {"variational in reversible steps", 1},  // the first, which motions begin slowly
                                        {"maximal, order 6", 1},
                                        {"maximal", 1. / 8},
                                        {"compliant", 1. / 8},
                                        {"srm", 1. / 8},
                                        {"rk4", 1. / 2},
                                        {"rk4 in accelerations", 1. / 2},
                                        {"heun", 1. / 4},
                                        {"semi-implicit Euler", 1. / 8}};
  return all;
}

std::unique_ptr<experiments::Racer> mechanisms::make(const Model& model, const State& start, const Setting& setting) {
  namespace racers = experiments::loop_racers;
  const auto& [name, h] = setting;
  const auto joint_steps = [&] { return actio::VariationalIntegrator<Model>(model, {.tolerance = 0}); };  // to rounding
  const auto body_steps = [&] { return actio::MaximalIntegrator<Model>(model, {.tolerance = 0}); };
  if (name == "variational") return experiments::racer(joint_steps(), start, h);
  if (name == "variational, order 4") return experiments::racer(actio::Composition<actio::VariationalIntegrator<Model>, 4>(joint_steps()), start, h);
  if (name == "variational, order 6") return experiments::racer(actio::Composition<actio::VariationalIntegrator<Model>, 6>(joint_steps()), start, h);
  if (name == "variational, extrapolated, order 6") {
    return experiments::racer(actio::Extrapolation<actio::VariationalIntegrator<Model>, 6>(joint_steps()), start, h);
  }
  if (name == "variational at constant cost") {
    return experiments::racer(actio::VariationalIntegrator<Model, actio::Drnea<actio::Split>, actio::ConstantCost>(model), start, h);
  }
  if (name == "variational in reversible steps") return std::make_unique<Reversible>(joint_steps(), start, h);
  if (name == "maximal") return experiments::racer(body_steps(), start, h);
  if (name == "maximal, order 6") return experiments::racer(actio::Composition<actio::MaximalIntegrator<Model>, 6>(body_steps()), start, h);
  if (name == "compliant") return racers::compliant(model, start, h);
  if (name == "srm") {
    const actio::VectorX<double> at_rest = start.v.isZero(0) ? racers::forces_at_rest(model, start) : actio::VectorX<double>();
    return racers::srm(model, start, h, {.iterations = 4, .order = 4, .lambda_0 = at_rest});
  }
  if (name == "rk4") return experiments::racer(actio::RungeKutta<Model>(model), start, h);
  if (name == "heun") return experiments::racer(actio::RungeKutta<Model, actio::Heun>(model), start, h);
  if (name == "semi-implicit Euler") return experiments::racer(actio::SemiImplicitEuler<Model>(model), start, h);
  if (name == "rk4 in accelerations") return racers::in_accelerations(model, start, h);
  throw std::logic_error("no integrator " + name);
}
