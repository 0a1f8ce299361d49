// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// tensorrt.plugin.Tensor, which an impl receives for each input and output. The Python class
// derives from the one bound here.
#pragma once

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

#include "buffer.h"

namespace kiln::python {

namespace py = pybind11;

struct TensorObject {
    nvinfer1::PluginTensorDesc desc{};
    nvinfer1::Dims strides{};
    std::uintptr_t address = 0;
    int32_t device = currentDevice(); // -1: host memory
    bool altered = false;             // by Python; filled again before the next call
    py::object shape = py::none();    // a Shape, made at first use
    py::object aliased = py::none();  // the tensor whose aliased() made this one

    /// Sets descriptor and strides for a call.
    void fill(nvinfer1::PluginTensorDesc const& newDesc, nvinfer1::Dims const& newStrides);
    Buffer buffer() const;
};

} // namespace kiln::python
