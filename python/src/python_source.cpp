// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Python modules in plans: connects kiln._python_source, which does the work, to C++.
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <kiln/plugin_error.h>
#include <kiln/python_source.h>
#include <pybind11/stl.h>

#include "bindings.h"
#include "failure.h"
#include "gil.h"

namespace kiln::python {
namespace {

using Names = std::vector<std::tuple<std::string, std::string, std::string>>;

void add(nvinfer1::IBuilderConfig& config, std::string const& name, py::bytes const& text,
         Names const& plugins) {
    std::vector<PythonSourcePlugin> list;
    for (auto const& [plugin, version, space] : plugins) {
        list.push_back({plugin.c_str(), version.c_str(), space.c_str()});
    }
    std::string_view const bytes = text;
    forgetError();
    bool const added = apiCall([&] {
        return kiln::addPythonSource(config, {name.c_str(), bytes.data(), bytes.size(), list.data(),
                                              static_cast<int32_t>(list.size())});
    });
    if (!added) {
        throw py::value_error(
            reportedError(fmt::format("[config] Python source '{}': refused", name)));
    }
}

/// Called when a plan is opened, with or without the GIL.
bool runModule(PythonSource const& source) {
    Gil const gil;
    if (!gil) {
        kilnReportPluginError("the interpreter has ended");
        return false;
    }
    try {
        orPark([&] {
            py::module_::import("kiln._python_source")
                .attr("run_from_plan")(source.name, py::bytes(source.text, source.size));
        });
        return true;
    } catch (py::error_already_set& error) {
        error.restore();
        reportPluginException();
        return false;
    }
}

void allow(std::optional<nvinfer1::IRuntime*> runtime, bool allowed) {
    if (runtime) {
        kiln::setPythonSourceAllowed(**runtime, allowed);
    } else {
        kiln::setPythonSourceAllowedByDefault(allowed);
    }
}

} // namespace

void initPythonSource(py::module_& m) {
    m.def("_add_python_source", &add, "config"_a, "name"_a, "text"_a, "plugins"_a,
          "See kiln.embed_python_plugins.");
    m.def("allow_python_source", &allow, "runtime"_a, "allowed"_a = true,
          "Sets whether plans that a runtime opens may run the Python source in them.\n\n"
          "runtime: Runtime, or None for all that are made from now on. allowed: bool. Default: "
          "True. Before any call it is False. A module runs while a plan is opened, if the plan "
          "needs a plugin of it that is not registered. Allow it for plans that you trust as you "
          "trust a program.");
    m.def("python_source_allowed", &kiln::getPythonSourceAllowed, "runtime"_a,
          "Whether a Runtime allows the Python source in plans.");
    kiln::setPythonSourceRunner(&runModule);
}

} // namespace kiln::python
