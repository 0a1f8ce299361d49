// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/dtype.h"

#include "base/checked.h"

namespace kiln {

char const* nameOf(DataType type) noexcept {
    switch (type) {
    case DataType::kFLOAT: return "float32";
    case DataType::kHALF: return "float16";
    case DataType::kINT8: return "int8";
    case DataType::kINT32: return "int32";
    case DataType::kBOOL: return "bool";
    case DataType::kUINT8: return "uint8";
    case DataType::kFP8: return "fp8";
    case DataType::kBF16: return "bfloat16";
    case DataType::kINT64: return "int64";
    case DataType::kINT4: return "int4";
    case DataType::kFP4: return "fp4";
    case DataType::kE8M0: return "e8m0";
    }
    return "unknown type";
}

char const* nameOf(TensorFormat format) noexcept {
    switch (format) {
    case TensorFormat::kLINEAR: return "linear";
    case TensorFormat::kCHW2: return "chw2";
    case TensorFormat::kHWC8: return "hwc8";
    case TensorFormat::kCHW4: return "chw4";
    case TensorFormat::kCHW16: return "chw16";
    case TensorFormat::kCHW32: return "chw32";
    case TensorFormat::kDHWC8: return "dhwc8";
    case TensorFormat::kCDHW32: return "cdhw32";
    case TensorFormat::kHWC: return "hwc";
    case TensorFormat::kDLA_LINEAR: return "dla_linear";
    case TensorFormat::kDLA_HWC4: return "dla_hwc4";
    case TensorFormat::kHWC16: return "hwc16";
    case TensorFormat::kDHWC: return "dhwc";
    }
    return "unknown format";
}

int32_t bitsOf(DataType type) {
    switch (type) {
    case DataType::kFLOAT:
    case DataType::kINT32: return 32;
    case DataType::kHALF:
    case DataType::kBF16: return 16;
    case DataType::kINT64: return 64;
    case DataType::kINT8:
    case DataType::kUINT8:
    case DataType::kBOOL:
    case DataType::kFP8:
    case DataType::kE8M0: return 8;
    case DataType::kINT4:
    case DataType::kFP4: return 4;
    }
    fail(ErrorKind::kInvalidArgument, "[dtype] unknown element type {}. Use a DataType member.",
         static_cast<int32_t>(type));
}

std::size_t bytesFor(DataType type, int64_t count) {
    if (count < 0) {
        fail(ErrorKind::kInvalidArgument, "[size] expected a count of 0 or more, got {}.", count);
    }
    int64_t const bits = checkedMul<int64_t>(count, bitsOf(type), "bits of a tensor");
    return static_cast<std::size_t>(bits / 8 + (bits % 8 != 0 ? 1 : 0));
}

bool isFloating(DataType type) noexcept {
    return type == DataType::kFLOAT || type == DataType::kHALF || type == DataType::kBF16;
}

} // namespace kiln
