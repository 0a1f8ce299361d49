// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Integers of 2, 4 or 8 bits in a constant of UINT8.
#pragma once

#include "onnx/node_context.h"

#include <cstdint>

namespace kiln::onnx {

// The first integer is in the lowest bits of the first byte.
class PackedIntegers {
public:
    // Input `index`, a constant of `bytes` bytes.
    PackedIntegers(NodeContext& context, size_t index, char const* role, int64_t bytes,
                   int64_t bits)
        : bits_(bits) {
        Constant const& given = context.constant(index, role);
        if (given.weights.type != nvinfer1::DataType::kUINT8 || given.weights.count != bytes) {
            context.fail(ErrorCode::kINVALID_NODE,
                         text("input ", index, " (", role, "): expected ", bytes,
                              " bytes of UINT8, got ", given.weights.count, " of ",
                              given.weights.type, "."));
        }
        bytes_ = static_cast<uint8_t const*>(given.weights.values);
    }

    int64_t operator()(int64_t number) const {
        int64_t const perByte = 8 / bits_;
        int64_t const shift = number % perByte * bits_;
        return bytes_[number / perByte] >> shift & ((1 << bits_) - 1);
    }

private:
    uint8_t const* bytes_ = nullptr;
    int64_t bits_;
};

} // namespace kiln::onnx
