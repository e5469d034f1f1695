// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Frames of an SDF file: each has a pose in another frame and is attached to a link.       [sdformat.org, "Pose frame semantics"]
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actio/io/xml/element_reader.hpp"

namespace actio::detail {

/// The links, joints, models and <frame>s of a file by their full names, "outer::inner::link"; the world is "world".
class SdfFrames {
 public:
  struct Frame {
    pugi::xml_node node;
    std::string base;                     ///< the frame in which T is given
    Pose<double> T;                       ///< of this frame, or of the placement frame, in the base
    std::string carrier;                  ///< the frame that carries this one; a link carries itself
    std::string placement = {};           ///< of a model: the frame inside it that T places; empty: the model's own
  };

  explicit SdfFrames(ElementReader& reader) : reader_(reader) {
    frames_.emplace("world", Entry{{{}, "", Pose<double>::identity(), "world"}, Pose<double>::identity()});
  }

  void add(const std::string& name, Frame frame) {
    const auto node = frame.node;
    names_ += name.size();
    if (names_ > longest_names)
      reader_.fail(node, "the full names of all frames have more than " + std::to_string(longest_names) + " bytes", "xml.size");
    const auto [earlier, is_new] = frames_.emplace(name, Entry{std::move(frame)});
    if (is_new) return;
    reader_.problem(node, "name.duplicate", ElementReader::subject_of(node) + ": the name is already in use" +
                                                (earlier->second.frame.node ? ", at " + reader_.origin(earlier->second.frame.node) : ""));
  }
  bool contains(const std::string& name) const { return frames_.contains(name); }
  /// Returns the pose in the base frame, as written.
  const Pose<double>& written(const std::string& name) const { return frames_.find(name)->second.frame.T; }
  /// Reports all references to frames that do not exist; call it after all frames have been added.
  void check() {
    for (const auto& [name, entry] : frames_) {
      const Frame& frame = entry.frame;
      const auto missing = [&](const char* what, const std::string& reference) {
        reader_.problem(frame.node, "frame.unknown",
                        ElementReader::subject_of(frame.node) + ": " + what + ' ' + excerpt(reference) + " is not declared");
      };
      if (!frame.base.empty() && !contains(frame.base)) missing("frame", frame.base);
      if (frame.carrier != frame.base && !contains(frame.carrier)) missing("frame", frame.carrier);
      if (!frame.placement.empty() && !contains(frame.placement)) missing("placement_frame", frame.placement);
    }
  }

  /// Returns the initial pose in the world; the identity if it is undefined, which is reported.
  Pose<double> pose(const std::string& name) {
    std::vector<Entry*> path;  // without recursion: chains of frames may have any length
    Entry* at = find(name);
    while (at && !at->T_W) {
      if (at->open) {
        reader_.problem(at->frame.node, "frame.cycle",
                        ElementReader::subject_of(at->frame.node) + ": its pose is relative to itself, through a cycle of " +
                            std::to_string(path.size()) + " frames");
        at->T_W = Pose<double>::identity();
        break;
      }
      at->open = true;
      path.push_back(at);
      at = find(at->frame.base);
    }
    Pose<double> T_WB = at ? *at->T_W : Pose<double>::identity();
    for (auto entry = path.rbegin(); entry != path.rend(); ++entry) {
      Frame& frame = (*entry)->frame;
      if (!(*entry)->T_W) (*entry)->T_W = T_WB * frame.T * (frame.placement.empty() ? Pose<double>::identity() : below(**entry).inverse());
      T_WB = *(*entry)->T_W;
    }
    return T_WB;
  }

  /// Returns the link that carries a frame, or "world"; empty if there is none, which is reported.
  std::string link_of(const std::string& name) {
    std::vector<Entry*> path;  // the result is stored in all frames of the path, so that long chains are cheap
    std::string at = name, link;
    for (Entry* entry = find(at); entry; entry = find(at)) {
      if (entry->link || entry->frame.carrier == at) {
        link = entry->link ? *entry->link : at;
        break;
      }
      if (entry->asked) {
        reader_.problem(entry->frame.node, "frame.cycle",
                        ElementReader::subject_of(entry->frame.node) + ": it is attached to itself through other frames");
        break;
      }
      entry->asked = true;
      path.push_back(entry);
      at = entry->frame.carrier;
    }
    for (Entry* entry : path) entry->link = link;
    return link;
  }

 private:
  struct Entry {
    Frame frame;
    std::optional<Pose<double>> T_W{}, below{};  // in the world; of a model's placement frame in the model
    std::optional<std::string> link{};
    bool open = false, asked = false;
  };
  Entry* find(const std::string& name) {
    const auto found = frames_.find(name);
    return found == frames_.end() ? nullptr : &found->second;
  }
  /// Returns the pose of a model's placement frame in the model.
  Pose<double> below(Entry& placed) {
    std::vector<Entry*> open{&placed};  // without recursion: models may be nested to any depth
    while (!open.empty()) {
      Entry& model = *open.back();
      Pose<double> T = Pose<double>::identity();
      Entry* at = find(model.frame.placement);
      const auto leads_on = [&] { return at && at != &model && open.size() <= frames_.size(); };
      for (std::size_t steps = 0; leads_on() && (at->frame.placement.empty() || at->below) && steps <= frames_.size(); ++steps) {
        T = at->frame.T * (at->below ? at->below->inverse() : Pose<double>::identity()) * T;
        at = find(at->frame.base);
      }
      if (leads_on() && !at->frame.placement.empty() && !at->below) {
        open.push_back(at);  // a model inside, placed by a frame too
        continue;
      }
      if (at != &model && !model.below) {
        reader_.problem(model.frame.node, "frame.placement",
                        ElementReader::subject_of(model.frame.node) + ": the pose of its placement frame is not relative to the model");
        T = Pose<double>::identity();
      }
      if (!model.below) model.below = T;
      open.pop_back();
    }
    return *placed.below;
  }

  static constexpr std::size_t longest_names = 40'000'000;  // so that deep models with long names do not exhaust memory

  ElementReader& reader_;
  std::map<std::string, Entry> frames_;
  std::size_t names_ = 0;  // bytes of all full names
};

}  // namespace actio::detail
