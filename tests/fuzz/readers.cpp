// SPDX-License-Identifier: BSD-3-Clause
// The reader of one format, with its includes, on the bytes of a fuzzer: any file gives a model or a ParseError.
//   The first byte chooses options. If there is a zero among the others, what follows it is a file "part" that the first may include.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

#include "actio/io/mjcf.hpp"
#include "actio/io/sdf.hpp"
#include "actio/io/urdf.hpp"
#include "fuzz/choices.hpp"

namespace {

using namespace actio;

/// A folder for the files of this process, emptied by the next one of the same number only: the fuzzer ends without destructors.
const std::filesystem::path& folder() {
  static const std::filesystem::path path = [] {
    const auto created = std::filesystem::temp_directory_path() / ("actio_fuzz_" + std::to_string(getpid()));
    std::filesystem::remove_all(created);
    std::filesystem::create_directories(created);
    return created;
  }();
  return path;
}
void write(const char* name, std::string_view text) {
  std::ofstream(folder() / name, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

template <class S>
void read(std::string_view text, const ReadOptions& options) {
  const auto check = [](const Loaded<S>& loaded) {
    fuzz::require(loaded.model.why_not_configuration(loaded.model.neutral()).empty(), "the neutral configuration is one");
    for (const Keyframe<S>& one : loaded.keyframes) {
      fuzz::require(one.state.q.size() == loaded.model.nq() && one.state.v.size() == loaded.model.nv(), "keyframes fit the model");
      fuzz::require(one.ctrl.size() == static_cast<Eigen::Index>(loaded.actuators.size()), "keyframes fit the actuators");
    }
    for (const Actuator<S>& one : loaded.actuators) {
      fuzz::require(one.body > 0 && one.body < loaded.model.num_bodies() && one.entry >= 0 && one.entry < loaded.model.nv(one.body),
                    "actuators fit the model");
    }
  };
  try {
    if (const std::size_t end = text.find('\0'); end != std::string_view::npos) {
      write("main", text.substr(0, end));
      write("part", text.substr(end + 1));
      check(ACTIO_FUZZ_READ<S>((folder() / "main").string(), options));
    } else {
      check(ACTIO_FUZZ_PARSE<S>(text, "file", options));
    }
  } catch (const ParseError& error) {
    fuzz::require(std::string_view(error.what()).size() > 4, "a message");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned chosen = data[0];
  ReadOptions options;
  options.strict = (chosen & 1U) != 0;
  if ((chosen & 2U) != 0) options.base = (chosen & 4U) != 0 ? Base::floating : Base::fixed;
  options.fix_idle_joints = (chosen & 8U) != 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((chosen & 16U) != 0) read<float>(text, options);
  else read<double>(text, options);
  return 0;
}
