// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs made by captures. A launch repeats their work in the order of the calls.
#include "emulation/streams.h"

namespace kiln::emulation {
namespace {

using Handle = std::shared_ptr<Graph>;

template <typename T>
Handle* handleOf(T* graph) {
    return reinterpret_cast<Handle*>(graph);
}

} // namespace

KILN_EMULATED CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph,
                                                   unsigned long long) {
    Call const call(__func__);
    if (!call.refused()) {
        *executable = reinterpret_cast<CUgraphExec>(new Handle(*handleOf(graph)));
    }
    return call.result();
}

KILN_EMULATED CUresult cuGraphLaunch(CUgraphExec executable, CUstream handle) {
    Call const call(__func__);
    Stream* const stream = streamOf(handle);
    if (call.refused() || stream == nullptr) {
        return call.refused() ? call.result() : kInvalidHandle;
    }
    return enqueue(*stream, [graph = *handleOf(executable)] {
        for (Work const& work : graph->works) {
            if (lostWith() == CUDA_SUCCESS) {
                work();
            }
        }
    });
}

KILN_EMULATED CUresult cuGraphDestroy(CUgraph graph) {
    Call const call(__func__, Call::Needs::kNothing);
    delete handleOf(graph);
    return call.result();
}

KILN_EMULATED CUresult cuGraphExecDestroy(CUgraphExec executable) {
    Call const call(__func__, Call::Needs::kNothing);
    delete handleOf(executable);
    return call.result();
}

} // namespace kiln::emulation
