// SPDX-License-Identifier: BSD-3-Clause
// Variational steps with contact reproduce the runs of another program, which solves the same equations in Python.
#include <algorithm>
#include <string>

#include "actio/dynamics/kinematics.hpp"
#include "actio/integrators/variational.hpp"
#include "support/any_contacts.hpp"
#include "support/contact_models.hpp"
#include "support/oracle.hpp"

namespace variational_contact_reference_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

Json reference(const std::string& name) { return read_json(ACTIO_TEST_DATA "/reference/variational_" + name + ".json"); }

/// Steps through a run from its first sample, or from a start at step 0, and compares all others.
/// @param to_state (q, v) of the file.  @param to_q, to_v of the state.
template <class I, class ToState, class ToQ, class ToV>
void check_run(I& integrator, const Json& run, ToState&& to_state, ToQ&& to_q, ToV&& to_v, double tolerance = 1e-9,
               const Json* start = nullptr) {
  const double h = run["h"].get<double>();
  const Json& first = start != nullptr ? *start : run["samples"][0];
  integrator.reset(to_state(to_vector(first["q"]), to_vector(first["v"])));
  int done = start != nullptr ? 0 : first["step"].get<int>();
  State<double> state = rest_state(integrator.model());
  for (const Json& sample : run["samples"]) {
    double normal = 0;
    bool steps = false;
    for (; done < sample["step"].get<int>(); ++done, steps = true) {
      const StepResult<double> result = integrator.step({}, h);
      CAPTURE(done);
      REQUIRE(describe(result.status) == describe(Status::converged));
      CHECK_FALSE(result.relaxed);
      CHECK(result.substeps == 1);
      normal = 0;
      for (const RowGroup<double>& group : integrator.rows().groups()) {
        if (group.kind == RowKind::contact || group.kind == RowKind::unilateral) normal += integrator.row_forces()[group.first] * h;
      }
    }
    CAPTURE(done, h);
    REQUIRE(integrator.read(state) == Status::converged);
    const VectorXd q = to_q(state), v = to_v(state);
    VectorXd wanted = to_vector(sample["q"]);
    if (q.size() == 7 && q.tail(4).dot(wanted.tail(4)) < 0) wanted.tail(4) = -wanted.tail(4).eval();
    CAPTURE((q - wanted).transpose());
    CHECK((q - wanted).cwiseAbs().maxCoeff() < tolerance);
    if (sample.contains("v") && v.size() > 0) {
      CAPTURE((v - to_vector(sample["v"])).transpose());
      CHECK((v - to_vector(sample["v"])).cwiseAbs().maxCoeff() < tolerance);
    }
    // The forces on the four-bar at rest are not unique: friction and the pins share the load.
    if (!steps || !integrator.model().loops().empty()) continue;
    CHECK(std::abs(normal - sample["normal"][0].get<double>() - sample["normal"][1].get<double>()) < tolerance);
  }
}
const auto flat_state = [](const VectorXd& q, const VectorXd& v) { return State<double>{q, v, 0}; };
const auto flat_q = [](const State<double>& state) { return state.q; };
const auto flat_v = [](const State<double>& state) { return state.v; };

TEST_CASE("variational contact: reference run of a particle on a rough plane", "[integrators][variational][fast]") {
  const Json file = reference("rough_plane");
  const Model<double> model = point_mass(1, 4, 9);
  VariationalIntegrator integrator(model, {.tolerance = 0, .springs = SpringRule::trapezoid},
                                   points({{3, {0, 0, 0}}}, file["model"]["mu"].get<double>()));
  for (const Json& run : file["discrete"]) check_run(integrator, run, flat_state, flat_q, flat_v);
}

TEST_CASE("variational contact: reference run of a particle in a bowl", "[integrators][variational][fast]") {
  const Json file = reference("bowl");
  const Model<double> model = point_mass(1);
  VariationalIntegrator integrator(model, {.tolerance = 0}, AnyContacts(BowlContacts{3, rigid(file["model"]["mu"].get<double>())}));
  const auto to_state = [](const VectorXd& q, const VectorXd& v) {
    return State<double>{VectorXd{{q[0], 0, q[1]}}, VectorXd{{v[0], 0, v[1]}}, 0};
  };
  const auto to_q = [](const State<double>& state) { return VectorXd{{state.q[0], state.q[2]}}; };
  const auto to_v = [](const State<double>& state) { return VectorXd{{state.v[0], state.v[2]}}; };
  for (const Json& run : file["discrete"]) check_run(integrator, run, to_state, to_q, to_v);
}

TEST_CASE("variational contact: reference runs of a box on an incline", "[integrators][variational][fast]") {
  const Json file = reference("incline");
  const double a = 0.3;
  const Model<double> model = free_box(2, {0.4, 0.3, 0.2}, 9.81 * Vector3<double>(std::sin(a), 0, -std::cos(a)));
  for (std::size_t k = 0; k < 3; ++k) {
    CAPTURE(k);
    VariationalIntegrator integrator(model, {.tolerance = 0}, corners({0.4, 0.3, 0.2}, file["model"]["mu"][k].get<double>()));
    check_run(integrator, file["discrete"][k], free_state, free_q, free_v);
  }
}

TEST_CASE("variational contact: reference run of a sphere that slips, then rolls", "[integrators][variational][fast]") {
  const Json file = reference("sphere_slip_to_roll");
  const Model<double> model = free_body(1, Vector3<double>::Constant(0.4 * 0.01));
  VariationalIntegrator integrator(model, {.tolerance = 0},
                                   PlaneContacts<double>(rigid(0.3)).add(1, Pose<double>::identity(), Sphere<double>{0.1}));
  check_run(integrator, file["discrete"][0], free_state, free_q, free_v);
}

