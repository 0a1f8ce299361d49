// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cpu/kernel_fixture.h"

namespace kiln::test {

/// Skips the test, with the reason, where there is no GPU.
#define KILN_NEEDS_GPU()                                                                           \
    if (!backends::cuda::deviceProblem().empty()) {                                                \
        GTEST_SKIP() << backends::cuda::deviceProblem();                                           \
    }                                                                                              \
    static_assert(true)

/// Runs every kernel that the cuda target offers for the op and these shapes, each compiled and
/// loaded as a plan would have it: on a stream, then once more as a graph that a stream recorded.
/// Both must give the same bytes, and write nothing behind output and workspace. All operands begin
/// `offset` elements behind a multiple of 256 bytes.
std::vector<KernelRun> runAllOnGpu(graph::Op const& op, std::vector<Values> const& inputs,
                                   int64_t offset = 0);

/// What a kernel says that fails to start on operands `offset` elements behind such a multiple;
/// empty if it does not fail, or is not offered.
std::string failureOf(std::string const& kernel, graph::Op const& op,
                      std::vector<Values> const& inputs, int64_t offset);

/// The same of one that can not prepare for some shapes, which need no memory.
std::string refusalOf(std::string const& kernel, graph::Op const& op,
                      std::vector<Values> const& inputs);

/// Runs them and compares each with the cpu's reference, to within absolute + relative * |value|.
/// Returns the names of the kernels that ran.
std::vector<std::string> expectLikeCpu(graph::Op const& op, std::vector<Values> const& inputs,
                                       Tolerance tolerance, int64_t offset = 0);

} // namespace kiln::test
