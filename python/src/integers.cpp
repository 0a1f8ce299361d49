// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "integers.h"

#include <fmt/format.h>

#include "bindings.h"

namespace kiln::python {
namespace {

using nvinfer1::Dims;

/// Calls put(i, value) for each element. False if `source` is not a sequence. `label`, `elements`
/// and `element` are for messages.
template <typename F>
bool readIntegers(py::handle source, char const* label, char const* elements, char const* element,
                  F&& put) {
    if (!isSequence(source)) {
        return false;
    }
    Py_ssize_t const length = PySequence_Size(source.ptr());
    if (length < 0) { // for example, an array without dimensions
        PyErr_Clear();
        return false;
    }
    if (length > Dims::MAX_DIMS) {
        throw py::value_error(fmt::format("[{}] expected at most {} {}, got {}", label,
                                          static_cast<int>(Dims::MAX_DIMS), elements, length));
    }
    for (Py_ssize_t i = 0; i < length; ++i) {
        auto const item = py::reinterpret_steal<py::object>(PySequence_GetItem(source.ptr(), i));
        if (!item) {
            throw py::error_already_set();
        }
        std::optional<int64_t> const value = integerFrom(item);
        if (!value) {
            throw py::type_error(fmt::format("[{}] expected an int for {} {}, got {}", label,
                                             element, i, Py_TYPE(item.ptr())->tp_name));
        }
        put(i, *value);
    }
    return true;
}

} // namespace

bool isSequence(py::handle object) {
    return PySequence_Check(object.ptr()) != 0 && PyUnicode_Check(object.ptr()) == 0 &&
           PyBytes_Check(object.ptr()) == 0;
}

std::optional<int64_t> integerFrom(py::handle object) {
    py::object converted;
    PyObject* number = object.ptr();
    if (PyLong_Check(number) == 0) {
        if (PyIndex_Check(number) == 0) {
            return std::nullopt;
        }
        converted = py::reinterpret_steal<py::object>(PyNumber_Index(number));
        if (!converted) {
            // Arrays have __index__ whatever their elements are.
            if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
                throw py::error_already_set();
            }
            PyErr_Clear();
            return std::nullopt;
        }
        number = converted.ptr();
    }
    long long const value = PyLong_AsLongLong(number);
    if (value == -1 && PyErr_Occurred() != nullptr) {
        throw py::error_already_set();
    }
    return value;
}

bool readDims(py::handle source, Dims& dims) {
    dims = Dims{0, {}};
    return readIntegers(source, "dims", "dimensions", "dimension",
                        [&](Py_ssize_t i, int64_t extent) {
                            dims.d[i] = extent;
                            dims.nbDims = static_cast<int32_t>(i) + 1;
                        });
}

bool readPermutation(py::handle source, nvinfer1::Permutation& permutation) {
    for (int32_t i = 0; i < Dims::MAX_DIMS; ++i) {
        permutation.order[i] = i;
    }
    return readIntegers(source, "permutation", "entries", "entry", [&](Py_ssize_t i, int64_t at) {
        if (at != static_cast<int32_t>(at)) {
            throw py::value_error(
                fmt::format("[permutation] expected a dimension for entry {}, got {}", i, at));
        }
        permutation.order[i] = static_cast<int32_t>(at);
    });
}

} // namespace kiln::python
