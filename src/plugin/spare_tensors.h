// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <NvInferRuntime.h>

#include "plugin/expr_builder.h"

namespace kiln::plugin {

/// Number of spare entries behind every array of tensors that a plugin gets.
///
/// Many plugins read the inputs that they were written for without comparing with the count. A plan
/// may give them fewer, and they would read past the end of the array. The spare entries describe
/// tensors of one float32 element, so such a plugin reads valid memory, and its answers about
/// output types and shapes no longer match the plan.
inline constexpr std::size_t kSpareTensors = 16;

inline Dims spareDims() noexcept {
    return {Dims::MAX_DIMS, {1, 1, 1, 1, 1, 1, 1, 1}};
}

inline nvinfer1::PluginTensorDesc spareDesc() noexcept {
    return {spareDims(), DataType::kFLOAT, nvinfer1::TensorFormat::kLINEAR, 1.0F};
}

inline nvinfer1::DynamicPluginTensorDesc spareDynamicDesc() noexcept {
    return {spareDesc(), spareDims(), spareDims(), spareDims()};
}

/// Host memory for the element of spare tensors; all share it.
inline void* spareMemory() noexcept {
    alignas(64) static std::byte memory[64];
    return memory;
}

template <typename T>
std::vector<T> withSpare(std::span<T const> entries, T const& spare) {
    std::vector<T> all;
    all.reserve(entries.size() + kSpareTensors);
    all.assign(entries.begin(), entries.end());
    all.insert(all.end(), kSpareTensors, spare);
    return all;
}

inline std::vector<nvinfer1::DynamicPluginTensorDesc> withSpare(
    std::span<nvinfer1::DynamicPluginTensorDesc const> entries) {
    return withSpare(entries, spareDynamicDesc());
}

/// The expressions of all shapes, or of all values, and the spare ones.
template <typename Shapes>
std::vector<nvinfer1::DimsExprs> wrappedWithSpare(ExprBuilder& builder, Shapes const& shapes) {
    std::vector<nvinfer1::DimsExprs> all;
    all.reserve(shapes.size() + kSpareTensors);
    for (auto const& shape : shapes) {
        all.push_back(builder.wrap(shape));
    }
    all.insert(all.end(), kSpareTensors, builder.ones());
    return all;
}

} // namespace kiln::plugin
