// SPDX-License-Identifier: BSD-3-Clause
#include "files.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <iostream>
#include <system_error>

#include "actio/core/text.hpp"

namespace simulate {
namespace {

namespace fs = std::filesystem;

std::string reason() { return errno == 0 ? "" : ": " + std::generic_category().message(errno); }

std::string megabytes(double bytes) {
  return bytes < 1e9 ? actio::detail::to_text(bytes / 1e6, 2) + " MB" : actio::detail::to_text(bytes / 1e9, 3) + " GB";
}

/// Returns whether the path is a pipe, a device or another thing that cannot be replaced by a file.
bool is_special(const fs::path& path) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  return fs::exists(status) && !fs::is_regular_file(status);
}

/// Returns the folder in which a file will be.
fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

}  // namespace

OutputFile::OutputFile(const std::string& path, const char* flag, const Options& options) : name_(path), target_(path) {
  const std::string what = std::string(flag) + ' ' + path;
  std::error_code none;
  if (fs::equivalent(path, options.model, none)) throw BadInput(what + " would overwrite the model");
  if (fs::is_directory(path, none)) throw BadInput(what + " is a folder, expected a file");
  if (is_special(path)) {
    errno = 0;
    stream_.open(path, std::ios::binary);
    if (!stream_) throw BadInput(what + ": cannot be written" + reason());
    return;
  }
  errno = 0;
  if (fs::exists(path, none)) {
    if (!std::ofstream(path, std::ios::app)) throw BadInput(what + ": cannot be written" + reason());
    target_ = fs::canonical(path);  // a link stays a link
  }
  beside_ = target_;
  beside_ += ".part";
  stream_.open(beside_, std::ios::binary);
  if (!stream_) throw BadInput(what + ": cannot be written" + reason());
}

OutputFile::~OutputFile() {
  if (beside_.empty() || is_finished_) return;
  stream_.close();
  std::error_code none;
  fs::remove(beside_, none);
}

void OutputFile::check() {
  if (!stream_) throw std::runtime_error(name_ + ": cannot be written" + reason());
}

void OutputFile::finish() {
  if (stream_) errno = 0;  // otherwise it has the reason why writing failed before
  stream_.close();
  check();
  if (beside_.empty()) return;
  std::error_code none, error;
  if (fs::exists(target_, none)) fs::permissions(beside_, fs::status(target_, none).permissions(), none);
  fs::rename(beside_, target_, error);
  if (error) throw std::runtime_error(name_ + ": cannot be written: " + error.message());
  is_finished_ = true;
}

FileOfEach::FileOfEach(const std::optional<std::string>& name, const char* flag, const Options& options) {
  if (!name) return;
  for (const std::string& integrator : options.integrators) {
    fs::path path(*name);
    if (options.integrators.size() > 1) path.replace_filename(path.stem().string() + '_' + integrator + path.extension().string());
    files_.emplace_back(path.string(), flag, options);
  }
}

double size_of_csv(const Model& model, const Options& options) {
  constexpr double bytes_a_number = 19;
  const double lines = 1 + std::floor(static_cast<double>(options.steps) / static_cast<double>(options.every));
  return lines * bytes_a_number * static_cast<double>(model.nq() + model.nv() + 4);
}

double affordable_frame_rate(const Model& model, const Options& options) {
  const double bytes_a_frame = 28 * static_cast<double>(model.num_bodies()) + 100;  // poses and plots: measured
  const double most_frames = 20e6 / bytes_a_frame;
  return options.duration > 0 ? std::min(options.frame_rate, most_frames / options.duration) : options.frame_rate;
}

void foretell_sizes(const Model& model, const Options& options) {
  if (!options.csv || is_special(*options.csv)) return;
  const double one = size_of_csv(model, options), all = one * static_cast<double>(options.integrators.size());
  if (all < 1e8) return;
  const double every = std::ceil(static_cast<double>(options.every) * all / 2e7);
  const std::string text =
      "--csv " + *options.csv + " takes about " + megabytes(all) + "; with --every " + actio::detail::to_text(every) + " it takes 20 MB";
  std::error_code error;
  const fs::space_info space = fs::space(folder_of(*options.csv), error);
  if (!error && all > static_cast<double>(space.available)) {
    throw BadInput(text + ", and its disk has " + megabytes(static_cast<double>(space.available)) + " left");
  }
  if (!options.quiet) std::cerr << "simulate: " << text << '\n';
}

}  // namespace simulate
