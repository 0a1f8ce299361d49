// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/kernel_source.h"

#include <fmt/core.h>

namespace kiln::targets::cuda {

char const* kernelTypeName(DataType type) {
    switch (type) {
    case DataType::kFLOAT: return "float";
    case DataType::kHALF: return "half_t";
    case DataType::kBF16: return "bfloat16_t";
    case DataType::kINT8: return "int8_t";
    case DataType::kINT32: return "int32_t";
    case DataType::kINT64: return "int64_t";
    case DataType::kUINT8: return "uint8_t";
    case DataType::kBOOL: return "bool_t";
    case DataType::kFP8: return "fp8_t";
    case DataType::kE8M0: return "e8m0_t";
    case DataType::kINT4: return "int4_t";
    case DataType::kFP4: return "fp4_t";
    default: break;
    }
    fail(ErrorKind::kUnsupported, "[cuda] kernels compute with no {}. Cast it first.",
         nameOf(type));
}

std::string refuseSubByte(DataType type) {
    return bitsOf(type) % 8 == 0
               ? std::string()
               : fmt::format("expected elements of whole bytes, got {}", nameOf(type));
}

char const* moverTypeName(DataType type) {
    switch (bitsOf(type)) {
    case 8: return "uint8_t";
    case 16: return "uint16_t";
    case 32: return "uint32_t";
    case 64: return "uint64_t";
    default: break;
    }
    fail(ErrorKind::kUnsupported, "[cuda] expected elements of whole bytes, got {}.", nameOf(type));
}

SourceText sourceOf(std::string_view stem,
                    std::vector<std::pair<std::string, std::string>> defines) {
    std::string const name = fmt::format("{}.cuh", stem);
    return {name, kernelText(name), std::move(defines)};
}

} // namespace kiln::targets::cuda
