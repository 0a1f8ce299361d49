// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Exceptions with texts of Kiln, which end with the code of the message.
#pragma once

#include <string>

#include <pybind11/pybind11.h>

namespace kiln::python {

/// Sets the Python exception of one that the bindings have thrown.
[[gnu::cold]] void setError(pybind11::builtin_exception const& error);
[[gnu::cold]] void setError(PyObject* type, std::string const& text);

/// Gives exceptions of all bindings their codes.
void registerMessageCodes();

} // namespace kiln::python
