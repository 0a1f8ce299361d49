// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// NMS, in three steps. Threads collect the best candidates of each batch item, in parts that are
// then joined and sorted. Threads share the classes of the items: each compares its candidates, in
// the order of their scores, with those selected before. The selected ones are written in order.
#include "graph/ops/nms.h"

#include "targets/cpu/box_overlap.h"
#include "targets/cpu/copy.h"
#include "targets/cpu/ranking.h"

namespace kiln::targets::cpu {
namespace {

using graph::Nms;

constexpr int64_t kMostParts = 16;      ///< of all batch items together
constexpr int64_t kLeastPart = 1 << 15; ///< scores that are worth a thread

struct State {
    Nms::Shape shape;
    Nms op;
    int64_t parts = 1;
    int64_t room = 0; ///< rows of the output
    DataType mostType = DataType::kINT32;
    bool hasOverlap = false;
    bool hasLeastScore = false;
};

/// Entries of a part: room for the best, and for more, so that choosing among them costs little.
int64_t partEntries(Nms::Shape const& shape) {
    return std::min(shape.boxes * shape.classes,
                    std::max(2 * shape.candidates, shape.candidates + 1024));
}

/// The workspace: of all parts, then of all batch items.
struct Work {
    ShortEntry* entries; ///< [batch, parts, partEntries()]
    ShortEntry* best;    ///< [batch, parts, candidates]: the best of all parts, then of the item
    int64_t* counts;     ///< [batch, parts]: entries; then, in part 0, candidates of the item
    int64_t* selected;   ///< [batch]
    int64_t* starts;     ///< [batch, classes + 1]: candidates of a class, in `order`
    int32_t* order;      ///< [batch, candidates], by class
    uint8_t* flags;      ///< [batch, candidates]: whether a candidate is selected
    float* corners;      ///< [batch, candidates, 5]: the selected boxes of each class

    /// Returns the bytes of all.
    static std::size_t place(State const& state, void* memory, Work& work) {
        auto* at = static_cast<std::byte*>(memory);
        int64_t const batch = state.shape.batch;
        int64_t const all = batch * state.shape.candidates;
        auto const next = [&]<typename T>(T*& array, int64_t count) {
            array = reinterpret_cast<T*>(at);
            at += (count * static_cast<int64_t>(sizeof(T)) + 63) / 64 * 64;
        };
        next(work.entries, batch * state.parts * partEntries(state.shape));
        next(work.best, all * state.parts);
        next(work.counts, batch * state.parts);
        next(work.selected, batch);
        next(work.starts, batch * (state.shape.classes + 1));
        next(work.order, all);
        next(work.flags, all);
        next(work.corners, 5 * all);
        return static_cast<std::size_t>(at - static_cast<std::byte*>(memory));
    }
};

template <typename T, typename Index>
class Suppression {
public:
    Suppression(State const& state, KernelCall const& call)
        : state_(state), shape_(state.shape), call_(call) {
        Work::place(state, call.workspace, work_);
        overlap_ = state.hasOverlap ? number(Nms::kOverlap) : 0.0F;
        leastScore_ = state.hasLeastScore ? number(Nms::kLeastScore) : 0.0F;
        most_ = integerAt(call.inputs[Nms::kMost], state.mostType, 0);
    }

    void run() {
        int64_t const perBatch = shape_.boxes * shape_.classes;
        parallelFor(shape_.batch * state_.parts, grainFor(perBatch / state_.parts),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) {
                            collect(i / state_.parts, i % state_.parts);
                        }
                    });
        parallelFor(shape_.batch, grainFor(shape_.candidates * 32),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t batch = begin; batch < end; ++batch) {
                            join(batch);
                            groupByClass(batch);
                        }
                    });
        parallelFor(shape_.batch * shape_.classes,
                    grainFor(shape_.candidates * 16 / std::max<int64_t>(shape_.classes, 1)),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) {
                            select(i / shape_.classes, i % shape_.classes);
                        }
                    });
        write();
    }

