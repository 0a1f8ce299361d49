// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Plugin fields in Python: names and typed arrays, passed to C++ as PluginFieldCollection.
#pragma once

#include <string>
#include <vector>

#include <NvInferRuntime.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// Text that is a str or bytes in Python.
struct FallbackString {
    std::string text;
};

/// One field. `data` is the NumPy array that toFieldData() returned, or None; C++ reads its memory
/// while the field exists. `given` is the user's data, which is converted again when the type is
/// set.
struct FieldObject {
    std::string name;
    py::object data = py::none();
    py::object given = py::none();
    nvinfer1::PluginFieldType type = nvinfer1::PluginFieldType::kUNKNOWN;
    int32_t size = 0;
    int32_t capacity = 0; ///< number of elements of `data`

    void setData(py::object const& source);
    void setType(nvinfer1::PluginFieldType newType);
    void setSize(int32_t length);
    /// The data as Python sees it.
    py::object values() const;
    nvinfer1::PluginField native() const;
    /// Copies the data, because the caller owns the memory of a native field.
    static FieldObject from(nvinfer1::PluginField const& field);
};

using FieldVector = std::vector<FieldObject>;

/// Fields and their native view, which is valid until this object is moved or destroyed.
struct FieldCollection {
    FieldVector fields;
    std::vector<nvinfer1::PluginField> natives;
    nvinfer1::PluginFieldCollection collection;

    explicit FieldCollection(FieldVector source);
    static py::object fromNative(nvinfer1::PluginFieldCollection const* source);
};

/// Converts a field collection: PluginFieldCollection, PluginFieldCollection_ or an iterable of
/// PluginField. Throws TypeError otherwise.
std::unique_ptr<FieldCollection> toFieldCollection(py::handle value);

} // namespace kiln::python

PYBIND11_MAKE_OPAQUE(kiln::python::FieldVector)