TEST_CASE("variational contact: reference runs of a rolling coin and of Euler's disk", "[integrators][variational][fast]") {
  for (const char* name : {"coin", "euler_disk"}) {
    CAPTURE(name);
    const Json file = reference(name);
    const Model<double> model = free_body(0.5, 0.5 * 0.01 * Vector3<double>(0.25, 0.25, 0.5));
    VariationalIntegrator integrator(model, {.tolerance = 0}, AnyContacts(RimContacts{1, 0.1, rigid(file["model"]["mu"].get<double>())}));
    const Json start{{"q", file["model"]["q0"]}, {"v", file["model"]["v0"]}};
    check_run(integrator, file["discrete"][0], free_state, free_q, free_v, 1e-9, &start);
  }
}

TEST_CASE("variational contact: reference run of a box that tumbles", "[integrators][variational][fast]") {
  const Json file = reference("box_tumbles");
  const Model<double> model = free_box(1, {0.4, 0.3, 0.2});
  VariationalIntegrator integrator(model, {.tolerance = 0}, corners({0.4, 0.3, 0.2}, 0.5));
  check_run(integrator, file["discrete"][0], free_state, free_q, free_v);
}

/// Uniform rods of 1 kg and 0.5 m that hang on each other, the hinges about -y.
Model<double> hanging_rods(int n, double height, bool closed = false) {
  ModelBuilder<double> builder("rods");
  builder.gravity({0, 0, -9.81});
  for (int k = 0; k < n; ++k) {
    const std::string name = "rod" + std::to_string(k);
    builder.add_body(name, {1, {0, 0, -0.25}, Vector3<double>(1. / 48, 1. / 48, 1e-3).asDiagonal()});
    builder.add_joint("hinge" + std::to_string(k), k == 0 ? "world" : "rod" + std::to_string(k - 1), name,
                      Pose<double>::translation(0, 0, k == 0 ? height : -0.5), Revolute<double>({0, -1, 0}));
  }
  if (closed) {
    Loop<double> pin;
    pin.name = "pin";
    pin.type = LoopType::revolute;
    pin.axis = {0, -1, 0};
    pin.T_A.p = {0.6, 0, height};
    pin.T_B.p = {0, 0, -0.5};
    builder.add_loop(pin, "world", "rod2");
  }
  return builder.build();
}

TEST_CASE("variational contact: reference run of two rods that fall on the floor", "[integrators][variational][fast]") {
  const Json file = reference("rods_on_floor");
  const Model<double> model = hanging_rods(2, 0.8);
  VariationalIntegrator integrator(model, {.tolerance = 0}, points({{1, {0, 0, -0.5}}, {2, {0, 0, -0.5}}}, 0.4));
  check_run(integrator, file["discrete"][0], flat_state, flat_q, flat_v);
}

TEST_CASE("variational contact: reference run of a four-bar linkage whose coupler lands and slides", "[integrators][variational][fast]") {
  const Json file = reference("fourbar_contact");
  const Model<double> model = hanging_rods(3, 0.8, true);
  const double mu = file["model"]["mu"].get<double>(), ground = file["model"]["ground"].get<double>();
  VariationalIntegrator integrator(model, {.tolerance = 0},
                                   points({{2, {0, 0, -0.5}}, {2, {0, 0, 0}}, {2, {0.25, 0, -0.25}}}, mu, ground));
  const auto relative = [](const VectorXd& x) { return VectorXd{{x[2], x[5] - x[2], x[8] - x[5]}}; };  // absolute angles of the rods
  const auto to_state = [&](const VectorXd& q, const VectorXd& v) { return State<double>{relative(q), relative(v), 0}; };
  const auto absolute = [](const VectorXd& x) { return VectorXd{{x[0], x[0] + x[1], x[0] + x[1] + x[2]}}; };
  Json runs = file["discrete"];
  for (Json& sample : runs[0]["samples"]) {
    for (const char* key : {"q", "v"}) sample[key] = {sample[key][2], sample[key][5], sample[key][8]};
  }
  const auto from_angles = [](const VectorXd& x) { return VectorXd{{0, 0, x[0], 0, 0, x[1], 0, 0, x[2]}}; };
  check_run(integrator, runs[0], [&](const VectorXd& q, const VectorXd& v) { return to_state(from_angles(q), from_angles(v)); },
            [&](const State<double>& state) { return absolute(state.q); }, [&](const State<double>& state) { return absolute(state.v); });
}

TEST_CASE("variational contact: reference run of a pendulum on a cart that friction keeps at rest", "[integrators][variational][fast]") {
  const Json file = reference("cart_pendulum");
  ModelBuilder<double> builder("cart");
  builder.gravity({0, 0, -9.81});
  builder.add_body("slide", {0, Vector3<double>::Zero(), Matrix3<double>::Zero()});
  builder.add_body("cart", {1, Vector3<double>::Zero(), Matrix3<double>::Zero()});
  builder.add_body("pendulum", {0.5, {0, 0, -1}, Vector3<double>(0.02, 0.02, 1e-3).asDiagonal()});
  builder.add_joint("x", "world", "slide", Pose<double>::identity(), Prismatic<double>({1, 0, 0}));
  builder.add_joint("z", "slide", "cart", Pose<double>::identity(), Prismatic<double>({0, 0, 1}));
  builder.add_joint("hinge", "cart", "pendulum", Pose<double>::identity(), Revolute<double>({0, -1, 0}));
  const Model<double> model = builder.build();
  VariationalIntegrator integrator(model, {.tolerance = 0}, points({{2, {0, 0, 0}}}, file["model"]["mu"].get<double>()));
  check_run(integrator, file["discrete"][0], flat_state, flat_q, flat_v);
}

}  // namespace variational_contact_reference_test
