// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/compliant.hpp"

#include "actio/model/builder.hpp"
#include "actio/solvers/reference/dense_cone.hpp"
#include "scene.hpp"

namespace compliant_incline {
namespace {

template <class... Solver>
Path run(actio::ConeLaw law, const Settings& settings, const Solver&... solver) {
  using namespace actio;
  ModelBuilder<double> builder("box");
  builder.gravity(gravity).add_body("box", box());
  builder.add_joint("free", "world", "box", Pose<double>::identity(), Free<double>());
  const Model<double> model = builder.build();
  CompliantOptions<double> options;
  options.law = law;
  CompliantIntegrator integrator(model, options, feet(settings), solver...);
  State<double> state = rest_state(model);
  state.q[2] = settings.touching ? size[2] / 2 : rest_height();
  integrator.reset(state);
  Path path{settings.h, {0}, {state.q[2] - rest_height()}};
  while (path.x.size() <= num_steps(settings) && path.z.back() < 1) {
    const StepResult<double> result = integrator.step({}, settings.h);
    if (!result || result.relaxed) break;
    path.x.push_back(integrator.configuration()[0]);
    path.z.push_back(integrator.configuration()[2] - rest_height());
  }
  return path;
}

}  // namespace

// Written out instead of calling hertz(), which is checked against it.
double hertz_depth() { return std::pow(g * std::cos(slope) / 4 / (4. / 3 * modulus * std::sqrt(radius)), 2. / 3); }
Path compliant(actio::ConeLaw law, const Settings& settings) { return run(law, settings); }
Path dense(actio::ConeLaw law, const Settings& settings) { return run(law, settings, actio::DenseCone<actio::InteriorPoints>()); }
Path published(double weight, const Settings& settings) {
  return run(actio::ConeLaw::convex, settings, actio::DenseCone(actio::PublishedForms<double>{weight}));
}

}  // namespace compliant_incline
