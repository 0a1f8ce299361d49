// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin_tensor.h"

#include <algorithm>
#include <cstring>

#include <pybind11/stl.h>

#include "array_protocols.h"
#include "bindings.h"

namespace kiln::python {
namespace {

using nvinfer1::Dims;

py::tuple toTuple(Dims const& values) {
    py::tuple result(static_cast<std::size_t>(values.nbDims));
    for (int32_t i = 0; i < values.nbDims; ++i) {
        result[static_cast<std::size_t>(i)] = values.d[i];
    }
    return result;
}

Dims packedStrides(Dims const& dims) {
    Dims strides{dims.nbDims, {}};
    int64_t step = 1;
    for (int32_t i = dims.nbDims; i-- > 0;) {
        strides.d[i] = step;
        step *= std::max<int64_t>(dims.d[i], 0);
    }
    return strides;
}

/// A setter that also marks the object as altered.
template <typename T, typename F>
auto altering(F set) {
    return [set](TensorObject& self, T value) {
        set(self, value);
        self.altered = true;
    };
}

void setDims(TensorObject& self, Dims const& dims) {
    self.desc.dims = dims;
    self.strides = packedStrides(dims);
    self.shape = py::none();
    self.altered = true;
}

void takeFrom(TensorObject& self, py::object const& other) {
    auto const& source = other.cast<TensorObject const&>();
    self.fill(source.desc, source.strides);
    self.address = source.address;
    self.device = source.device;
    self.aliased = other;
}

} // namespace

void TensorObject::fill(nvinfer1::PluginTensorDesc const& newDesc, Dims const& newStrides) {
    std::memcpy(&desc, &newDesc, sizeof(desc)); // padding too: it is compared
    strides = newStrides;
    altered = false;
    shape = py::none();
    aliased = py::none();
}

Buffer TensorObject::buffer() const {
    auto const* const end = desc.dims.d + desc.dims.nbDims;
    if (std::any_of(desc.dims.d, end, [](int64_t extent) { return extent < 0; })) {
        throw py::value_error("[plugin] Tensor: expected a tensor of known extents, got one whose "
                              "shape the op finds out. Make an array of tensor.aliased(shape).");
    }
    return makeBuffer(address, desc, false, device);
}

void initPluginTensor(py::module_& m) {
    py::class_<TensorObject> cls(m, "_PluginTensor", "See kiln.plugin.Tensor.");
    cls.def(py::init<>(), "A tensor without data.")
        .def_property(
            "data_ptr", [](TensorObject const& self) { return self.address; },
            altering<std::uintptr_t>(
                [](TensorObject& self, std::uintptr_t address) { self.address = address; }),
            "int: the address.")
        .def_property(
            "dtype", [](TensorObject const& self) { return self.desc.type; },
            altering<nvinfer1::DataType>(
                [](TensorObject& self, nvinfer1::DataType type) { self.desc.type = type; }),
            "DataType: of the elements.")
        .def_property(
            "format", [](TensorObject const& self) { return self.desc.format; },
            altering<nvinfer1::TensorFormat>([](TensorObject& self, nvinfer1::TensorFormat format) {
                self.desc.format = format;
            }),
            "TensorFormat: the memory layout.")
        .def_property(
            "scale", [](TensorObject const& self) { return self.desc.scale; },
            altering<float>([](TensorObject& self, float scale) { self.desc.scale = scale; }),
            "float: the real value of one step of INT8 data.")
        .def_property(
            "strides", [](TensorObject const& self) { return toTuple(self.strides); },
            altering<Dims>([](TensorObject& self, Dims const& steps) { self.strides = steps; }),
            "tuple[int, ...]: steps along each dimension, in elements.")
        .def_property(
            "_shape", [](TensorObject const& self) { return self.shape; },
            [](TensorObject& self, py::object const& shape) { self.shape = shape; })
        .def_property_readonly("_desc", [](TensorObject const& self) { return self.desc; })
        .def_property_readonly("_aliased", [](TensorObject const& self) { return self.aliased; })
        .def_property(
            "_dims", [](TensorObject const& self) { return self.desc.dims; }, &setDims)
        .def("_take", &takeFrom, "other"_a);
    bindArrayProtocols(cls, [](TensorObject const& self) { return self.buffer(); });
}

} // namespace kiln::python
