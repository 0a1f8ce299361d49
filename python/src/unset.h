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

} // namespace kiln::python
