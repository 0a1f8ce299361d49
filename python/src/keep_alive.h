// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace kiln::python {

/// Like pybind11's keep_alive: value kNurse of a call (0: the result, 1: self) keeps value kPatient
/// alive. pybind11 3.1.0 applies keep_alive also to calls whose arguments did not convert, where
/// the result is not an object, and crashes. This one acts only if the call was made.
template <std::size_t kNurse, std::size_t kPatient>
struct KeepAlive {};

} // namespace kiln::python

namespace pybind11::detail {

template <std::size_t kNurse, std::size_t kPatient>
struct process_attribute<kiln::python::KeepAlive<kNurse, kPatient>>
    : process_attribute_default<kiln::python::KeepAlive<kNurse, kPatient>> {
    static void postcall(function_call& call, handle result) {
        if (result.ptr() != PYBIND11_TRY_NEXT_OVERLOAD) {
            keep_alive_impl(kNurse, kPatient, call, result);
        }
    }
};

} // namespace pybind11::detail
