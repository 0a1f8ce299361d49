// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// shape: writes the extents of the input as int64. They are known before the launch; the input is
// not read.
#include "graph/ops/shape.h"

#include <algorithm>

#include "targets/cpu/op_kernel.h"

namespace kiln::targets::cpu {
namespace {

struct ShapeReference {
    using Op = graph::Shape;
    struct State {
        Dims dims{};
    };

    static target::KernelFunction prepare(Op const&, Workload const& workload, State& state) {
        state.dims = workload.inputs[0];
        return launchOf<&run>;
    }

private:
    static void run(State const& state, KernelCall const& call) {
        std::copy_n(state.dims.d, state.dims.nbDims, static_cast<int64_t*>(call.outputs[0]));
    }
};

} // namespace

void registerKernel_shape(KernelRegistry& registry) {
    registry.add(entryOf<ShapeReference>("shape_reference"));
}

} // namespace kiln::targets::cpu
