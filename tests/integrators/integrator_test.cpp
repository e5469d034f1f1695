// SPDX-License-Identifier: BSD-3-Clause
// The interfaces: dummy integrators of every planned kind satisfy the concept and obey its laws.
#include "actio/integrators/integrator.hpp"

#include "actio/model/builder.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
#include "support/catch.hpp"
#include "support/dummy_integrators.hpp"
#include "support/integrator_laws.hpp"
#include "support/refusal.hpp"

namespace integrator_test {

using namespace actio;
using namespace actio::test;
using Tree = Model<double>;

/// A force field that fails in [begin, end).
struct GivesUp {
  double begin = 0, end = 0;
  bool operator()(double time, const ConstVectorRef<double>&, const ConstVectorRef<double>& v, VectorRef<double> tau) noexcept {
    tau = -0.1 * v;
    return time < begin || time >= end;
  }
};

/// A slider driven by the cube of its coordinate: at q = 0 its velocity is undefined.
struct DeadPoint {
  using Real = double;
  static constexpr int nq = 1, nv = 1;
  using Config = Eigen::Matrix<double, 1, 1>;
  using Tangent = Config;
  Pose<double> pose(const Config& q) const { return Pose<double>::translation(q[0] * q[0] * q[0] / 3, 0, 0); }
  Vector6<double> motion_subspace(const Config& q) const { return spatial<double>({0, 0, 0}, {q[0] * q[0], 0, 0}); }
  Config integrate(const Config& q, const Tangent& x) const { return q + x; }
  Tangent difference(const Config& q0, const Config& q1) const { return q1 - q0; }
};
using Crank = Model<double, std::variant<DeadPoint>>;

static_assert(Integrator<JointCoordinates<Tree>> && Integrator<JointCoordinates<Tree, GivesUp>>);
static_assert(Integrator<MaximalCoordinates<Tree>> && Integrator<MaximalCoordinates<Crank>>);
static_assert(Integrator<CompliantContact<Tree>>);
static_assert(Integrator<Regularization<Tree>>);
static_assert(Integrator<TripleJump<JointCoordinates<Tree>>> && Integrator<TripleJump<TripleJump<JointCoordinates<Tree>>>>);
static_assert(Integrator<JointCoordinates<Model<float>>>);

struct MayThrow : JointCoordinates<Tree> {
  StepResult<double> step(const Input<double>& input, double h) { return JointCoordinates<Tree>::step(input, h); }
};
static_assert(!Integrator<MayThrow>);

template <class S>
State<S> moving(const Model<S>& model, std::uint64_t seed = 1) {
  return {models::random_configuration(model, seed), models::random_velocity(model, seed + 1), S(0.5f)};
}

/// Balls on vertical sliders above the ground, with contact enforced.
Tree balls(int count) {
  ModelBuilder<double> builder("balls");
  for (int k = 0; k < count; ++k) {
    const std::string name = "ball_" + std::to_string(k + 1);
    builder.add_body(name, Inertia<double>::sphere(1, 0.1));
    builder.add_joint(name, "world", name, Pose<double>::identity(), Prismatic<double>(Vector3<double>::UnitZ()));
    builder.add_shape({.name = name, .geometry = Sphere<double>{0.1}}, name);
  }
  return builder.build().with_enforced({.contact = true});
}

/// Three links whose tip is attached to the world.
Tree closed_chain() {
  ModelBuilder<double> builder("closed_chain");
  std::string parent = "world";
  for (const char* link : {"a", "b", "c"}) {
    const Pose<double> at = Pose<double>::translation(parent == "world" ? 0 : 1, 0, 0);
    builder.add_body(link, Inertia<double>::sphere(1, 0.1)).add_joint(link, parent, link, at, Revolute<double>(Vector3<double>::UnitZ()));
    parent = link;
  }
  builder.add_loop({.name = "tie", .T_B = Pose<double>::translation(2, 1, 0)}, "c", "world");
  return builder.build();
}

TEST_CASE("integrator: integrators in joint coordinates obey the laws", "[integrators][long]") {
  const Tree tree = models::random_tree(3, 12), humanoid = models::humanoid();
  check_integrator_laws(JointCoordinates<Tree>(tree), moving(tree), 1e-2);
  check_integrator_laws(JointCoordinates<Tree>(humanoid), moving(humanoid), 1e-2);
  const Model<float> single = cast<float>(tree);
  check_integrator_laws(JointCoordinates<Model<float>>(single), moving(single), 1e-2f, {.reversal_tolerance = 1e-5});
  const Tree damped = models::random_tree(3, 12, {.damping = true});  // no step back is possible
  check_integrator_laws(JointCoordinates<Tree>(damped), moving(damped), 1e-2);
}

TEST_CASE("integrator: a failing force field fails the step", "[integrators][long]") {
  const Tree chain = models::revolute_chain(3);
  check_integrator_laws(JointCoordinates<Tree, GivesUp>(chain, {8, 9}), moving(chain), 1e-2, {.reversal_tolerance = 1e-3});
  check_failing_step(JointCoordinates<Tree, GivesUp>(chain, {0.5, 0.6}), moving(chain), {}, 1e-2, Status::callback_failed);
}

TEST_CASE("integrator: integrators in maximal coordinates obey the laws, although reading needs a solution", "[integrators][long]") {
  const Tree tree = models::random_tree(4, 12);
  check_integrator_laws(MaximalCoordinates<Tree>(tree), moving(tree), 1e-2);
}

TEST_CASE("integrator: a failed solution is reported by the step and by reading", "[integrators][long]") {
  ModelBuilder<double, std::variant<DeadPoint>> builder("crank");
  builder.add_body("slider", Inertia<double>::sphere(1, 0.1)).add_joint("crank", "world", "slider", Pose<double>::identity(), DeadPoint{});
  const Crank crank = builder.build();
  MaximalCoordinates<Crank> integrator(crank);
  const State<double> before_dead_point{VectorX<double>::Constant(1, -0.5), VectorX<double>::Ones(1), 0};
  integrator.reset(before_dead_point);
  REQUIRE(integrator.step({}, 0.5));
  REQUIRE(integrator.configuration()[0] == 0);
  State<double> state = before_dead_point;
  CHECK(integrator.read(state) == Status::singular);
  CHECK(equal_bits(state, before_dead_point));  // nothing was written
  const StepResult<double> result = integrator.step({}, 0.5);
  CHECK(result.status == Status::singular);
  CHECK(result.culprit == Culprit::body(1));
  CHECK(integrator.time() == 0.5);
  CHECK(integrator.configuration()[0] == 0);

  State<double> at_dead_point = before_dead_point;
  at_dead_point.q.setZero();
  check_failing_step(integrator, at_dead_point, {}, 0.5, Status::singular);  // v is kept until the first step, so reading works
}

TEST_CASE("integrator: compliant contact obeys the laws and reports contacts beyond its capacity", "[integrators][long]") {
  const Tree model = balls(3);
  State<double> one_down = moving(model), two_down = one_down;
  one_down.q << 0.05, 2, 2;
  two_down.q << 0.05, 2, 0.05;
  const CompliantContact<Tree> small(model, {.contact_capacity = 1});
  check_integrator_laws(small, one_down, 1e-2);
  check_integrator_laws(CompliantContact<Tree>(model), two_down, 1e-2);
  check_failing_step(small, two_down, {}, 1e-2, Status::capacity);

  CompliantContact<Tree> integrator = small;
  integrator.reset(two_down);
  CHECK(integrator.step({}, 1e-2).culprit == Culprit::body(3));
  integrator.reset(one_down);
  CHECK(integrator.step({}, -1e-2).status == Status::invalid_step);  // contact dissipates
  REQUIRE(integrator.step({}, 1e-2));
  CHECK(integrator.contacts() == 1);
  const Tree without = model.with_enforced({});
  CompliantContact<Tree> blind(without, {.contact_capacity = 0});
  blind.reset(two_down);
  CHECK(blind.step({}, 1e-2));  // contact that is only recorded is not evaluated
}

TEST_CASE("integrator: regularization with copies of the state obeys the laws", "[integrators][long]") {
  const Tree model = closed_chain();
  check_integrator_laws(Regularization<Tree>(model), moving(model), 1e-2);
  check_integrator_laws(Regularization<Tree, 1>(model), moving(model), 1e-2);
}

TEST_CASE("integrator: a composition obeys the laws, and undoes an incomplete step after a failure inside it", "[integrators][long]") {
  const Tree tree = models::random_tree(5, 8);
  const JointCoordinates<Tree> inner(tree);
  check_integrator_laws(TripleJump<JointCoordinates<Tree>>(inner), moving(tree), 1e-2);
  check_integrator_laws(TripleJump<TripleJump<JointCoordinates<Tree>>>(TripleJump<JointCoordinates<Tree>>(inner)), moving(tree), 1e-2);

  // A step of 0.01 consists of substeps of 0.0135, -0.0170 and 0.0135 to 0.0135, -0.0035 and 0.01: the midpoints are at 0.0068, 0.005 and
  // 0.0032.
  const Tree chain = models::revolute_chain(3);
  for (const double middle : {0.0068, 0.005, 0.0032}) {
    CAPTURE(middle);
    const GivesUp force{0.5 + middle - 0.0005, 0.5 + middle + 0.0005};
    const TripleJump<JointCoordinates<Tree, GivesUp>> gives_up(JointCoordinates<Tree, GivesUp>(chain, force));
    check_failing_step(gives_up, moving(chain), {}, 1e-2, Status::callback_failed);
  }
}

TEST_CASE("integrator: models that a scheme does not support are refused at construction", "[integrators][long]") {
  const Tree closed = closed_chain();
  CHECK(missing(refusal<ModelError>([&] { return JointCoordinates<Tree>(closed); }), {"joint_coordinates", "loop 'tie'", "release"}) == "");
  CHECK_NOTHROW(MaximalCoordinates<Tree>(closed));
  const Tree contact = balls(1), released = closed.with_loops(false);
  CHECK(missing(refusal<ModelError>([&] { return Regularization<Tree>(contact); }), {"regularization", "contact"}) == "");
  CHECK_NOTHROW(JointCoordinates<Tree>(released));
}

TEST_CASE("integrator: an invalid state is refused with the name of the invalid element", "[integrators][long]") {
  const Tree chain = models::spherical_chain(2);
  JointCoordinates<Tree> integrator(chain);
  const auto refused = [&](auto change) {
    State<double> state = rest_state(chain);
    change(state);
    return refusal<OptionsError>([&] {
      integrator.reset(state);
      return 0;
    });
  };
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  CHECK(missing(refused([](auto& x) { x.q.setZero(3); }), {"'spherical_chain'", "q has 3 entries, expected 8"}) == "");
  CHECK(missing(refused([](auto& x) { x.v.setZero(7); }), {"v has 7 entries, expected 6"}) == "");
  CHECK(missing(refused([](auto& x) { x.q[3] = 1.1; }), {"joint_1", "unit quaternion"}) == "");
  CHECK(missing(refused([&](auto& x) { x.v[4] = not_a_number; }), {"v 'joint_2.wy' is not finite"}) == "");
  CHECK(missing(refused([&](auto& x) { x.time = not_a_number; }), {"time is not finite"}) == "");
}

}  // namespace integrator_test
