// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backends/cuda/code_archive.h"
#include "backends/cuda/kernel_texts.h"
#include "base/dims.h"
#include "base/dtype.h"

namespace kiln::backends::cuda {

/// A type's name in kernels/prelude.cuh: "float", "half_t". Throws kUnsupported for types smaller
/// than a byte.
char const* kernelTypeName(DataType type);

/// "int4" and the like for a reason of refusal, empty for types of whole bytes.
std::string refuseSubByte(DataType type);

/// "uint32_t" and the like: an unsigned integer as wide as the type, for kernels that only move.
char const* moverTypeName(DataType type);

/// The file "<stem>.cuh" of kernels/, to be compiled with these macros.
SourceText sourceOf(std::string_view stem,
                    std::vector<std::pair<std::string, std::string>> defines);

/// Whether indices and byte offsets of tensors of so many bytes fit 32 bits.
constexpr bool fitsInt32(int64_t bytes) noexcept {
    return bytes <= INT32_MAX;
}

} // namespace kiln::backends::cuda
