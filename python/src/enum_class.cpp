// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"

namespace kiln::python {

py::object makeEnum(py::handle scope, char const* name, char const* doc,
                    std::vector<std::pair<char const*, int>> const& members) {
    py::list entries;
    for (auto const& [label, value] : members) {
        entries.append(py::make_tuple(label, value));
    }
    bool const nested = PyType_Check(scope.ptr());
    py::object const module = scope.attr(nested ? "__module__" : "__name__");
    py::str const path =
        nested ? py::str(py::str(scope.attr("__qualname__")) + py::str(".") + py::str(name))
               : py::str(name);
    py::object type =
        py::module_::import("kiln._enum")
            .attr("ApiEnum")(name, entries, py::arg("module") = module, py::arg("qualname") = path);
    type.attr("__doc__") = doc;
    scope.attr(name) = type;
    return type;
}

} // namespace kiln::python