private:
    float number(Nms::Role role) const { return *static_cast<float const*>(call_.inputs[role]); }

    /// The best scores of a part of a batch item that are above the threshold.
    void collect(int64_t batch, int64_t part) {
        int64_t const perBatch = shape_.boxes * shape_.classes;
        T const* const scores =
            static_cast<T const*>(call_.inputs[Nms::kScores]) + batch * perBatch;
        int64_t const number = batch * state_.parts + part;
        ShortEntry* const entries = work_.entries + number * partEntries(shape_);
        int64_t const most = shape_.candidates;
        int64_t const capacity = partEntries(shape_);
        int64_t count = 0;
        int32_t bar = std::numeric_limits<int32_t>::min();
        auto const keepBest = [&] {
            std::nth_element(entries, entries + most - 1, entries + count, Better{});
            count = most;
            bar = entries[most - 1].key();
        };
        int64_t const end = most == 0 ? 0 : (part + 1) * perBatch / state_.parts;
        for (int64_t i = part * perBatch / state_.parts; i < end; ++i) {
            if (!(load(scores[i]) > leastScore_)) { // NaN is not
                continue;
            }
            int32_t const key = RankKey<T>::of(scores[i]);
            if (key > bar) {
                entries[count++] = ShortEntry::of(key, i);
            }
            if (count == capacity && count > most) {
                keepBest();
            }
        }
        if (count > most) {
            keepBest();
        }
        work_.counts[number] = count;
    }

    /// Sorts the best candidates of a batch item.
    void join(int64_t batch) {
        ShortEntry* const best = work_.best + batch * state_.parts * shape_.candidates;
        int64_t* const counts = work_.counts + batch * state_.parts;
        int64_t count = 0;
        for (int64_t part = 0; part < state_.parts; ++part) {
            std::copy_n(work_.entries + (batch * state_.parts + part) * partEntries(shape_),
                        counts[part], best + count);
            count += counts[part];
        }
        int64_t const kept = std::min(count, shape_.candidates);
        std::partial_sort(best, best + kept, best + count, Better{});
        counts[0] = kept;
    }

    int64_t classOf(ShortEntry const& entry) const { return entry.index() % shape_.classes; }

    void groupByClass(int64_t batch) {
        ShortEntry const* const best = work_.best + batch * state_.parts * shape_.candidates;
        int64_t const count = work_.counts[batch * state_.parts];
        int64_t* const starts = work_.starts + batch * (shape_.classes + 1);
        int32_t* const order = work_.order + batch * shape_.candidates;
        std::fill_n(starts, shape_.classes + 1, 0);
        for (int64_t i = 0; i < count; ++i) {
            ++starts[classOf(best[i]) + 1];
        }
        for (int64_t i = 0; i < shape_.classes; ++i) {
            starts[i + 1] += starts[i];
        }
        for (int64_t i = 0; i < count; ++i) { // moves each start to the end of its class
            order[starts[classOf(best[i])]++] = static_cast<int32_t>(i);
        }
        std::copy_backward(starts, starts + shape_.classes, starts + shape_.classes + 1);
        starts[0] = 0;
    }

    T const* boxAt(int64_t batch, int64_t index) const {
        int64_t const box = shape_.shared ? index / shape_.classes : index;
        int64_t const perBatch = shape_.boxes * (shape_.shared ? 1 : shape_.classes);
        return static_cast<T const*>(call_.inputs[Nms::kBoxes]) + (batch * perBatch + box) * 4;
    }

    /// The candidates of a class, best first.
    void select(int64_t batch, int64_t number) {
        int64_t const* const starts = work_.starts + batch * (shape_.classes + 1) + number;
        int64_t const first = batch * shape_.candidates;
        int64_t const begin = starts[0];
        ShortEntry const* const best = work_.best + first * state_.parts;
        bool const centers = state_.op.format == nvinfer1::BoundingBoxFormat::kCENTER_SIZES;
        BoxList kept(work_.corners + 5 * (first + begin), starts[1] - begin);
        for (int64_t i = begin; i < starts[1]; ++i) {
            int32_t const candidate = work_.order[first + i];
            T const* const at = boxAt(batch, best[candidate].index());
            Box const box = boxOf({load(at[0]), load(at[1]), load(at[2]), load(at[3])}, centers);
            bool const selects = kept.count() < most_ && !kept.anyAbove(box, overlap_);
            if (selects) {
                kept.add(box);
            }
            work_.flags[first + candidate] = selects ? 1 : 0;
        }
    }

    void write() {
        int64_t row = 0;
        auto* const rows = static_cast<Index*>(call_.outputs[0]);
        for (int64_t batch = 0; batch < shape_.batch; ++batch) {
            ShortEntry const* const best = work_.best + batch * state_.parts * shape_.candidates;
            int64_t const count = work_.counts[batch * state_.parts];
            for (int64_t i = 0; i < count && row < state_.room; ++i) {
                if (work_.flags[batch * shape_.candidates + i] != 0) {
                    rows[3 * row] = static_cast<Index>(batch);
                    rows[3 * row + 1] = static_cast<Index>(classOf(best[i]));
                    rows[3 * row + 2] = static_cast<Index>(best[i].index() / shape_.classes);
                    ++row;
                }
            }
        }
        *static_cast<int32_t*>(call_.outputs[1]) = static_cast<int32_t>(row);
        *static_cast<int64_t*>(call_.outputs[2]) = row;
    }

    State const& state_;
    Nms::Shape const& shape_;
    KernelCall const& call_;
    Work work_{};
    float overlap_ = 0.0F;
    float leastScore_ = 0.0F;
    int64_t most_ = 0;
};

