// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace kiln::backends::cuda {

/// A file of kernels/, as this library carries it.
struct KernelText {
    char const* name; ///< "slice.cuh"
    char const* text;
};

/// All of them: what kernels may include.
std::span<KernelText const> kernelTexts();

/// The text of one; it must exist.
char const* kernelText(std::string_view name);

} // namespace kiln::backends::cuda
