// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Shared by both C++ plugins: y = x with the last one to four dimensions extended by values from
// the opposite edge. This file does not depend on a plugin interface or on where tensors are:
// circ_pad_host.h copies the values on the cpu target, circ_pad_gpu.cuh on cuda.
//
// pads: two values for each padded dimension, last dimension first, as in
// torch.nn.functional.pad: before and after of dimension -1, before and after of -2, and so on.
#pragma once

#include <NvInferRuntime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace circ_pad {

constexpr char const* kName = "CircPadPlugin";
constexpr char const* kField = "pads";

using Pads = std::vector<int32_t>;

inline void checkPads(Pads const& pads) {
    if (pads.empty() || pads.size() % 2 != 0 || pads.size() > 8) {
        throw std::invalid_argument("pads needs 2, 4, 6 or 8 values, two for each padded "
                                    "dimension, got " +
                                    std::to_string(pads.size()));
    }
    if (*std::min_element(pads.begin(), pads.end()) < 0) {
        throw std::invalid_argument("pads must not be negative");
    }
}

// Reads the attribute as a creator receives it: int32, or int64 as in ONNX.
inline Pads readPads(nvinfer1::PluginFieldCollection const& fields) {
    for (int32_t i = 0; i < fields.nbFields; ++i) {
        nvinfer1::PluginField const& field = fields.fields[i];
        if (std::string(field.name) != kField) {
            continue;
        }
        Pads pads;
        if (field.type == nvinfer1::PluginFieldType::kINT32) {
            auto const* values = static_cast<int32_t const*>(field.data);
            pads.assign(values, values + field.length);
        } else if (field.type == nvinfer1::PluginFieldType::kINT64) {
            auto const* values = static_cast<int64_t const*>(field.data);
            pads.assign(values, values + field.length);
        } else {
            throw std::invalid_argument("pads must be int32 or int64, got PluginFieldType " +
                                        std::to_string(static_cast<int32_t>(field.type)));
        }
        checkPads(pads);
        return pads;
    }
    throw std::invalid_argument("attribute pads is missing; example: pads=[1, 1, 1, 1]");
}

// Writes the padded shape; false if the input has fewer dimensions than pads.
inline bool padShape(nvinfer1::DimsExprs const& input, Pads const& pads,
                     nvinfer1::IExprBuilder& builder, nvinfer1::DimsExprs& output) {
    auto const padded = static_cast<int32_t>(pads.size() / 2);
    if (input.nbDims < padded) {
        return false;
    }
    output = input;
    for (int32_t i = 0; i < padded; ++i) {
        int32_t const axis = input.nbDims - 1 - i;
        auto const* added = builder.constant(int64_t{pads[2 * i]} + pads[2 * i + 1]);
        output.d[axis] =
            builder.operation(nvinfer1::DimensionOperation::kSUM, *input.d[axis], *added);
    }
    return true;
}

inline bool isSupported(nvinfer1::PluginTensorDesc const& desc,
                        nvinfer1::PluginTensorDesc const& input) {
    bool const known =
        desc.type == nvinfer1::DataType::kFLOAT || desc.type == nvinfer1::DataType::kHALF;
    return desc.format == nvinfer1::TensorFormat::kLINEAR && known && desc.type == input.type;
}

// With CIRC_PAD_LOG=FILE in the environment, adds the tensor type to FILE.
inline void logType(nvinfer1::DataType type) {
    char const* path = std::getenv("CIRC_PAD_LOG");
    if (path == nullptr || *path == '\0') {
        return;
    }
    if (std::FILE* log = std::fopen(path, "a")) {
        std::fputs(type == nvinfer1::DataType::kHALF ? "float16\n" : "float32\n", log);
        std::fclose(log);
    }
}

// Plugin callbacks must not throw: they report here and return an error.
inline void logError(std::exception const& error) {
    std::string const message = std::string(kName) + ": " + error.what();
    if (nvinfer1::ILogger* logger = getLogger()) {
        logger->log(nvinfer1::ILogger::Severity::kERROR, message.c_str());
    }
}

} // namespace circ_pad
