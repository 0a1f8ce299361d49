// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A program whose class derives from a bound class D may call the __init__ of D's base B, as in
// class My(trt.Logger) with trt.ILogger.__init__(self). pybind11 would end the process, because the
// object has no C++ instance for B. So B's __init__ forwards such a call to D's.
#include <algorithm>
#include <vector>

#include "bindings.h"

namespace kiln::python {
namespace {

/// Whether an object is a class of the bindings, not a class that a program derived.
bool isBound(py::handle object) {
    auto* const type = reinterpret_cast<PyTypeObject*>(object.ptr());
    if (PyType_Check(object.ptr()) == 0 ||
        PyObject_TypeCheck(object.ptr(), py::detail::get_internals().default_metaclass) == 0) {
        return false;
    }
    auto const& parts = py::detail::all_type_info(type);
    return parts.size() == 1 && parts.front()->type == type;
}

/// The bound class of the object's C++ part that derives from the base.
py::object ownerOf(py::handle self, py::handle base) {
    for (py::handle const type : py::type::of(self).attr("__mro__")) {
        if (isBound(type) && PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()),
                                              reinterpret_cast<PyTypeObject*>(base.ptr())) != 0) {
            return py::reinterpret_borrow<py::object>(type);
        }
    }
    return py::reinterpret_borrow<py::object>(base);
}

void passOn(py::handle base) {
    py::object const own = base.attr("__dict__")["__init__"];
    std::string const documentation = py::str(own.attr("__doc__"));
    py::options options;
    options.disable_function_signatures(); // the docstring has them
    py::cpp_function const init(
        [own, base](py::object const& self, py::args const& arguments, py::kwargs const& named) {
            if (!py::isinstance(self, base)) {
                return own(self, *arguments, **named); // raises the error
            }
            py::object const owner = ownerOf(self, base);
            return owner.is(base) ? own(self, *arguments, **named)
                                  : owner.attr("__init__")(self, *arguments, **named);
        },
        py::is_method(base), documentation.c_str());
    py::setattr(base, "__init__", init);
}

} // namespace

void initBaseClassInit(py::module_& m) {
    std::vector<py::handle> bases;
    for (auto const& [name, type] : m.attr("__dict__").cast<py::dict>()) {
        if (!isBound(type)) {
            continue;
        }
        for (py::handle const base : type.attr("__bases__")) {
            bool const known = std::any_of(bases.begin(), bases.end(),
                                           [&](py::handle other) { return other.is(base); });
            if (!known && isBound(base) && base.attr("__dict__").contains("__init__")) {
                bases.push_back(base);
            }
        }
    }
    for (py::handle const base : bases) {
        passOn(base);
    }
}

} // namespace kiln::python
