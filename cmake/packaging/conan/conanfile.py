# SPDX-License-Identifier: BSD-3-Clause
# For Conan 2:  conan create cmake/packaging/conan -s compiler.cppstd=20 -o "actio/*:io=True"
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load
from conan.tools.layout import basic_layout

required_conan_version = ">=2.0"


class ActioConan(ConanFile):
    name = "actio"
    description = "Multibody dynamics with variational and constraint-preserving integrators"
    license = "BSD-3-Clause"
    topics = ("robotics", "dynamics", "multibody", "variational-integrators", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"io": [True, False], "fcl": [True, False]}
    default_options = {"io": False, "fcl": False}
    no_copy_source = True

    @property
    def _root(self):
        return os.path.normpath(os.path.join(self.recipe_folder, "..", "..", ".."))

    def set_version(self):
        header = load(self, os.path.join(self._root, "include", "actio", "version.hpp"))
        self.version = ".".join(re.search(rf"ACTIO_VERSION_{part} (\d+)", header).group(1) for part in ("MAJOR", "MINOR", "PATCH"))

    def export_sources(self):
        copy(self, "LICENSE", self._root, self.export_sources_folder)
        copy(self, "include/*", self._root, self.export_sources_folder)

    def layout(self):
        basic_layout(self)

    def requirements(self):
        self.requires("eigen/[>=3.4 <4]", transitive_headers=True)
        if self.options.io:
            self.requires("pugixml/[>=1.11 <2]", transitive_headers=True)
            self.requires("nlohmann_json/[>=3.11 <4]", transitive_headers=True)
        if self.options.fcl:
            self.requires("fcl/[>=0.7 <1]", transitive_headers=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*.hpp", os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "actio")
        self._component("core", "actio::actio", ["eigen::eigen"])
        self.cpp_info.components["core"].set_property("pkg_config_name", "actio")
        if self.options.io:
            self._component("io", "actio::io", ["core", "pugixml::pugixml", "nlohmann_json::nlohmann_json"])
        if self.options.fcl:
            self._component("fcl", "actio::fcl", ["core", "fcl::fcl"])

    def _component(self, name, target, requires):
        component = self.cpp_info.components[name]
        component.set_property("cmake_target_name", target)
        component.requires = requires
        component.bindirs = []
        component.libdirs = []
