// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/check_aot.h"

#include <algorithm>

#include "base/error.h"
#include "plugin/code/check_kernel.h"

namespace kiln::plugin {
namespace {

constexpr char const* kLaunchNames[] = {"grid_x",  "grid_y",  "grid_z",    "block_x",
                                        "block_y", "block_z", "shared_mem"};

bool needsSize(graph::ExprPool const& pool, graph::ExprRef ref) {
    // Operands come before their users: one pass downwards marks all that `ref` is made of.
    std::vector<bool> needed(static_cast<std::size_t>(ref) + 1, false);
    needed.back() = true;
    for (graph::ExprRef at = ref; at >= 0; --at) {
        graph::ExprNode const& node = pool.node(at);
        if (!needed[static_cast<std::size_t>(at)]) {
            continue;
        }
        if (node.op == graph::ExprOp::kSizeTensor) {
            return true;
        }
        if (node.op >= graph::ExprOp::kSum) {
            needed[static_cast<std::size_t>(node.a)] = true;
            needed[static_cast<std::size_t>(node.b)] = true;
        }
    }
    return false;
}

/// Launch parameters and arguments are worked out before the op runs: a size that the op itself
/// finds out is not known then.
void checkKnown(AotKernel const& kernel, graph::ExprPool const& pool, graph::ExprRef ref,
                std::string const& what) {
    if (ref >= 0 && needsSize(pool, ref)) {
        fail(
            ErrorKind::kInvalidArgument,
            "kernel '{}', {}: expected an expression of the inputs' shapes, got the size tensor of "
            "an output, which is known only after the kernel ran. Use its upper bound.",
            kernel.entry, what);
    }
}

void checkExpressions(AotKernel const& kernel, graph::ExprPool const& pool) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        checkKnown(kernel, pool, kernel.grid[axis], kLaunchNames[axis]);
        checkKnown(kernel, pool, kernel.block[axis], kLaunchNames[3 + axis]);
    }
    checkKnown(kernel, pool, kernel.sharedBytes, kLaunchNames[6]);
    for (std::size_t i = 0; i < kernel.scalars.size(); ++i) {
        if (!isReal(kernel.scalars[i].type)) {
            checkKnown(kernel, pool, kernel.scalars[i].value, fmt::format("extra argument {}", i));
        }
    }
}

/// The numbers of a launch that are known when the engine is built; the others when shapes are.
void checkConstants(AotKernel const& kernel, graph::ExprPool const& pool) {
    std::array<int64_t, 3> grid{};
    std::array<int64_t, 3> block{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        grid[axis] = pool.constantOr(kernel.grid[axis], 1);
        block[axis] = pool.constantOr(kernel.block[axis], 1);
    }
    try {
        checkLaunch(grid, block, pool.constantOr(kernel.sharedBytes, 0));
    } catch (Error const& error) {
        fail(error.kind(), "kernel '{}', {}", kernel.entry, error.what());
    }
}

} // namespace

void checkAot(std::vector<AotKernel>& kernels, CodeTarget const& wanted,
              graph::ExprPool const& pool) {
    if (kernels.empty()) {
        fail(ErrorKind::kInvalidArgument,
             "expected at least one kernel for the target {} ({}), got none. Return the code of "
             "this target.",
             wanted.target, wanted.architecture);
    }
    for (AotKernel& kernel : kernels) {
        checkKernel(kernel, {wanted.target, wanted.architecture, wanted.inputs, wanted.outputs});
        checkExpressions(kernel, pool);
        if (wanted.target == "cuda") {
            checkConstants(kernel, pool);
        }
    }
}

} // namespace kiln::plugin
