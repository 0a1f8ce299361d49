// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Short texts for arguments of plugins: [4,8]:t0:f0, followed by ranges if there are any.
#pragma once

#include <string>

#include <NvInferRuntime.h>

namespace kiln::test {

inline std::string str(nvinfer1::Dims const& dims) {
    std::string text = "[";
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        text += (i == 0 ? "" : ",") + std::to_string(dims.d[i]);
    }
    return text + "]";
}

inline std::string str(nvinfer1::PluginTensorDesc const& desc) {
    return str(desc.dims) + ":t" + std::to_string(static_cast<int32_t>(desc.type)) + ":f" +
           std::to_string(static_cast<int32_t>(desc.format));
}

inline std::string str(nvinfer1::DynamicPluginTensorDesc const& desc) {
    return str(desc.desc) + " min" + str(desc.min) + " max" + str(desc.max);
}

/// Extents of a symbolic shape, "?" if unknown, each followed by a blank.
inline std::string str(nvinfer1::DimsExprs const& shape) {
    std::string text;
    for (int32_t i = 0; i < shape.nbDims; ++i) {
        text +=
            (shape.d[i]->isConstant() ? std::to_string(shape.d[i]->getConstantValue()) : "?") + " ";
    }
    return text;
}

inline int64_t volumeOf(nvinfer1::Dims const& dims) {
    int64_t count = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        count *= dims.d[i];
    }
    return count;
}

inline std::size_t bytesOf(nvinfer1::PluginTensorDesc const& desc) {
    bool const half =
        desc.type == nvinfer1::DataType::kHALF || desc.type == nvinfer1::DataType::kBF16;
    return static_cast<std::size_t>(volumeOf(desc.dims)) * (half ? 2 : 4);
}

} // namespace kiln::test
