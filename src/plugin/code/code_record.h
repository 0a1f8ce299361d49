// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Ahead-of-time compiled code of a plugin, as stored in the plan.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/code_kind.h"
#include "graph/expr.h"

namespace kiln::plugin {

/// One form of a kernel.
struct CodeImage {
    CodeKind kind = CodeKind::kPtx;
    std::string architecture; ///< that the code itself names: "sm_90", "x86-64"
    int32_t ptxVersion = 0;   ///< of PTX, 10 * major + minor: 90 is 9.0; else 0
    Bytes bytes;

    bool operator==(CodeImage const&) const = default;
};

/// A scalar argument: an expression over extents for integer types, a number for the others.
struct CodeScalar {
    ScalarType type = ScalarType::kInt32;
    graph::ExprRef value = -1; ///< integer types
    double real = 0.0;         ///< floating-point types

    bool operator==(CodeScalar const&) const = default;
};

/// One launch. On cuda, the arguments are the inputs, the scalars, the outputs, and `nullPointers`
/// null pointers.
struct AotKernel {
    std::string entry;
    std::array<graph::ExprRef, 3> grid{-1, -1, -1};
    std::array<graph::ExprRef, 3> block{-1, -1, -1};
    graph::ExprRef sharedBytes = -1;
    std::vector<CodeScalar> scalars;
    int32_t nullPointers = 0;      ///< trailing scratch pointers of size 0 (Triton)
    std::vector<CodeImage> images; ///< a cubin comes before PTX

    bool operator==(AotKernel const&) const = default;
};

/// Calls visit(reference, name) for each expression of a launch. It may change the reference.
template <typename Kernel, typename Visit>
void forEachExpression(Kernel& kernel, Visit visit) {
    constexpr std::array<std::string_view, 3> kGrid{"grid_x", "grid_y", "grid_z"};
    constexpr std::array<std::string_view, 3> kBlock{"block_x", "block_y", "block_z"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        visit(kernel.grid[axis], kGrid[axis]);
        visit(kernel.block[axis], kBlock[axis]);
    }
    visit(kernel.sharedBytes, std::string_view("shared_mem"));
    for (auto& scalar : kernel.scalars) {
        if (!isReal(scalar.type)) {
            visit(scalar.value, std::string_view("extra argument"));
        }
    }
}

/// A plugin's code for one architecture: kernels in launch order.
struct AotVariant {
    std::string target;       ///< "cpu", "cuda"
    std::string architecture; ///< that was requested: "sm_90", "x86-64"
    std::vector<AotKernel> kernels;

    bool operator==(AotVariant const&) const = default;
};

} // namespace kiln::plugin
