// SPDX-License-Identifier: BSD-3-Clause
// A source of contacts of any type, so that the integrators are compiled once for all sources of tests, in any_contacts.cpp.
#pragma once
#include <concepts>
#include <cstddef>
#include <functional>

#include "actio/integrators/compliant.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"

namespace actio::test {

/// Finds the contacts of a source that it keeps. Like a source that says nothing about its materials.
class AnyContacts {
 public:
  /// Keeps a source.
  template <class Source>
    requires(!std::same_as<Source, AnyContacts>) && ContactSource<Source, double>
  AnyContacts(const Source& source)  // NOLINT: a source that is passed to an integrator of any contacts
      : find_([source](const auto& T_WB, const double& margin, auto& found) mutable { source.find(T_WB, margin, found); }),
        most_points_(detail::contact_capacity_for(source)) {}
  std::size_t most_points() const noexcept { return most_points_; }
  void find(const BodyArray<Pose<double>>& T_WB, const double& margin, ContactList<double>& found) const noexcept { find_(T_WB, margin, found); }

 private:
  std::function<void(const BodyArray<Pose<double>>&, const double&, ContactList<double>&)> find_;
  std::size_t most_points_;
};

using VariationalOnAny = VariationalIntegrator<Model<double>, Drnea<Split>, Automatic, NoForce, AnyContacts>;
using MaximalOnAny = MaximalIntegrator<Model<double>, Newton, NoForce, AnyContacts>;
using CompliantOnAny = CompliantIntegrator<Model<double>, AnyContacts>;

}  // namespace actio::test

#ifndef ACTIO_ANY_CONTACTS
#define ACTIO_ANY_CONTACTS extern template
#endif
namespace actio {
ACTIO_ANY_CONTACTS class VariationalIntegrator<Model<double>, Drnea<Split>, Automatic, NoForce, test::AnyContacts>;
ACTIO_ANY_CONTACTS class MaximalIntegrator<Model<double>, Newton, NoForce, test::AnyContacts>;
ACTIO_ANY_CONTACTS class CompliantIntegrator<Model<double>, test::AnyContacts>;
}  // namespace actio
