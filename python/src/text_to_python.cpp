// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Text that goes to Python. Names come from plans, models and C++ plugins and need not be UTF-8; a
// conversion that raises would lose the name, the log line or the whole result. The linker replaces
// CPython's functions with these (--wrap, python/CMakeLists.txt), so that all conversions of the
// bindings, including those of pybind11, turn bytes that are not UTF-8 into U+FFFD.
#include <cstring>

#include <Python.h>

// Names that the linker prescribes.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

PyObject* __real_PyUnicode_DecodeUTF8(char const* text, Py_ssize_t bytes, char const* errors);

PyObject* __wrap_PyUnicode_DecodeUTF8(char const* text, Py_ssize_t bytes, char const* errors) {
    return __real_PyUnicode_DecodeUTF8(text, bytes, errors == nullptr ? "replace" : errors);
}

PyObject* __wrap_PyUnicode_FromString(char const* text) {
    return __real_PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "replace");
}

PyObject* __wrap_PyUnicode_FromStringAndSize(char const* text, Py_ssize_t bytes) {
    return __real_PyUnicode_DecodeUTF8(text == nullptr ? "" : text, text == nullptr ? 0 : bytes,
                                       "replace");
}

} // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
