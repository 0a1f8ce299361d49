// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {

/// Skips the test if there is no GPU, and gives the reason.
#define KILN_NEEDS_GPU()                                                                           \
    if (!targets::cuda::gpuProblem().empty()) {                                                    \
        GTEST_SKIP() << targets::cuda::gpuProblem();                                               \
    }                                                                                              \
    static_assert(true)

/// Runs every kernel that the cuda target offers for the op and these shapes, each compiled and
/// loaded as from a plan: on a stream, then in a graph captured from a stream. Both runs must give
/// the same bytes and leave the guard bytes after output and workspace unchanged. All operands
/// begin `offset` elements after a multiple of 256 bytes. Operands of four axes that are no
/// constants have the memory format. Kernels whose compilation a library refuses are left out.
std::vector<KernelRun> runAllOnGpu(graph::Op const& op, std::vector<Values> const& inputs,
                                   int64_t offset = 0, TensorFormat format = TensorFormat::kLINEAR);

/// Launches a kernel on inputs `offset` elements after such a multiple. Returns its failure text;
/// empty if it succeeds or is not offered.
std::string failureOf(std::string const& kernel, graph::Op const& op,
                      std::vector<Values> const& inputs, int64_t offset);

/// Returns the error of a kernel's reshape() for these shapes, without memory for the operands;
/// empty if there is none.
std::string refusalOf(std::string const& kernel, graph::Op const& op,
                      std::vector<Values> const& inputs);

/// Runs all kernels like runAllOnGpu() and compares each with the cpu's reference, to within
/// absolute + relative * |value|. Returns the names of the kernels that ran.
std::vector<std::string> expectLikeCpu(graph::Op const& op, std::vector<Values> const& inputs,
                                       Tolerance tolerance, int64_t offset = 0,
                                       TensorFormat format = TensorFormat::kLINEAR);

/// The same for values that the test knows, in row-major order.
std::vector<std::string> expectValues(graph::Op const& op, std::vector<Values> const& inputs,
                                      std::vector<double> const& want, Tolerance tolerance,
                                      int64_t offset = 0,
                                      TensorFormat format = TensorFormat::kLINEAR);

} // namespace kiln::test