struct NmsReference {
    using Op = Nms;
    using State = cpu::State;

    static std::string refuse(Op const&, NodeSpec const& node) {
        Dims const& scores = node.inputs[Nms::kScores].max;
        double const count = static_cast<double>(scores.d[1]) * static_cast<double>(scores.d[2]);
        return count < static_cast<double>(ShortEntry::kMostIndices)
                   ? std::string()
                   : "expected fewer than 2^32 scores of a batch item";
    }

    static std::size_t workspaceBytes(Op const& op, Workload const& workload) {
        State state = stateFor(op, workload);
        if (state.shape.boxes * state.shape.classes >= 2 * kLeastPart) {
            // Smaller batches have more parts: of a batch of one, kMostParts.
            state.parts =
                std::max<int64_t>(kMostParts / std::max<int64_t>(state.shape.batch, 1), 1) + 1;
        }
        Work work{};
        return Work::place(state, nullptr, work);
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = stateFor(op, workload);
        return dispatchFloat(workload.type(), "NMS", [&](auto value) -> target::KernelFunction {
            using T = decltype(value);
            return op.indexType == DataType::kINT64 ? launchOf<&run<T, int64_t>>
                                                    : launchOf<&run<T, int32_t>>;
        });
    }

private:
    static State stateFor(Op const& op, Workload const& workload) {
        State state;
        state.shape = op.shapeFor(workload.inputs[Nms::kBoxes], workload.inputs[Nms::kScores]);
        state.op = op;
        state.room = workload.outputs[0].d[0];
        state.mostType = workload.inputTypes[Nms::kMost].type;
        state.hasOverlap = workload.has(Nms::kOverlap);
        state.hasLeastScore = workload.has(Nms::kLeastScore);
        int64_t const scores = state.shape.boxes * state.shape.classes;
        int64_t const most = kMostParts / std::max<int64_t>(state.shape.batch, 1);
        state.parts = std::max<int64_t>(std::min(scores / kLeastPart, most), 1);
        return state;
    }

    template <typename T, typename Index>
    static void run(State const& state, KernelCall const& call) {
        Suppression<T, Index>(state, call).run();
    }
};

} // namespace

void registerKernel_nms(KernelRegistry& registry) {
    registry.add(entryOf<NmsReference>("nms_reference"));
}

} // namespace kiln::targets::cpu
