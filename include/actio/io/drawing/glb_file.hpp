// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The binary container of glTF 2.0: a JSON tree and the numbers it refers to.
#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace actio::detail {

/// A GLB file under construction.                                                      [glTF 2.0 specification, chapter 4]
class GlbFile {
 public:
  using Json = nlohmann::ordered_json;
  enum class Use { points = 34962, corners = 34963, animation = 0 };

  Json json;  ///< without the list of buffers, which bytes() adds

  /// Appends an object to the list `kind` ("nodes", "meshes" ...).  @returns its index.
  std::size_t add(const char* kind, Json object) {
    Json& all = json[kind];
    all.push_back(std::move(object));
    return all.size() - 1;
  }

  /// Appends numbers to the binary chunk.  @param type "SCALAR", "VEC3" or "VEC4", of `width` numbers.  @returns their accessor's index.
  template <class T>
    requires std::same_as<T, float> || std::same_as<T, std::uint16_t>
  std::size_t add_numbers(const std::vector<T>& numbers, const char* type, std::size_t width, Use use) {
      static_assert(std::endian::native == std::endian::little,
                    "only little-endian machines are supported, because the numbers of glTF are little-endian");
      pad(numbers_, '\0');
      Json view{{"buffer", 0}, {"byteOffset", numbers_.size()}, {"byteLength", numbers.size() * sizeof(T)}};
      if (use != Use::animation) view["target"] = static_cast<int>(use);
      numbers_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
      constexpr int floats = 5126, shorts = 5123;
      Json accessor{{"bufferView", add("bufferViews", std::move(view))},
                    {"componentType", std::same_as<T, float> ? floats : shorts},
                    {"count", numbers.size() / width},
                    {"type", type}};
      std::vector<T> low(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(width)), high = low;
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        low[k % width] = std::min(low[k % width], numbers[k]);
        high[k % width] = std::max(high[k % width], numbers[k]);
    }
    accessor["min"] = low;
    accessor["max"] = high;
    return add("accessors", std::move(accessor));
  }

  /// Returns the bytes of the file.
  std::string bytes() && {
    pad(numbers_, '\0');
    if (!numbers_.empty()) json["buffers"] = Json::array({{{"byteLength", numbers_.size()}}});
    std::string tree = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    pad(tree, ' ');
    constexpr std::size_t header = 12, chunk_header = 8;
    std::string file = "glTF";
    add_word(file, 2);
    add_word(file, header + chunk_header + tree.size() + (numbers_.empty() ? 0 : chunk_header + numbers_.size()));
    for (const auto& [kind, chunk] : {std::pair<const char*, const std::string&>("JSON", tree), {"BIN\0", numbers_}}) {
      if (chunk.empty()) continue;  // glTF does not allow empty chunks
      add_word(file, chunk.size());
      file.append(kind, 4).append(chunk);
    }
    return file;
  }

 private:
  static void pad(std::string& bytes, char with) { bytes.resize((bytes.size() + 3) / 4 * 4, with); }
  static void add_word(std::string& bytes, std::size_t word) {
    for (int k = 0; k < 4; ++k) bytes += static_cast<char>(word >> (8 * k) & 0xff);
  }

  std::string numbers_;
};

}  // namespace actio::detail
