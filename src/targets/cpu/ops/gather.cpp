// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// gather: copies the parts of the data that the indices select. kDEFAULT: data [shared, outer,
// axis, inner], indices [shared, count], output [shared, outer, count, inner]. kND: data [shared,
// axes..., inner], indices [shared, count, axes], output [shared, count, inner]. kELEMENT: element
// by element. Negative indices count from the end; an index outside its axis gives zeros. Any type
// of whole bytes; int32 and int64 indices. Threads share the copied parts.
#include "graph/ops/gather.h"

#include "targets/cpu/copy.h"
#include "targets/cpu/isa.h"

namespace kiln::targets::cpu {
namespace {

using nvinfer1::GatherMode;

int64_t product(Dims const& dims, int32_t begin, int32_t end) {
    int64_t result = 1;
    for (int32_t i = begin; i < end; ++i) {
        result *= dims.d[i];
    }
    return result;
}

void copyOrClear(std::byte* to, std::byte const* from, int64_t bytes) {
    if (bytes == 0) {
        return; // the pointers of empty tensors may be null
    }
    if (from != nullptr) {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
    } else {
        std::memset(to, 0, static_cast<std::size_t>(bytes));
    }
}

struct GatherReference {
    using Op = graph::Gather;
    struct State {
        DataType indexType = DataType::kINT32;
        int64_t shared = 1;
        int64_t outer = 1;
        int64_t count = 1;       ///< indices or index tuples per shared part
        int64_t innerBytes = 1;  ///< copied per index or tuple
        int64_t sharedBytes = 0; ///< of the data, per shared part
        /// Axes that an index or a tuple selects from: their number, extents and strides in bytes.
        int32_t tuple = 1;
        std::array<int64_t, Dims::MAX_DIMS> extents{};
        std::array<int64_t, Dims::MAX_DIMS> steps{};
        Nest<1> elements; ///< for kELEMENT: offset in the data, without the gathered axis
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseSubByte(node, 0); }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        Dims const& data = workload.inputs[0];
        Dims const& indices = workload.inputs[1];
        int64_t const bytes = elementBytes(workload.type());
        state = {};
        state.indexType = workload.inputTypes[1].type;
        if (op.mode == GatherMode::kELEMENT) {
            prepareElements(op, data, indices, bytes, state);
            return dispatchWidth(workload.type(), "gather", [&](auto word) {
                using Word = decltype(word);
                return state.indexType == DataType::kINT32 ? launchOf<&runElements<Word, int32_t>>
                                                           : launchOf<&runElements<Word, int64_t>>;
            });
        }
        int32_t const shared = op.sharedAxes;
        bool const tuples = op.mode == GatherMode::kND;
        state.tuple = tuples ? static_cast<int32_t>(indices.d[indices.nbDims - 1]) : 1;
        int32_t const first = tuples ? shared : op.axis;
        int32_t const inner = first + state.tuple;
        state.shared = product(data, 0, shared);
        state.outer = product(data, shared, first);
        state.count = product(indices, shared, indices.nbDims - (tuples ? 1 : 0));
        state.innerBytes = bytes * product(data, inner, data.nbDims);
        state.sharedBytes = bytes * product(data, shared, data.nbDims);
        for (int32_t i = first; i < inner; ++i) {
            auto const at = static_cast<std::size_t>(i - first);
            state.extents[at] = data.d[i];
            state.steps[at] = bytes * product(data, i + 1, data.nbDims);
        }
        return launchOf<&run>;
    }

private:
    static void prepareElements(Op const& op, Dims const& data, Dims const& indices, int64_t bytes,
                                State& state) {
        auto const strides = denseStrides(data);
        for (int32_t i = 0; i < indices.nbDims; ++i) {
            int64_t const stride = i == op.axis ? 0 : strides[static_cast<std::size_t>(i)];
            state.elements.add(indices.d[i], {stride * bytes});
        }
        state.extents[0] = data.d[op.axis];
        state.steps[0] = strides[static_cast<std::size_t>(op.axis)] * bytes;
        state.innerBytes = bytes;
    }

    /// The address that an index or a tuple selects, starting at `from`; null if outside the data.
    static std::byte const* find(State const& state, void const* indices, int64_t first,
                                 std::byte const* from) {
        for (int32_t i = 0; i < state.tuple; ++i) {
            auto const at = static_cast<std::size_t>(i);
            int64_t const index = graph::wrappedIndex(
                integerAt(indices, state.indexType, first + i), state.extents[at]);
            if (index < 0) {
                return nullptr;
            }
            from += index * state.steps[at];
        }
        return from;
    }

    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<std::byte const*>(call.inputs[0]);
        auto* to = static_cast<std::byte*>(call.outputs[0]);
        int64_t const outerBytes = state.extents[0] * state.steps[0];
        parallelFor(state.shared * state.outer * state.count, grainFor(1 + state.innerBytes / 4),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) {
                            int64_t const row = i / state.count;
                            int64_t const part = row / state.outer;
                            std::byte const* source =
                                from + part * state.sharedBytes + row % state.outer * outerBytes;
                            int64_t const index = part * state.count + i % state.count;
                            copyOrClear(to + i * state.innerBytes,
                                        find(state, call.inputs[1], index * state.tuple, source),
                                        state.innerBytes);
                        }
                    });
    }

    /// kELEMENT: row after row, so that the offset in the data only grows by a step.
    template <typename Word, typename Index>
    static void runElements(State const& state, KernelCall const& call) {
        auto const* from = static_cast<std::byte const*>(call.inputs[0]);
        auto const* indices = static_cast<Index const*>(call.inputs[1]);
        auto* to = static_cast<Word*>(call.outputs[0]);
        int64_t const width = state.elements.inner();
        int64_t const step = state.elements.innerStride(0);
        parallelFor(state.elements.count(), grainFor(1), [&](int64_t begin, int64_t end) {
            while (begin < end) {
                int64_t const row = begin / width;
                int64_t const stop = std::min(end, (row + 1) * width);
                std::byte const* source =
                    from + state.elements.atRow(row)[0] + begin % width * step;
                gatherRow(state, source, step, indices + begin, to + begin, stop - begin);
                begin = stop;
            }
        });
    }

    template <typename Word, typename Index>
    static void gatherRow(State const& state, std::byte const* from, int64_t step,
                          Index const* indices, Word* to, int64_t count) {
        constexpr auto kBytes = static_cast<int64_t>(sizeof(Word));
        if constexpr (kBytes == 4) {
            GatherRow const row{reinterpret_cast<uint32_t const*>(from), step / kBytes,
                                state.steps[0] / kBytes, state.extents[0]};
            isa().gather32[sizeof(Index) == 4 ? 0 : 1](row, indices, to, count);
            return;
        }
        for (int64_t i = 0; i < count; ++i, from += step) {
            int64_t const index = graph::wrappedIndex(indices[i], state.extents[0]);
            Word word{};
            if (index >= 0) {
                std::memcpy(&word, from + index * state.steps[0], sizeof(Word));
            }
            to[i] = word;
        }
    }
};

} // namespace

void registerKernel_gather(KernelRegistry& registry) {
    registry.add(entryOf<GatherReference>("gather_reference"));
}

} // namespace kiln::targets::cpu
