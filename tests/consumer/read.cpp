// SPDX-License-Identifier: BSD-3-Clause
// The same for programs that read models from files.
#include <actio/io/urdf.hpp>

#include <cstdio>

int main() {
  const auto loaded = actio::parse_urdf(R"(
      <robot name="pendulum">
        <link name="base"/>
        <link name="rod"><inertial>
          <origin xyz="0 0 -0.5"/><mass value="1"/><inertia ixx="0.083" iyy="0.083" izz="0.001" ixy="0" ixz="0" iyz="0"/>
        </inertial></link>
        <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
      </robot>)", "pendulum.urdf");
  const auto& model = loaded.model;
  const actio::LoadReport& report = loaded.report;
  std::printf("%s: %d degree of freedom, %g kg\n", model.name().c_str(), static_cast<int>(model.nv()), model.mass());
  return model.nv() == 1 && model.mass() == 1 ? 0 : 1;
}
