// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// non zero: indices of the nonzero elements, [rank, n], and n. Threads count the elements of
// chunks; the sums of the counts are where each chunk writes its indices. Any type of whole bytes.
#include "graph/ops/non_zero.h"

#include <algorithm>
#include <utility>

#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

constexpr int64_t kChunk = 4096;

struct NonZeroReference {
    using Op = graph::NonZero;
    struct State {
        Dims dims{};
        int64_t count = 0;
        uint64_t bits = 0;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseSubByte(node, 0); }

    static double estimate(Op const&, NodeSpec const& node) {
        return target::bytesMoved(node) * 1e-10;
    }

    static std::size_t workspaceBytes(Op const&, Workload const& workload) {
        int64_t const count = volume(workload.inputs[0], "nonzero");
        return sizeof(int64_t) * static_cast<std::size_t>(chunksOf(count));
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = {workload.inputs[0], volume(workload.inputs[0], "nonzero"),
                 Op::significantBits(workload.type())};
        bool const wide = op.indexType == DataType::kINT64;
        return dispatchWidth(workload.type(), "nonzero", [&](auto unit) -> target::KernelFunction {
            using Unit = decltype(unit);
            return wide ? launchOf<&find<Unit, int64_t>> : launchOf<&find<Unit, int32_t>>;
        });
    }

private:
    static int64_t chunksOf(int64_t count) { return count / kChunk + (count % kChunk != 0); }

    template <typename Unit, typename Index>
    static void find(State const& state, KernelCall const& call) {
        auto const* from = static_cast<Unit const*>(call.inputs[0]);
        auto* const to = static_cast<Index*>(call.outputs[0]);
        auto* const firsts = static_cast<int64_t*>(call.workspace);
        auto const bits = static_cast<Unit>(state.bits);
        int64_t const chunks = chunksOf(state.count);
        parallelFor(chunks, 4, [&](int64_t begin, int64_t end) {
            for (int64_t chunk = begin; chunk < end; ++chunk) {
                int64_t const last = std::min((chunk + 1) * kChunk, state.count);
                int64_t found = 0;
                for (int64_t i = chunk * kChunk; i < last; ++i) {
                    found += (from[i] & bits) != 0;
                }
                firsts[chunk] = found;
            }
        });
        int64_t total = 0;
        for (int64_t chunk = 0; chunk < chunks; ++chunk) {
            total += std::exchange(firsts[chunk], total);
        }
        *static_cast<int64_t*>(call.outputs[1]) = total;
        parallelFor(chunks, 4, [&](int64_t begin, int64_t end) {
            for (int64_t chunk = begin; chunk < end; ++chunk) {
                int64_t const last = std::min((chunk + 1) * kChunk, state.count);
                int64_t at = firsts[chunk];
                for (int64_t i = chunk * kChunk; i < last; ++i) {
                    if ((from[i] & bits) != 0) {
                        writeIndex(state.dims, i, to + at++, total);
                    }
                }
            }
        });
    }

    /// The coordinates of element i, `stride` apart.
    template <typename Index>
    static void writeIndex(Dims const& dims, int64_t i, Index* to, int64_t stride) {
        for (int32_t axis = dims.nbDims - 1; axis >= 0; --axis) {
            to[axis * stride] = static_cast<Index>(i % dims.d[axis]);
            i /= dims.d[axis];
        }
    }
};

} // namespace

void registerKernel_non_zero(KernelRegistry& registry) {
    registry.add(entryOf<NonZeroReference>("non_zero_reference"));
}

} // namespace kiln::targets::cpu
