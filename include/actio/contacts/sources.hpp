// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Several sources of contacts combined into one.
#include <algorithm>
#include <concepts>
#include <tuple>
#include <utility>

#include "actio/contacts/points.hpp"

namespace actio {

/// Several sources of contacts, searched one after the other; ids contain the number of the source.  A ContactSource.
template <class... Parts>
class ContactSources {
 public:
  static_assert(sizeof...(Parts) <= 16, "ContactSources: the ids have room for 16 parts only");
  /// @param parts sources with ids below 2^56, such as PlaneContacts and BodyContacts, but not ContactSources.
  explicit ContactSources(Parts... parts) : parts_(std::move(parts)...) {}

  /// Returns the sum over the parts; exists only if every part has most_points().
  std::size_t most_points() const noexcept
    requires (detail::CountsPoints<Parts> && ...)
  {
    return std::apply([](const Parts&... part) { return (std::size_t(0) + ... + part.most_points()); }, parts_);
  }
  /// Returns whether a part is known to have a material with a tangential spring: see ContactMaterial.
  bool has_tangential_spring() const noexcept {
    return std::apply([](const Parts&... part) { return (false || ... || actio::has_tangential_spring(part)); }, parts_);
  }
  /// Returns whether a part is known to have a material with restitution.
  bool has_restitution() const noexcept {
    return std::apply([](const Parts&... part) { return (false || ... || actio::has_restitution(part)); }, parts_);
  }
  /// Returns the largest last_body() of the parts; parts without it are ignored.
  BodyIndex last_body() const noexcept {
    const auto of_part = []<class Part>(const Part& part) -> BodyIndex {
      if constexpr (requires { part.last_body(); }) return part.last_body();
      else return 0;
    };
    return std::apply([&](const Parts&... part) { return std::max({BodyIndex(0), of_part(part)...}); }, parts_);
  }
  /// See ContactSource.
  template <Scalar S>
    requires (ContactSource<Parts, S> && ...)
  void find(const BodyArray<Pose<S>>& T_WB, const S& margin, ContactList<S>& found) noexcept {
    std::uint64_t number = 0;
    const auto find_in = [&](auto& part) {
      const std::size_t before = found.points().size();
      part.find(T_WB, margin, found);
      for (ContactPoint<S>& point : found.points().subspan(before)) {
        ACTIO_ASSERT(point.id >> 56U == 0);
        point.id |= number << 56U;
      }
      ++number;
    };
    std::apply([&](Parts&... part) { (find_in(part), ...); }, parts_);
  }

 private:
  std::tuple<Parts...> parts_;
};

}  // namespace actio
