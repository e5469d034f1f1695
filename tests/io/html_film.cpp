// SPDX-License-Identifier: BSD-3-Clause
// html_film FOLDER: writes the pages that html_browser.mjs opens.
#include <fstream>
#include <iostream>
#include <limits>

#include "actio/io/html.hpp"
#include "io/films.hpp"

using namespace actio;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: html_film FOLDER\n";
    return 2;
  }
  const auto write = [&](const std::string& name, const Film& film) {
    std::ofstream file(std::string(argv[1]) + '/' + name + ".html", std::ios::binary);
    file << to_html(film);
    if (!file.flush()) throw std::runtime_error("cannot write " + name);
  };
  Film humanoid = test::waving_humanoids(16, 2);
  const std::vector<double>& times = humanoid.motion.times;
  std::vector<double> level, broken;
  for (std::size_t k = 0; k < times.size(); ++k) {
    level.push_back(1000 + 1e-9 * static_cast<double>(k % 7));
    broken.push_back(k % 100 < 50 ? std::numeric_limits<double>::quiet_NaN() : std::exp(times[k]));
  }
  humanoid.plots.push_back(test::plot_of("Flat for its size", times, level));
  humanoid.plots.push_back(test::plot_of("Broken and steep", times, broken));
  humanoid.plots.push_back(test::plot_of("One point", {5}, {3}));
  humanoid.plots.push_back(test::plot_of("Nothing", {}, {}));
  Pose<double> below = Pose<double>::identity();
  below.p.z() = -1.1;
  humanoid.shapes.push_back({"floor", 0, below, HalfSpace{}});
  write("humanoid", humanoid);

  Film failed = test::falling_box();
  failed.title = "A box with a long name above a floor, variational, step 0.001 s";
  failed.failure = "variational failed at t = 0.2 s, in step 201, at body 'box': the root finder reached its limit of iterations";
  Pose<double> beside = Pose<double>::identity();
  beside.p.x() = 3;
  failed.drawn_only.push_back({"limb", 1, beside, Capsule<double>{0.5, 2}});
  failed.shapes.push_back({"floor", 0, below, HalfSpace{}});
  failed.motion.contacts = {{}, {{{0.5, 1, -1.1}, {0, 0, 30}}, {{-0.5, 1, -1.1}, {3, 0, -4}}}, {{{0.5, 1, -1.1}, {0, 0, 25}}}};
  Plot energies = test::plot_of("Energy", failed.motion.times, {1e-5, 2, 3});
  energies.series.clear();
  for (const char* name : {"kinetic", "potential", "elastic", "total", "dissipated", "left_shoulder_pitch_joint"}) {
    energies.series.push_back({name, failed.motion.times, {-1.2345e-5, 2, 3}});
  }
  failed.plots = {energies};
  write("failed", failed);

  Film harmful = test::falling_box();
  harmful.title = harmful.body_names[1] = harmful.shapes[0].name = test::scripting_name;
  harmful.plots = {test::plot_of(test::scripting_name, {0, 1}, {0, 1})};
  write("harmful", harmful);
  write("still", test::falling_box(1));
}
