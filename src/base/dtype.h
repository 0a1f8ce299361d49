// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/bfloat16.h"
#include "base/error.h"
#include "base/half.h"
#include "kiln/api/data_type.h"
#include "kiln/api/tensor_format.h"

namespace kiln {

using DataType = nvinfer1::DataType;
using TensorFormat = nvinfer1::TensorFormat;

/// "float32", "float16", "int8", ...: the name that messages, plans and reports use.
char const* nameOf(DataType type) noexcept;
char const* nameOf(TensorFormat format) noexcept;

/// Size of one element in bits (kINT4 and kFP4 take 4).
int32_t bitsOf(DataType type);

/// Bytes of `count` linear elements, rounded up to whole bytes. Throws on overflow.
std::size_t bytesFor(DataType type, int64_t count);

/// float32, float16 or bfloat16: the types that a weakly typed layer may choose from.
bool isFloating(DataType type) noexcept;

/// Calls f(T{}) with the C++ type of `type`. Throws kUnsupported, naming the type, for types
/// without C++ arithmetic.
template <typename F>
decltype(auto) dispatchType(DataType type, std::string_view where, F&& f) {
    switch (type) {
    case DataType::kFLOAT: return f(float{});
    case DataType::kHALF: return f(Half{});
    case DataType::kINT8: return f(int8_t{});
    case DataType::kINT32: return f(int32_t{});
    case DataType::kINT64: return f(int64_t{});
    case DataType::kUINT8: return f(uint8_t{});
    case DataType::kBOOL: return f(bool{});
    default: break;
    }
    fail(ErrorKind::kUnsupported, "[{}] element type {} is not supported here. Cast it first.",
         where, nameOf(type));
}

/// Like dispatchType, for the floating-point types. Kernels compute them in float32.
template <typename F>
decltype(auto) dispatchFloat(DataType type, std::string_view where, F&& f) {
    switch (type) {
    case DataType::kFLOAT: return f(float{});
    case DataType::kHALF: return f(Half{});
    case DataType::kBF16: return f(BFloat16{});
    default: break;
    }
    fail(ErrorKind::kUnsupported,
         "[{}] expected float32, float16 or bfloat16, got {}. Cast it first.", where, nameOf(type));
}

} // namespace kiln
