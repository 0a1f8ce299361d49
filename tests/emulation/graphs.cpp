// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs that captures made. A launch repeats the works in the order of their calls.
#include "emulation/streams.h"

namespace kiln::emulation {
namespace {

using Handle = std::shared_ptr<Graph>;

} // namespace

KILN_EMULATED CUresult cuGraphInstantiateWithFlags(void** executable, void* graph,
                                                   unsigned long long) {
    Call const call(__func__);
    *executable = call.refused() ? nullptr : new Handle(*static_cast<Handle*>(graph));
    return call.result();
}

KILN_EMULATED CUresult cuGraphLaunch(void* executable, CUstream handle) {
    Call const call(__func__);
    Stream* const stream = streamOf(handle);
    if (call.refused() || stream == nullptr) {
        return call.refused() ? call.result() : kInvalidHandle;
    }
    return enqueue(*stream, [graph = *static_cast<Handle*>(executable)] {
        for (Work const& work : graph->works) {
            if (lostWith() == CUDA_SUCCESS) {
                work();
            }
        }
    });
}

KILN_EMULATED CUresult cuGraphDestroy(void* graph) {
    Call const call(__func__, Call::Needs::kNothing);
    delete static_cast<Handle*>(graph);
    return call.result();
}

KILN_EMULATED CUresult cuGraphExecDestroy(void* executable) {
    Call const call(__func__, Call::Needs::kNothing);
    delete static_cast<Handle*>(executable);
    return call.result();
}

} // namespace kiln::emulation
