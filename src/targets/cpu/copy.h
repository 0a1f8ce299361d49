// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "targets/cpu/numeric.h"
#include "targets/cpu/op_kernel.h"

namespace kiln::targets::cpu {

/// State of a launch that copies the bytes of input 0 to output 0.
struct BytesToCopy {
    std::size_t count = 0;
};

inline void copyBytes(BytesToCopy const& bytes, KernelCall const& call) {
    auto const* from = static_cast<std::byte const*>(call.inputs[0]);
    auto* to = static_cast<std::byte*>(call.outputs[0]);
    if (from == to) {
        return; // the user bound one buffer to both
    }
    // A copy moves many bytes per step of grainFor().
    parallelFor(static_cast<int64_t>(bytes.count), grainFor(1) * 16,
                [&](int64_t begin, int64_t end) {
                    std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
                });
}

/// Calls f with an unsigned integer as wide as the type.
template <typename F>
target::KernelFunction dispatchWidth(DataType type, std::string_view where, F&& f) {
    switch (bitsOf(type)) {
    case 8: return f(uint8_t{});
    case 16: return f(uint16_t{});
    case 32: return f(uint32_t{});
    case 64: return f(uint64_t{});
    default: break;
    }
    fail(ErrorKind::kUnsupported, "[{}] elements of {} are not copied one by one. Cast them first.",
         where, nameOf(type));
}

/// "expected a type of whole bytes, got int4"; empty for types of whole bytes.
inline std::string refuseSubByte(NodeSpec const& node, std::size_t operand) {
    DataType const type = node.inputs[operand].type.type;
    return bitsOf(type) % 8 == 0
               ? std::string()
               : fmt::format("expected a type of whole bytes, got {}", nameOf(type));
}

/// Bytes of one element, for kernels that refuse types smaller than a byte.
inline int64_t elementBytes(DataType type) {
    return static_cast<int64_t>(bytesFor(type, 1));
}

/// Calls body(row, first, count) for pieces of the rows of a nest, in parallel: a dense tensor is
/// one row. `steps` are those of one element.
template <typename AnyNest, typename Body>
void forRowPieces(AnyNest const& nest, int64_t steps, Body&& body) {
    constexpr int64_t kPiece = 4096;
    int64_t const inner = nest.inner();
    int64_t const pieces = (inner + kPiece - 1) / kPiece;
    parallelFor(nest.rows() * pieces, grainFor(std::min(inner, kPiece) * steps),
                [&](int64_t begin, int64_t end) {
                    for (int64_t task = begin; task < end; ++task) {
                        int64_t const first = task % pieces * kPiece;
                        body(task / pieces, first, std::min(kPiece, inner - first));
                    }
                });
}

/// Copies bytes that are few more often than not: less than a call for them.
inline void copyShort(std::byte* to, std::byte const* from, int64_t bytes) noexcept {
    if (bytes > 256) {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
        return;
    }
    for (; bytes >= 16; bytes -= 16, to += 16, from += 16) {
        std::memcpy(to, from, 16);
    }
    for (; bytes >= 4; bytes -= 4, to += 4, from += 4) {
        std::memcpy(to, from, 4);
    }
    for (; bytes > 0; --bytes) {
        *to++ = *from++;
    }
}

/// Copies bytes that are a few KiB more often than not: memcpy() may then use a string instruction
/// that takes three times as long on Zen 4.
inline void copyRun(std::byte* to, std::byte const* from, int64_t bytes) noexcept {
    constexpr int64_t kLine = 64;
    if (bytes >= 2048 && bytes <= 65536) {
        for (; bytes >= kLine; bytes -= kLine, to += kLine, from += kLine) {
            std::byte line[kLine];
            std::memcpy(line, from, kLine);
            std::memcpy(to, line, kLine);
        }
    }
    copyShort(to, from, bytes);
}

/// Writes one element `count` times. Addresses need no alignment.
inline void fillElements(std::byte* to, void const* element, int64_t bytes, int64_t count) {
    auto const fill = [&](auto word) {
        std::memcpy(&word, element, sizeof(word));
        for (int64_t i = 0; i < count; ++i) {
            std::memcpy(to + i * static_cast<int64_t>(sizeof(word)), &word, sizeof(word));
        }
    };
    switch (bytes) {
    case 1: return fill(uint8_t{});
    case 2: return fill(uint16_t{});
    case 4: return fill(uint32_t{});
    case 8: return fill(uint64_t{});
    default: break;
    }
    for (int64_t i = 0; i < count; ++i) {
        std::memcpy(to + i * bytes, element, static_cast<std::size_t>(bytes));
    }
}

/// Element `index` of int32 or int64 indices, extents or steps.
inline int64_t integerAt(void const* values, DataType type, int64_t index) noexcept {
    return type == DataType::kINT32 ? static_cast<int32_t const*>(values)[index]
                                    : static_cast<int64_t const*>(values)[index];
}

} // namespace kiln::targets::cpu
