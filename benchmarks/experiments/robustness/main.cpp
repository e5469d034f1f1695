// SPDX-License-Identifier: BSD-3-Clause
// Which steps the variational integrator cannot take, and what the others cost: large systems, long steps, fast starts, by root finder.
// All with DRNEA, kind split, and otherwise default options. What must hold is asked of the default, actio::Automatic.
#include <array>
#include <numbers>
#include <vector>

#include "actio/model/ready/binary_tree.hpp"
#include "actio/model/ready/random.hpp"
#include "support/report.hpp"
#include "trial.hpp"

namespace {

using namespace actio;
using experiments::Cell;
using robustness::Outcome, robustness::Trial;

struct Finder {
  Outcome (*run)(const Trial&);
  int largest;       ///< nv that it is run with
  double most_work;  ///< see Trial: where nearly every step is halved, seconds instead of minutes
};
constexpr int any = 1 << 20;
constexpr double much = 1e9, little = 1e7;
constexpr std::array<Finder, 8> finders{Finder{robustness::automatic, any, much}, {robustness::riqn, any, little}, {robustness::newton, any, little},
                                        {robustness::simplified_newton, any, little}, {robustness::broyden, any, little},
                                        {robustness::anderson, any, little}, {robustness::constant_cost, any, little},
                                        {robustness::dense_newton, 100, little}};

std::vector<Model<double>> systems(bool few) {
  std::vector<Model<double>> all;
  const auto add = [&](auto make, const std::vector<int>& sizes) {
    for (const int n : sizes) all.push_back(make(n));
  };
  using Sizes = std::vector<int>;
  add(models::revolute_chain<double>, few ? Sizes{10, 30} : Sizes{10, 30, 100, 300, 1024});
  add(models::spherical_chain<double>, few ? Sizes{10} : Sizes{10, 30, 100, 256});
  add(models::binary_tree<double>, few ? Sizes{63} : Sizes{1023});
  return all;
}

std::vector<std::pair<std::string, State<double>>> starts(const Model<double>& model) {
  constexpr double quarter = std::numbers::pi / 2;
  const VectorX<double> rest = VectorX<double>::Zero(model.nv()), q = models::random_configuration(model, 1, quarter);
  return {{"horizontal", {models::horizontal(model), rest, 0}},
          {"random q", {q, rest, 0}},
          {"random q, v", {q, models::random_velocity(model, 2, quarter), 0}}};
}

/// What of the promises of the default does not hold in a run; empty when all do.
std::string complaint(const Trial& trial, const Outcome& o) {
  if (o.failure.step > 0) return "failed";
  if (o.other_roots > 0) return "wrong roots";
  if (o.halved > 0 && trial.start_name != "random q, v" && trial.h < 0.015) return "halved";
  const bool easy = trial.start_name == "horizontal" && trial.h < 0.0015;
  if (easy && o.per_step(o.evaluations) > 2.5) return "mean above 2.5";
  if (easy && o.worst > 5) return "worst above 5";
  return "";
}

std::string words(const robustness::Trouble& trouble) {
  return std::string(trouble.step > 0 ? describe(trouble.result.status) : "");
}

struct Sum {
  int runs = 0, failed = 0, broken_off = 0, steps = 0, halved = 0, worst = 0;
  double evaluations = 0, factorizations = 0, solves = 0;

  void add(const Outcome& o) {
    ++runs;
    failed += o.failure.step > 0 ? 1 : 0;
    broken_off += o.broken_off ? 1 : 0;
    steps += o.steps;
    halved += o.halved;
    worst = std::max(worst, o.worst);
    evaluations += o.evaluations;
    factorizations += o.factorizations;
    solves += o.solves;
  }
};

}  // namespace

