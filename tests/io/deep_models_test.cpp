// SPDX-License-Identifier: BSD-3-Clause
// Files whose elements or bodies are nested thousands of levels deep, such as ropes, are read and simulated on a small stack.
#include <pthread.h>

#include <exception>
#include <string>

#include "actio/integrators/variational.hpp"
#include "actio/io/mjcf.hpp"
#include "actio/io/sdf.hpp"
#include "actio/io/urdf.hpp"
#include "io/read_models.hpp"
#include "io/read_urdf.hpp"
#include "support/catch.hpp"

namespace deep_models_test {

using namespace actio;

constexpr int levels = 5000;

std::string repeat(const std::string& text, int count = levels) {
  std::string all;
  for (int k = 0; k < count; ++k) all += text;
  return all;
}

/// Calls `work` in a thread with a stack of 1 MB, and throws what it throws.
template <class Work>
void on_small_stack(Work work) {
  struct Call {
    Work* work;
    std::exception_ptr error;
  } call{&work, nullptr};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  REQUIRE(pthread_attr_setstacksize(&attributes, 1 << 20) == 0);
  pthread_t thread;
  const auto run = [](void* data) -> void* {
    Call& begun = *static_cast<Call*>(data);
    try {
      (*begun.work)();
    } catch (...) {
      begun.error = std::current_exception();
    }
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, run, &call) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  if (call.error) std::rethrow_exception(call.error);
}

/// Returns the number of bodies that a reader finds, after one step of the integrator.
template <class Read>
BodyIndex bodies_of(const std::string& text, Read read) {
  BodyIndex bodies = 0;
  on_small_stack([&] {
    const Model<double> model = read(text).model;
    VariationalIntegrator integrator(model);
    if (integrator.step({}, 1e-3)) bodies = model.num_bodies() - 1;
  });
  return bodies;
}

TEST_CASE("readers: nested bodies and frames of any depth", "[io][mjcf][fast]") {
  const auto read = [](const std::string& text) { return parse_mjcf<double>(text, "deep"); };
  const std::string rope = repeat(R"(<body pos="0 0 -0.01"><joint axis="0 1 0"/><geom size="0.01"/>)") + repeat("</body>");
  CHECK(bodies_of("<mujoco><worldbody>" + rope + "</worldbody></mujoco>", read) == levels);
  const std::string body = R"(<body><joint/><geom size="0.01"/></body>)";
  CHECK(bodies_of("<mujoco><worldbody>" + repeat("<frame>") + body + repeat("</frame>") + "</worldbody></mujoco>", read) == 1);
}

TEST_CASE("readers: long chains of joints", "[io][urdf][sdf][fast]") {
  std::string urdf = R"(<robot name="rope">)", sdf = R"(<sdf version="1.9"><model name="rope">)";
  for (int k = 0; k <= levels; ++k) {
    const std::string at = std::to_string(k), before = std::to_string(k - 1);
    urdf +=
        "<link name='" + at + "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>";
    sdf += "<link name='" + at + "'/>";
    if (k == 0) continue;
    urdf += "<joint name='j" + at + "' type='continuous'><parent link='" + before + "'/><child link='" + at + "'/></joint>";
    sdf += "<joint name='j" + at + "' type='revolute'><parent>" + before + "</parent><child>" + at + "</child><axis/></joint>";
  }
  CHECK(bodies_of(urdf + "</robot>", [](const std::string& text) { return parse_urdf<double>(text, "deep"); }) == levels);
  CHECK(bodies_of(sdf + "</model></sdf>", [](const std::string& text) { return parse_sdf<double>(text, "deep"); }) == levels + 1);
}

TEST_CASE("readers: nested models, up to a length of their full names", "[io][sdf][fast]") {
  const auto nested = [](int count, const std::string& name) {
    return "<sdf version='1.9'>" + repeat("<model name='" + name + "'><link name='l'/>", count) + repeat("</model>", count) + "</sdf>";
  };
  const auto read = [](const std::string& text) { return parse_sdf<double>(text, "deep"); };
  CHECK(bodies_of(nested(2000, "m"), read) == 2000);
  CHECK_THROWS_WITH(bodies_of(nested(2000, std::string(900, 'm')), read), test::contains("[xml.size]"));
}

TEST_CASE("readers: nested models that are placed by frames of the models inside", "[io][sdf][fast]") {
  // x(k), the height of the frame that places model k, is f of the innermost and 2 f + f - x(k + 1) of the others: f and 2 f in turn. Model
  // k is 2 f - x(k) above the one around it.
  constexpr int count = 2000;
  constexpr double f = 1e-3;
  const std::string at = "<pose>0 0 0.002 0 0 0</pose><link name='l'/><frame name='f'><pose>0 0 0.001 0 0 0</pose></frame>";
  const std::string text = "<sdf version='1.9'>" + repeat("<model name='m' placement_frame='m::f'>" + at, count - 1) +
                           "<model name='m' placement_frame='f'>" + at + repeat("</model>", count) + "</sdf>";
  on_small_stack([&] {
    const Model<double> model = parse_sdf<double>(text, "deep").model;
    REQUIRE(model.num_bodies() - 1 == count);
    KinematicsData<double> kinematics(model);
    forward_kinematics(model, kinematics, model.neutral());
    double highest = 0;
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) highest = std::max(highest, kinematics.T_WB[i].p.z());
    CHECK(std::abs(highest - count / 2 * f) < 1e-12);
  });
}

}  // namespace deep_models_test
