// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/joint_plots.hpp"

#include "actio/model/samples/chains.hpp"
#include "support/catch.hpp"

using namespace actio;

namespace joint_plots_test {

using Names = std::vector<std::string>;

Names names(const Plot& plot) {
  Names all;
  for (const PlotSeries& curve : plot.series) all.push_back(curve.name);
  std::sort(all.begin(), all.end());
  return all;
}

/// Two frames, at which entry k of q is k and 10 k.
template <Scalar S>
Motion two_frames(const Model<S>& model) {
  Motion motion;
  for (const double factor : {1.0, 10.0}) {
    motion.times.push_back(factor);
    motion.q.push_back(factor * VectorX<double>::LinSpaced(model.nq(), 0, static_cast<double>(model.nq() - 1)));
  }
  return motion;
}

TEMPLATE_TEST_CASE("joint_plots: angles before translations, without joints whose q is no vector", "[io][film]", float, double) {
  using S = TestType;
  ModelBuilder<S> builder("crane");
  const auto box = Inertia<S>::box(S(1), {S(0.1), S(0.2), S(0.3)});
  builder.add_body("base", box).add_body("tower", box).add_body("trolley", box).add_body("hook", box).add_body("load", box);
  const Pose<S> here = Pose<S>::identity();
  builder.add_joint("free", "world", "base", here, Free<S>());
  builder.add_joint("rail", "base", "trolley", here, Prismatic<S>({S(1), S(0), S(0)}));
  builder.add_joint("turn", "base", "tower", here, Revolute<S>({S(0), S(0), S(1)}));
  builder.add_joint("winch", "trolley", "hook", here, Cylindrical<S>({S(0), S(0), S(1)}));
  builder.add_joint("ball", "hook", "load", here, Spherical<S>());
  const Model<S> model = builder.build();
  const Motion motion = two_frames(model);
  const std::vector<Plot> plots = joint_plots(model, motion);
  REQUIRE(plots.size() == 2);
  CHECK(plots[0].title == "Joint angles");
  CHECK(plots[0].y_unit == "rad");
  CHECK(plots[1].title == "Joint translations");
  CHECK(plots[1].y_unit == "m");
  std::size_t curves = 0;
  for (const Plot& plot : plots) {
    for (const PlotSeries& curve : plot.series) {
      ++curves;
      Eigen::Index k = 0;
      while (k < model.nq() && model.q_name(k) != curve.name) ++k;
      CAPTURE(curve.name);
      CHECK(curve.x == motion.times);
      CHECK(curve.y == std::vector<double>{static_cast<double>(k), 10.0 * static_cast<double>(k)});
    }
  }
  CHECK(curves == 4);
  CHECK(names(plots[0]) == Names{"turn", "winch.angle"});
  CHECK(names(plots[1]) == Names{"rail", "winch.length"});
}

TEST_CASE("joint_plots: at most six curves in a plot, shared out evenly", "[io][film]") {
  const Model<double> model = models::revolute_chain<double>(14);
  const std::vector<Plot> plots = joint_plots(model, two_frames(model));
  REQUIRE(plots.size() == 3);
  CHECK(plots[0].title == "Joint angles (1 of 3)");
  CHECK(plots[2].title == "Joint angles (3 of 3)");
  Names all;
  for (const Plot& plot : plots) {
    CHECK((plot.series.size() == 4 || plot.series.size() == 5));
    for (const PlotSeries& curve : plot.series) all.push_back(curve.name);
  }
  REQUIRE(all.size() == 14);
  for (Eigen::Index k = 0; k < 14; ++k) CHECK(all[static_cast<std::size_t>(k)] == model.q_name(k));
}

TEST_CASE("joint_plots: a motion without q has none, one of another model is refused", "[io][film]") {
  const Model<double> model = models::revolute_chain<double>(3);
  Motion motion = two_frames(model);
  motion.q.pop_back();
  CHECK_THROWS_AS(joint_plots(model, motion), ModelError);
  motion.q.clear();
  CHECK(joint_plots(model, motion).empty());
  CHECK_THROWS_WITH(joint_plots(model, two_frames(models::revolute_chain<double>(4))), test::contains("size 3"));
}

}  // namespace joint_plots_test
