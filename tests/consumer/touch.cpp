// SPDX-License-Identifier: BSD-3-Clause
// The same for programs that use FCL to find contacts.
#include <actio/contacts/fcl.hpp>

#include <cstdio>

int main() {
  using actio::Pose;
  actio::FclContacts contacts({actio::Compliance<double>{1e6, 1e3}, 0.5});
  contacts.add(0, Pose<double>::identity(), actio::Box<double>{{4, 4, 1}})
      .add(1, Pose<double>::identity(), actio::Cylinder<double>{0.5, 1});
  actio::BodyArray<Pose<double>> poses(2, Pose<double>::identity());
  poses[1].p[2] = 0.999;
  actio::ContactList<double> found(20);
  contacts.find(poses, 0.01, found);
  std::printf("a cylinder stands on %d points\n", static_cast<int>(found.points().size()));
  return found.points().size() == 8 && !found.failed() ? 0 : 1;
}
