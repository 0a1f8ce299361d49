// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// top-k: the best k elements of each lane of a row-major tensor [outer, extent, inner], best first,
// and their indices. A lane is read once: an element is kept if it is above the worst of the best k
// so far. With inner > 1, neighbouring lanes are first copied to rows. Threads share the lanes; of
// a few long lanes, each takes a part, and the best of the parts are then joined.
#include "graph/ops/topk.h"

#include "targets/cpu/copy.h"
#include "targets/cpu/ranking.h"

namespace kiln::targets::cpu {
namespace {

using graph::TopK;

constexpr int64_t kColumns = 16;        ///< lanes that are copied to rows at once
constexpr int64_t kMostChunks = 64;     ///< pieces of work, each with a buffer
constexpr int64_t kMostParts = 16;      ///< of all lanes together
constexpr int64_t kLeastPart = 1 << 13; ///< elements of a lane that are worth a thread

struct Shape {
    int64_t outer = 1;
    int64_t extent = 1;
    int64_t inner = 1;
    int64_t k = 0;
    int64_t parts = 1;  ///< of each lane; above 1 only with inner == 1
    int64_t chunks = 1; ///< of groups of lanes
    int64_t groups = 0; ///< rows, or sets of kColumns columns
    bool isLong = false;
    bool least = false;
    bool wideIndex = false;
};

int64_t roundedUp(int64_t bytes) {
    return (bytes + 63) / 64 * 64;
}

int64_t ceilDiv(int64_t a, int64_t b) {
    return a / b + (a % b != 0);
}

Shape shapeOf(TopK const& op, Workload const& workload) {
    Dims const& dims = workload.inputs[0];
    Shape shape;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        (i < op.axis() ? shape.outer : i == op.axis() ? shape.extent : shape.inner) *= dims.d[i];
    }
    shape.k = workload.outputs[0].d[op.axis()];
    shape.isLong = bitsOf(workload.type()) == 64 || shape.extent >= ShortEntry::kMostIndices;
    shape.least = op.operation == nvinfer1::TopKOperation::kMIN;
    shape.wideIndex = op.indexType == DataType::kINT64;
    shape.groups = shape.outer * ceilDiv(shape.inner, kColumns);
    if (shape.inner == 1) {
        shape.groups = shape.outer;
        int64_t const threads = std::min<int64_t>(threadCount(), kMostParts);
        int64_t const most = std::min({shape.extent / kLeastPart, shape.extent / 4 / (shape.k + 1),
                                       threads / std::max<int64_t>(shape.outer, 1)});
        shape.parts = std::max(most, int64_t{1});
    }
    shape.chunks = std::min(shape.groups, kMostChunks);
    return shape;
}

/// Elements from one row of copied columns to the next: not a power of two, whose lines would share
/// the places of a cache.
int64_t pitchOf(Shape const& shape) {
    return shape.extent + 64;
}

/// Entries of the buffer of one chunk or part.
int64_t entriesOf(Shape const& shape) {
    return BestElements<float, ShortEntry>::capacity(shape.k, shape.extent);
}

/// Bytes of one chunk or part: entries, then rows that columns are copied to.
int64_t bufferBytes(Shape const& shape, DataType type) {
    int64_t const entry = shape.isLong ? sizeof(LongEntry) : sizeof(ShortEntry);
    int64_t const rows =
        shape.inner == 1 ? 0
                         : std::min(shape.inner, kColumns) * pitchOf(shape) * elementBytes(type);
    return roundedUp(entriesOf(shape) * entry) + roundedUp(rows);
}

template <typename T, typename Entry>
struct Lanes {
    using Best = BestElements<T, Entry>;

    Shape const& shape;
    KernelCall const& call;

    Best bestIn(Entry* buffer) const {
        using Key = typename Entry::Key;
        return Best(buffer, shape.k, shape.extent, shape.least ? Key{-1} : Key{0});
    }

    Entry* buffer(int64_t number) const {
        auto* const all = static_cast<std::byte*>(call.workspace);
        DataType const narrow = sizeof(T) == 1   ? DataType::kINT8
                                : sizeof(T) == 2 ? DataType::kHALF
                                : sizeof(T) == 4 ? DataType::kFLOAT
                                                 : DataType::kINT64;
        return reinterpret_cast<Entry*>(all + number * bufferBytes(shape, narrow));
    }

    /// Writes the values and indices of a lane in order.
    void write(Entry const* best, T const* row, int64_t outer, int64_t column) const {
        int64_t at = outer * shape.k * shape.inner + column;
        auto* const values = static_cast<T*>(call.outputs[0]);
        for (int64_t i = 0; i < shape.k; ++i, at += shape.inner) {
            int64_t const index = best[i].index();
            values[at] = row[index];
            if (shape.wideIndex) {
                static_cast<int64_t*>(call.outputs[1])[at] = index;
            } else {
                static_cast<int32_t*>(call.outputs[1])[at] = static_cast<int32_t>(index);
            }
        }
    }

