// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <pybind11/pybind11.h>

namespace kiln::python {

/// The getter of an attribute that does not exist until it is set.
template <typename Class, typename T>
auto unsetGetter(std::optional<T> Class::* member, char const* name) {
    return [member, name](Class const& self) -> T {
        if (!(self.*member).has_value()) {
            throw pybind11::attribute_error(std::string(name) + " was never set");
        }
        return *(self.*member);
    };
}

template <typename Class, typename T>
auto plainSetter(std::optional<T> Class::* member) {
    return [member](Class& self, T value) { self.*member = std::move(value); };
}

// Classes that users derive from also wrap C++ objects, in a member `native`. The functions below
// are for those classes.

// A user's __init__ may set an attribute before it calls the base's. The object is then all zeros
// (see zeroed_memory.h) and has no vtable yet; these two functions do not use it.
#define KILN_BEFORE_INIT __attribute__((no_sanitize("vptr")))

/// Throws AttributeError if the object is implemented in C++, because its attributes are read-only.
template <typename Class>
KILN_BEFORE_INIT void checkSettable(Class const& self, char const* name) {
    if (self.native != nullptr) {
        throw pybind11::attribute_error(std::string(name) +
                                        " is read-only: the object is implemented in C++");
    }
}

/// The getter of an attribute of the native object, or else of the value that the user set.
template <typename Class, typename T, typename F>
auto nativeOr(std::optional<T> Class::* member, char const* name, F native) {
    return [get = unsetGetter(member, name), native](Class const& self) -> T {
        return self.native != nullptr ? T(native(*self.native)) : get(self);
    };
}

template <typename Class, typename T>
auto authorSetter(std::optional<T> Class::* member, char const* name) {
    return [member, name](Class& self, T value) KILN_BEFORE_INIT {
        checkSettable(self, name);
        self.*member = std::move(value);
    };
}

/// A callback that a class only documents. It does nothing, so that authors may call it through
/// super(); for an object in C++ it throws TypeError.
template <typename R, typename Class, typename... Args>
auto documented(char const* name) {
    return [name](Class const& self, Args...) {
        if (self.native != nullptr) {
            throw pybind11::type_error(std::string(name) +
                                       ": expected Kiln to call it, got a call from Python. The "
                                       "plugin is implemented in C++, and this is one of the "
                                       "methods that Kiln alone calls");
        }
        return R();
    };
}

} // namespace kiln::python
