// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include <pybind11/pybind11.h>

namespace kiln::python {

/// A text as a template argument.
template <std::size_t kSize>
struct Words {
    char text[kSize]{};

    constexpr Words(char const (&source)[kSize]) { std::copy_n(source, kSize, text); }
};

/// An attribute of a bound function. The first call in a process issues a DeprecationWarning with
/// the name and what to use instead; later calls only test a flag. Getter and setter of a property
/// share the flag. (The name is explicit because pybind11 has no names for getters and setters.)
template <Words kName, Words kInstead>
struct Deprecated {};

/// Issues the warning at the caller's line; throws if Python turns warnings into errors.
inline void warnDeprecated(char const* name, char const* instead) {
    std::string const text = std::string(name) + " is deprecated. Use " + instead + ".";
    if (PyErr_WarnEx(PyExc_DeprecationWarning, text.c_str(), 1) != 0) {
        throw pybind11::error_already_set();
    }
}

} // namespace kiln::python

namespace pybind11::detail {

template <kiln::python::Words kName, kiln::python::Words kInstead>
struct process_attribute<kiln::python::Deprecated<kName, kInstead>>
    : process_attribute_default<kiln::python::Deprecated<kName, kInstead>> {
    static void precall(function_call&) {
        static bool warned = false; // guarded by the GIL
        if (!warned) {
            warned = true;
            kiln::python::warnDeprecated(kName.text, kInstead.text);
        }
    }
};

} // namespace pybind11::detail
