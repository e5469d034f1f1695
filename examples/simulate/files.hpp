// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Files that the program writes: regular files appear when they are complete, pipes and devices are written directly.
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "options.hpp"

namespace simulate {

/// A file that is open for writing. A regular file is written beside its place and moved there by finish(); until then an older file of
/// that name stays as it is. The incomplete file is removed if finish() is not reached or fails.
class OutputFile {
 public:
  /// Opens the file.  @param flag that names it.  @throws BadInput if it cannot be written or would overwrite the model.
  OutputFile(const std::string& path, const char* flag, const Options& options);
  OutputFile(OutputFile&&) = default;  ///< leaves a file without a place, which is not removed
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  std::ostream& stream() { return stream_; }
  const std::string& name() const { return name_; }  ///< as the user gave it
  /// @throws std::runtime_error that says why, if something could not be written.
  void check();
  /// Writes all that is left, closes the file and moves it to its place.  @throws std::runtime_error
  void finish();

 private:
  std::string name_;
  std::filesystem::path target_, beside_;  ///< `beside_` is empty for pipes and devices
  std::ofstream stream_;
  bool is_finished_ = false;
};

/// One output file for each run, if the user asked for this output: "run.csv" for a single integrator, "run_euler.csv" for one of several.
class FileOfEach {
 public:
  FileOfEach(const std::optional<std::string>& name, const char* flag, const Options& options);
  bool is_asked_for() const { return !files_.empty(); }
  OutputFile& of(std::size_t run) { return files_[run]; }

 private:
  std::vector<OutputFile> files_;
};

/// Returns the size of the CSV file of a run, to about a tenth [B].
double size_of_csv(const Model& model, const Options& options);
/// Returns a frame rate at which the film of a run takes at most about 20 MB: --frame-rate, or less for long runs.
double affordable_frame_rate(const Model& model, const Options& options);
/// Says on the standard error stream that a CSV file will be large.  @throws BadInput if the disk has no room for it.
void foretell_sizes(const Model& model, const Options& options);

}  // namespace simulate