    void runRow(int64_t row, Entry* entries) const {
        T const* const from = static_cast<T const*>(call.inputs[0]) + row * shape.extent;
        Best best = bestIn(entries);
        best.select(from, 0, shape.extent);
        best.sort();
        write(entries, from, row, 0);
    }

    void runColumns(int64_t group, Entry* entries) const {
        int64_t const groups = ceilDiv(shape.inner, kColumns);
        int64_t const outer = group / groups;
        int64_t const first = group % groups * kColumns;
        int64_t const width = std::min(kColumns, shape.inner - first);
        int64_t const pitch = pitchOf(shape);
        int64_t const entryBytes = entriesOf(shape) * static_cast<int64_t>(sizeof(Entry));
        auto* const rows =
            reinterpret_cast<T*>(reinterpret_cast<std::byte*>(entries) + roundedUp(entryBytes));
        T const* from =
            static_cast<T const*>(call.inputs[0]) + outer * shape.extent * shape.inner + first;
        for (int64_t i = 0; i < shape.extent; ++i, from += shape.inner) {
            for (int64_t column = 0; column < width; ++column) {
                rows[column * pitch + i] = from[column];
            }
        }
        for (int64_t column = 0; column < width; ++column) {
            Best best = bestIn(entries);
            best.select(rows + column * pitch, 0, shape.extent);
            best.sort();
            write(entries, rows + column * pitch, outer, first + column);
        }
    }

    void runAll() const {
        int64_t const perChunk = shape.extent * (shape.inner == 1 ? 1 : 2 * kColumns) *
                                 ceilDiv(shape.groups, std::max<int64_t>(shape.chunks, 1));
        parallelFor(shape.chunks, grainFor(perChunk), [&](int64_t begin, int64_t end) {
            for (int64_t chunk = begin; chunk < end; ++chunk) {
                int64_t const last = (chunk + 1) * shape.groups / shape.chunks;
                for (int64_t i = chunk * shape.groups / shape.chunks; i < last; ++i) {
                    shape.inner == 1 ? runRow(i, buffer(chunk)) : runColumns(i, buffer(chunk));
                }
            }
        });
    }

    void runParts() const {
        parallelFor(shape.outer * shape.parts, 1, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                int64_t const part = i % shape.parts;
                T const* const row =
                    static_cast<T const*>(call.inputs[0]) + i / shape.parts * shape.extent;
                bestIn(buffer(i)).select(row, part * shape.extent / shape.parts,
                                         (part + 1) * shape.extent / shape.parts);
            }
        });
        for (int64_t row = 0; row < shape.outer; ++row) {
            // A part has room for the best of two, and at least k elements.
            Entry* const best = buffer(row * shape.parts);
            for (int64_t part = 1; part < shape.parts; ++part) {
                std::copy_n(buffer(row * shape.parts + part), shape.k, best + shape.k);
                std::nth_element(best, best + shape.k - 1, best + 2 * shape.k, Better{});
            }
            std::sort(best, best + shape.k, Better{});
            write(best, static_cast<T const*>(call.inputs[0]) + row * shape.extent, row, 0);
        }
    }
};

struct TopKReference {
    using Op = TopK;
    using State = Shape;

    static double estimate(Op const&, NodeSpec const& node) {
        return target::bytesMoved(node) * 2e-10;
    }

    static std::size_t workspaceBytes(Op const& op, Workload const& workload) {
        Shape const shape = shapeOf(op, workload);
        // Smaller shapes may be split into parts: into kMostParts at most.
        bool const mayPart = shape.extent >= 2 * kLeastPart;
        int64_t const buffers = std::max(shape.chunks, mayPart ? kMostParts : 0);
        return static_cast<std::size_t>(buffers * bufferBytes(shape, workload.type()));
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = shapeOf(op, workload);
        switch (workload.type()) {
        case DataType::kINT64: return launchOf<&run<int64_t, LongEntry>>;
        case DataType::kBF16: return functionFor<BFloat16>(state);
        default: break;
        }
        return dispatchType(workload.type(), "top-k", [&](auto value) -> target::KernelFunction {
            using T = decltype(value);
            if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, bool>) {
                fail(ErrorKind::kInternal,
                     "[top-k] no kernel for elements of {}. Report this as a defect of Kiln.",
                     nameOf(workload.type()));
            } else {
                return functionFor<T>(state);
            }
        });
    }

private:
    template <typename T>
    static target::KernelFunction functionFor(State const& state) {
        return state.isLong ? launchOf<&run<T, LongEntry>> : launchOf<&run<T, ShortEntry>>;
    }

    template <typename T, typename Entry>
    static void run(State const& state, KernelCall const& call) {
        if (state.k == 0 || state.groups == 0) {
            return;
        }
        Lanes<T, Entry> const lanes{state, call};
        state.parts > 1 ? lanes.runParts() : lanes.runAll();
    }
};

} // namespace

void registerKernel_topk(KernelRegistry& registry) {
    registry.add(entryOf<TopKReference>("topk_reference"));
}

} // namespace kiln::targets::cpu
