// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The values of plugin fields: from Python's data to the memory that C++ reads, and back.
#pragma once

#include <string>

#include <NvInferRuntime.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

struct FieldData {
    py::array array; ///< one dimension, contiguous, of the NumPy type of the field type
    int32_t count;   ///< elements of the field type
};

/// The data of a field, converted if it is of another type. Throws TypeError for objects that are
/// not data, ValueError for values that do not fit. `name` names the field in messages.
FieldData toFieldData(std::string const& name, py::object const& source,
                      nvinfer1::PluginFieldType type);

/// A copy of the memory of a native field. `length` elements, 0 or more.
py::array copyFieldData(void const* memory, nvinfer1::PluginFieldType type, int32_t length);

/// The field type of an array that was given without one; kUNKNOWN for bytes and other types.
nvinfer1::PluginFieldType fieldTypeOf(py::array const& array);

/// The Dims in an array that holds their bytes.
py::list unpackDims(py::array const& array, int32_t count);

} // namespace kiln::python
