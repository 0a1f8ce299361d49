// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace kiln::targets::cuda {

/// A file of kernels/, embedded in the library.
struct KernelText {
    char const* name; ///< "slice.cuh"
    char const* text;
};

/// All files; kernels may include each of them.
std::span<KernelText const> kernelTexts();

/// The text of one file, which must exist.
char const* kernelText(std::string_view name);

} // namespace kiln::targets::cuda