int main(int argc, char** argv) {
  bool default_only = false;
  const experiments::Report report(argc, argv, "robustness", "Failures, halved steps and work by root finder, start and step length",
                                   {{"--default-only", "The default root finder alone", default_only}});
  const double duration = report.is_short() ? 0.1 : 2;
  const std::vector<double> lengths{1e-3, 5e-3, 1e-2, 2e-2};
  report.say("Motions of " + std::to_string(static_cast<int>(1000 * duration)) + " ms; random: uniform in +-pi/2, rad and rad/s.\n");

  experiments::Table all{{"system", "bodies", "start", "h [s]", "root finder", "steps", "failed", "broken off", "halved", "most pieces", "evaluations", "worst",
                          "factorizations", "solves", "us/step", "|dE| at end [J]", "other roots", "first of them", "first halved", "why", "residual", "failed at", "why",
                          "residual"}, {}};
  experiments::Table defaults{{"system", "bodies", "start", "h [s]", "failed", "halved", "other roots", "evaluations", "worst", "factorizations", "solves", "us/step"}, {}};
  experiments::Table broken{{"what", "system", "bodies", "start", "h [s]", "evaluations", "worst", "step", "residual", "why"}, {}};
  experiments::Table sums{{"root finder", "start", "h [s]", "runs", "failed", "broken off", "steps", "halved", "evaluations", "worst", "factorizations", "solves"}, {}};

  const std::vector<Model<double>> models = systems(report.is_short());
  for (const Finder& finder : finders) {
    if (default_only && finder.run != robustness::automatic) continue;
    for (std::size_t start = 0; start < 3; ++start) {
      for (const double h : lengths) {
        Sum sum;
        std::string name;
        for (const Model<double>& model : models) {
          if (model.nv() > finder.largest) continue;
          const auto [start_name, state] = starts(model)[start];
          const Trial trial{model.name(), &model, start_name, state, h, duration, finder.most_work, finder.run == robustness::automatic};
          const Outcome o = finder.run(trial);
          name = o.finder;
          sum.add(o);
          const double bodies = static_cast<double>(model.num_bodies() - 1), failed = o.failure.step > 0 ? 1 : 0;
          const double evaluations = o.per_step(o.evaluations), factorizations = o.per_step(o.factorizations), solves = o.per_step(o.solves),
                       us = 1e6 * o.per_step(o.seconds), halved = o.halved, worst = o.worst;
          all.rows.push_back({trial.system, bodies, start_name, h, name, static_cast<double>(o.steps), failed, o.broken_off ? 1.0 : 0.0, halved, static_cast<double>(o.pieces),
                              evaluations, worst, factorizations, solves, us, o.energy_error, static_cast<double>(o.other_roots), static_cast<double>(o.first_other_root.step),
                              static_cast<double>(o.first_halving.step),
                              words(o.first_halving), o.first_halving.result.residual, static_cast<double>(o.failure.step), words(o.failure),
                              o.failure.result.residual});
          if (finder.run != robustness::automatic) continue;
          defaults.rows.push_back({trial.system, bodies, start_name, h, failed, halved, static_cast<double>(o.other_roots), evaluations, worst, factorizations, solves, us});
          if (const std::string what = complaint(trial, o); !what.empty()) {
            const robustness::Trouble& trouble = failed > 0 ? o.failure : o.other_roots > 0 ? o.first_other_root : o.first_halving;
            broken.rows.push_back({what, trial.system, bodies, start_name, h, evaluations, worst, static_cast<double>(trouble.step),
                                   trouble.result.residual, words(trouble)});
          }
        }
        const double steps = std::max(sum.steps, 1);
        sums.rows.push_back({name, starts(models[0])[start].first, h, static_cast<double>(sum.runs), static_cast<double>(sum.failed),
                             static_cast<double>(sum.broken_off),
                             static_cast<double>(sum.steps), static_cast<double>(sum.halved), sum.evaluations / steps,
                             static_cast<double>(sum.worst), sum.factorizations / steps, sum.solves / steps});
      }
    }
  }
  report.csv("runs", all);
  report.say("The default, run by run");
  report.table("default", defaults);
  report.say("Every root finder over all systems, per step; dense_newton up to 100 degrees of freedom");
  report.table("root_finders", sums);
  report.say("What the default promises: from horizontal and from random q at rest no failure, and no halving at h <= 10 ms; from random q, v and at 20 ms\n"
             "no failure; everywhere the root that the momentum guess leads to; from horizontal at 1 ms at most 2.5 residual evaluations on average and 5 at worst.");
  if (broken.rows.empty()) report.say("It holds in every run.");
  else report.table("broken_promises", broken);
  return 0;
}
