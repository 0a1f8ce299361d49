// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "target/backend.h"
#include "target/kernel_registry.h"

/// The kernels that use oneDNN. The only header of this folder that others include: a build without
/// oneDNN has it, too, with absent.cpp in place of the other sources.
namespace kiln::targets::cpu::onednn {

/// For Backend::libraries().
target::LibraryStatus status();

/// Adds oneDNN's kernel for an op: Convolution, MatrixMultiply, or Region with one of these as its
/// first node and pointwise ops behind it. Nothing in a build without oneDNN.
void addKernel(target::KernelRegistry& registry, std::string_view op, std::string_view name);

} // namespace kiln::targets::cpu::onednn
