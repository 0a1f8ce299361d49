// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The API's enums as Python enums (kiln._enum.ApiEnum, an enum.IntEnum). Conversion is a table
// look-up in both directions, because descriptor types are read on every call of a plugin.
#pragma once

#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// The unqualified C++ name of an enum, cut out of the signature of this function, which ends in
/// "[with E = nvinfer1::DataType]" (GCC) or "[E = nvinfer1::DataType]" (Clang).
template <typename E>
constexpr std::string_view unqualifiedName() {
    std::string_view name = __PRETTY_FUNCTION__;
    name.remove_prefix(name.find("E = "));
    name = name.substr(0, name.find_first_of(";]"));
    return name.substr(name.rfind(':') + 1);
}

/// Python name of an enum as it appears in signatures. enum_names.h has those that are not the C++
/// names.
template <typename E>
struct EnumName {
private:
    static constexpr std::string_view name = unqualifiedName<E>();

    template <std::size_t... Index>
    static constexpr auto letters(std::index_sequence<Index...>) {
        return py::detail::descr<sizeof...(Index)>(name[Index]...);
    }

public:
    static constexpr auto value =
        py::detail::const_name("kiln._core.") + letters(std::make_index_sequence<name.size()>());
};

/// The Python class of an enum and its members by number. Lives as long as the interpreter.
template <typename E>
struct EnumTable {
    static inline PyObject* type = nullptr;
    static inline std::vector<PyObject*> members;
};

/// A Python enum class `name` with the given members, put into `scope`.
py::object makeEnum(py::handle scope, char const* name, char const* doc,
                    std::vector<std::pair<char const*, int>> const& members);

template <typename E>
py::object defineEnum(py::handle scope, char const* name, char const* doc,
                      std::initializer_list<std::pair<char const*, E>> members) {
    std::vector<std::pair<char const*, int>> numbers;
    int largest = 0;
    for (auto const& [label, value] : members) {
        numbers.emplace_back(label, static_cast<int>(value));
        largest = std::max(largest, static_cast<int>(value));
    }
    py::object type = makeEnum(scope, name, doc, numbers);
    EnumTable<E>::type = type.inc_ref().ptr();
    EnumTable<E>::members.assign(static_cast<std::size_t>(largest) + 1, nullptr);
    for (auto const& [label, value] : members) {
        EnumTable<E>::members[static_cast<std::size_t>(value)] =
            py::object(type.attr(label)).release().ptr();
    }
    return type;
}

} // namespace kiln::python

namespace pybind11::detail {

template <typename E>
struct type_caster_enum_type_enabled<E, std::enable_if_t<std::is_enum_v<E>>> : std::false_type {};

template <typename E>
class type_caster<E, std::enable_if_t<std::is_enum_v<E>>> {
    using Table = kiln::python::EnumTable<E>;

public:
    PYBIND11_TYPE_CASTER(E, kiln::python::EnumName<E>::value);

    bool load(handle source, bool) {
        if (Table::type == nullptr ||
            Py_TYPE(source.ptr()) != reinterpret_cast<PyTypeObject*>(Table::type)) {
            return false;
        }
        value = static_cast<E>(PyLong_AsLong(source.ptr()));
        return true;
    }

    static handle cast(E source, return_value_policy, handle) {
        auto const index = static_cast<std::size_t>(source);
        PyObject* const member = index < Table::members.size() ? Table::members[index] : nullptr;
        if (member == nullptr) {
            return PyLong_FromLong(static_cast<long>(source)); // a value that the table lacks
        }
        Py_INCREF(member);
        return member;
    }
};

} // namespace pybind11::detail
