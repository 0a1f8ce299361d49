// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kiln {

/// Kinds of ahead-of-time compiled code. Values are part of the plan format.
enum class CodeKind : uint8_t {
    kPtx = 0,        ///< PTX text, which the driver compiles for its device
    kCubin = 1,      ///< machine code for one GPU architecture
    kHostObject = 2, ///< an ELF shared object for the CPU
};

/// The type of a scalar argument of ahead-of-time code. Values are part of the plan format and
/// equal those of the public kiln::ArgumentType.
enum class ScalarType : uint8_t {
    kInt8 = 0,
    kInt16 = 1,
    kInt32 = 2,
    kInt64 = 3,
    kFloat32 = 4,
    kFloat64 = 5,
};

inline constexpr int32_t kScalarTypeCount = 6;

constexpr int32_t bytesOf(ScalarType type) noexcept {
    constexpr int32_t kBytes[kScalarTypeCount] = {1, 2, 4, 8, 4, 8};
    return kBytes[static_cast<int32_t>(type)];
}

constexpr char const* nameOf(ScalarType type) noexcept {
    constexpr char const* kNames[kScalarTypeCount] = {"int8",  "int16",   "int32",
                                                      "int64", "float32", "float64"};
    return kNames[static_cast<int32_t>(type)];
}

constexpr bool isReal(ScalarType type) noexcept {
    return type == ScalarType::kFloat32 || type == ScalarType::kFloat64;
}

} // namespace kiln
