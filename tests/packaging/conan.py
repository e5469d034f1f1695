# SPDX-License-Identifier: BSD-3-Clause
"""Runs the Conan recipe without Conan: what it imports stands below, in the least that does the same.

That Conan itself accepts the recipe, and that its index has the libraries asked for, is not tested here.
    python3 conan.py SOURCE VERSION
"""
import collections
import fnmatch
import importlib.util
import os
import shutil
import sys
import tempfile
import types

source, version = sys.argv[1:]
recipe_folder = os.path.join(source, "cmake", "packaging", "conan")
minima = []


def copy(conanfile, pattern, src, dst):
    for folder, _, files in os.walk(src):
        for file in files:
            path = os.path.relpath(os.path.join(folder, file), src)
            if fnmatch.fnmatch(path, pattern):
                os.makedirs(os.path.dirname(os.path.join(dst, path)), exist_ok=True)
                shutil.copyfile(os.path.join(src, path), os.path.join(dst, path))


def load(conanfile, path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Information:
    """As cpp_info and its components are."""

    def __init__(self):
        self.properties = {}
        self.components = collections.defaultdict(Information)

    def set_property(self, name, value):
        self.properties[name] = value


class Recipe:
    def requires(self, reference, **traits):
        self.references.append((reference.split("/")[0], traits))


def provide(name, **content):
    module = types.ModuleType(name)
    module.__dict__.update(content)
    sys.modules[name] = module


provide("conan", ConanFile=Recipe)
provide("conan.tools")
provide("conan.tools.build", check_min_cppstd=lambda conanfile, standard: minima.append(standard), can_run=lambda conanfile: True)
provide("conan.tools.cmake", CMake=object, cmake_layout=lambda conanfile: None)
provide("conan.tools.files", copy=copy, load=load)
provide("conan.tools.layout", basic_layout=lambda conanfile: None)


def recipe_class(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def files_in(folder):
    return sorted(os.path.relpath(os.path.join(where, file), folder) for where, _, files in os.walk(folder) for file in files)


def equal(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: {found}, expected {expected}")


def run(io, fcl):
    recipe = recipe_class(os.path.join(recipe_folder, "conanfile.py"), "ActioConan")()
    recipe.recipe_folder = recipe_folder
    recipe.options = types.SimpleNamespace(io=io, fcl=fcl)
    recipe.references = []
    recipe.cpp_info = Information()
    recipe.set_version()
    equal((recipe.name, recipe.version, recipe.license, recipe.package_type),
          ("actio", version, "BSD-3-Clause", "header-library"), "recipe")
    equal(recipe.default_options, {"io": False, "fcl": False}, "default options")
    recipe.validate()
    recipe.requirements()
    equal([name for name, _ in recipe.references], ["eigen"] + ["pugixml", "nlohmann_json"] * io + ["fcl"] * fcl, "requirements")
    equal([traits for _, traits in recipe.references if traits != {"transitive_headers": True}], [], "whose headers users do not see")

    with tempfile.TemporaryDirectory() as folder:
        recipe.export_sources_folder = recipe.source_folder = os.path.join(folder, "exported")
        recipe.package_folder = os.path.join(folder, "package")
        recipe.export_sources()
        recipe.recipe_folder = folder  # in Conan's cache the recipe is alone
        recipe.layout()
        recipe.package()
        packed = files_in(os.path.join(recipe.package_folder, "include"))
        equal(packed, [file for file in files_in(os.path.join(source, "include")) if file.endswith(".hpp")], "headers")
        equal(os.listdir(os.path.join(recipe.package_folder, "licenses")), ["LICENSE"], "licences")

    recipe.package_info()
    equal(recipe.cpp_info.properties, {"cmake_file_name": "actio"}, "find_package")
    components = {component.properties["cmake_target_name"]: component.requires for component in recipe.cpp_info.components.values()}
    expected = {"actio::actio": ["eigen::eigen"]}
    if io:
        expected["actio::io"] = ["core", "pugixml::pugixml", "nlohmann_json::nlohmann_json"]
    if fcl:
        expected["actio::fcl"] = ["core", "fcl::fcl"]
    equal(components, expected, "targets")


for with_io in (False, True):
    for with_fcl in (False, True):
        run(with_io, with_fcl)
equal(set(minima), {20}, "C++ standard")
test_package = os.path.join(recipe_folder, "test_package")
recipe_class(os.path.join(test_package, "conanfile.py"), "ActioTestConan")
with open(os.path.join(test_package, "CMakeLists.txt"), encoding="utf-8") as lists:
    program = next(word for line in lists if line.startswith("add_executable") for word in line.split() if word.endswith("cpp)"))[:-1]
equal(os.path.exists(os.path.join(test_package, program)), True, f"{program} of the test package exists")
