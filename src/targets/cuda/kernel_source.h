// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/dims.h"
#include "base/dtype.h"
#include "targets/cuda/code_archive.h"
#include "targets/cuda/kernel_texts.h"

namespace kiln::targets::cuda {

/// A type's name in kernels/prelude.cuh: "float", "half_t". Throws kUnsupported for types that
/// kernels do not compute with.
char const* kernelTypeName(DataType type);

/// "expected elements of whole bytes, got int4"; empty for types of whole bytes.
std::string refuseSubByte(DataType type);

/// An unsigned integer as wide as the type ("uint32_t"), for kernels that only move data.
char const* moverTypeName(DataType type);

/// The source "<stem>.cuh" of kernels/, to be compiled with these macros.
SourceText sourceOf(std::string_view stem,
                    std::vector<std::pair<std::string, std::string>> defines);

/// Whether the indices and byte offsets of a tensor of this size fit 32 bits.
constexpr bool fitsInt32(int64_t bytes) noexcept {
    return bytes <= INT32_MAX;
}

} // namespace kiln::targets::cuda
