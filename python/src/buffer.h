// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// kiln.buffer: the memory of a tensor as an object that array libraries use without a copy.
#pragma once

#include <cstdint>
#include <vector>

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// Extents and strides (in elements) of a tensor's memory.
struct BufferLayout {
    std::vector<int64_t> shape;
    std::vector<int64_t> strides;
};

/// The memory layout of a tensor of this shape and format. Linear and channels-last formats keep
/// the tensor's dimensions, with strides; formats that group channels (CHW4, ...) have the group as
/// an additional last dimension. Throws ValueError for formats that have no such view.
BufferLayout layoutOf(nvinfer1::Dims const& dims, nvinfer1::TensorFormat format);

struct Buffer {
    std::uintptr_t address = 0;
    nvinfer1::DataType type = nvinfer1::DataType::kFLOAT;
    BufferLayout layout;
    bool readOnly = false;
    int32_t device = -1; ///< number of the GPU; -1: host memory
};

/// The device of a plugin's memory: that of the engine that calls it, else of the default target.
int32_t currentDevice();

/// The memory of a tensor. Throws for extents, types and formats that have no such view.
Buffer makeBuffer(std::uintptr_t address, nvinfer1::PluginTensorDesc const& desc, bool readOnly,
                  int32_t device);

/// A DLPack capsule, which keeps `owner` alive unless it is null.
py::capsule toDlpack(Buffer const& buffer, bool versioned, py::object owner = {});

} // namespace kiln::python
