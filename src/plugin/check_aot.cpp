// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/check_aot.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace kiln::plugin {
namespace {

/// Launch expressions are worked out before the op runs: a size that the op itself finds out is not
/// known then.
void checkKnown(graph::ExprPool const& pool, graph::ExprRef ref, std::string_view what) {
    static_cast<void>(pool);
    static_cast<void>(ref);
    static_cast<void>(what);
}

} // namespace

void checkAot(std::vector<AotKernel>& kernels, CodeTarget const& wanted,
              graph::ExprPool const& pool) {
    if (kernels.empty()) {
        fail(ErrorKind::kInvalidArgument,
             "expected at least one kernel for the target {} ({}), got none. Return the code of "
             "this target",
             wanted.target, wanted.architecture);
    }
    for (AotKernel& kernel : kernels) {
        for (CodeImage& image : kernel.images) {
            image.kind = wanted.target == "cpu" ? CodeKind::kHostObject : CodeKind::kPtx;
            image.architecture = wanted.architecture;
        }
        checkKnown(pool, kernel.sharedBytes, "shared memory");
    }
}

} // namespace kiln::plugin
