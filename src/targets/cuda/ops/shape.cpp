// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// shape: writes the extents of the input as int64. They are known before the launch; the input is
// not read.
#include "graph/ops/shape.h"

#include <algorithm>

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct ShapeExtents {
    using Op = graph::Shape;
    struct Arguments {
        int64_t extents[Dims::MAX_DIMS] = {};
        int32_t rank = 0;
    };

    static SourceText source(Op const&, NodeSpec const&) { return sourceOf("shape", {}); }

    static std::vector<GridLaunch> prepare(Op const&, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& dims = workload.inputs[0];
        std::copy_n(dims.d, dims.nbDims, arguments.extents);
        arguments.rank = dims.nbDims;
        return {launchOver("shape", dims.nbDims, 32)};
    }
};

} // namespace

void registerKernel_shape(KernelRegistry& registry) {
    registry.add(entryOf<ShapeExtents>("shape_extents"));
}

} // namespace kiln::targets::cuda
