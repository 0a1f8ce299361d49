// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/check_aot.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "plugin/code/check_kernel.h"

namespace kiln::plugin {
namespace {

/// Adds the numbers of the size tensors that an expression uses.
void addSizes(graph::ExprPool const& pool, graph::ExprRef ref, std::set<int32_t>& sizes) {
    // Operands precede their users, so one backward pass marks everything that `ref` uses.
    std::vector<bool> needed(static_cast<std::size_t>(ref) + 1, false);
    needed.back() = true;
    for (graph::ExprRef at = ref; at >= 0; --at) {
        graph::ExprNode const& node = pool.node(at);
        if (!needed[static_cast<std::size_t>(at)]) {
            continue;
        }
        if (node.op == graph::ExprOp::kSizeTensor) {
            sizes.insert(node.a);
        }
        if (node.op >= graph::ExprOp::kSum) {
            needed[static_cast<std::size_t>(node.a)] = true;
            needed[static_cast<std::size_t>(node.b)] = true;
        }
    }
}

/// Launch parameters and arguments are computed before the op runs. Size tensors in the shapes of
/// its inputs are known by then; its own size tensors are not.
void checkKnown(AotKernel const& kernel, CodeTarget const& wanted, graph::ExprPool const& pool) {
    std::set<int32_t> known;
    for (graph::ShapeExpr const& shape : wanted.shapes) {
        for (int32_t axis = 0; axis < shape.rank; ++axis) {
            addSizes(pool, shape[axis], known);
        }
    }
    forEachExpression(kernel, [&](graph::ExprRef ref, std::string_view what) {
        std::set<int32_t> used;
        if (ref >= 0) {
            addSizes(pool, ref, used);
        }
        if (!std::includes(known.begin(), known.end(), used.begin(), used.end())) {
            fail(ErrorKind::kInvalidArgument,
                 "kernel '{}', {}: expected an expression of the inputs' shapes, got the size "
                 "tensor of an output, which is known only after the kernel ran. Use its upper "
                 "bound.",
                 kernel.entry, what);
        }
    });
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
        checkKnown(kernel, wanted, pool);
    }
}

} // namespace kiln::plugin
