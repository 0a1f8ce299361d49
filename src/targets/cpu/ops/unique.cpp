// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// unique: sorts the places of the elements, or of the slices along an axis, by what these hold and,
// among equals, by the place. Runs of equals then begin with their first occurrence. Slices that
// are one number of 32 bits or less are sorted by their digits, with the places. One thread.
#include "graph/ops/unique.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>

#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

using graph::Unique;

struct UniqueReference {
    using Op = Unique;
    struct State {
        bool sorted = true;
        int64_t outer = 1; ///< the input is [outer, count, inner]
        int64_t count = 1;
        int64_t inner = 1;
    };

    static std::size_t workspaceBytes(Op const&, Workload const& workload) {
        int64_t const count = workload.outputs[Unique::kInverse].d[0];
        return bytesFor(DataType::kINT64, 3 * count + 1);
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        Dims const& dims = workload.inputs[0];
        state = {};
        state.sorted = op.sorted;
        state.count = workload.outputs[Unique::kInverse].d[0];
        for (int32_t i = 0; op.axis >= 0 && i < dims.nbDims; ++i) {
            (i < op.axis ? state.outer : state.inner) *= i == op.axis ? 1 : dims.d[i];
        }
        if (workload.type() == DataType::kBF16) {
            return launchOf<&run<BFloat16>>;
        }
        return dispatchType(workload.type(), "unique", [](auto value) -> target::KernelFunction {
            using T = decltype(value); // a user's truth values may be any byte
            return launchOf<&run<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>>;
        });
    }

private:
    /// -1, 0 or 1. NaN is above all numbers.
    template <typename T>
    static int32_t compare(State const& state, T const* from, int64_t a, int64_t b) noexcept {
        for (int64_t i = 0; i < state.outer; ++i) {
            T const* const x = from + (i * state.count + a) * state.inner;
            T const* const y = from + (i * state.count + b) * state.inner;
            for (int64_t k = 0; k < state.inner; ++k) {
                auto const p = load(x[k]);
                auto const q = load(y[k]);
                if (p < q || (q != q && p == p)) {
                    return -1;
                }
                if (p > q || (p != p && q == q)) {
                    return 1;
                }
            }
        }
        return 0;
    }

    /// A number as an unsigned one of the same order: -0 equals 0, NaN is above infinity.
    static uint32_t orderedBits(float value) noexcept {
        constexpr uint32_t kSign = 0x80000000U;
        uint32_t const bits = value == 0.0F ? 0U : std::bit_cast<uint32_t>(value);
        uint32_t const ordered = (bits & kSign) != 0 ? ~bits : bits | kSign;
        return value != value ? ~0U : ordered;
    }
    static uint32_t orderedBits(int32_t value) noexcept {
        return static_cast<uint32_t>(value) ^ 0x80000000U;
    }

    /// Sorts entries by their upper halves, byte by byte; equal ones keep their order. A byte that
    /// is the same in all entries costs no pass.
    static void sortByUpperHalf(uint64_t* entries, uint64_t* other, int64_t count) noexcept {
        uint64_t* from = entries;
        uint64_t* to = other;
        for (int shift = 32; shift < 64; shift += 8) {
            auto const digitOf = [shift](uint64_t entry) { return (entry >> shift) & 0xffU; };
            std::array<int64_t, 256> places{};
            for (int64_t i = 0; i < count; ++i) {
                ++places[digitOf(from[i])];
            }
            if (places[digitOf(from[0])] == count) {
                continue;
            }
            std::exclusive_scan(places.begin(), places.end(), places.begin(), int64_t{0});
            for (int64_t i = 0; i < count; ++i) {
                to[places[digitOf(from[i])]++] = from[i];
            }
            std::swap(from, to);
        }
        if (from != entries) {
            std::copy_n(from, count, entries);
        }
    }

    template <typename T>
    static void sortNumbers(T const* from, int64_t* order, int64_t* other, int64_t count) noexcept {
        auto* const entries = reinterpret_cast<uint64_t*>(order);
        for (int64_t i = 0; i < count; ++i) {
            entries[i] = uint64_t{orderedBits(load(from[i]))} << 32 | static_cast<uint32_t>(i);
        }
        sortByUpperHalf(entries, reinterpret_cast<uint64_t*>(other), count);
        for (int64_t i = 0; i < count; ++i) {
            order[i] = static_cast<int64_t>(entries[i] & 0xffffffffU);
        }
    }

    template <typename T>
    static void sortSlices(State const& state, T const* from, int64_t* order, int64_t* other) {
        bool const isNumber = state.outer == 1 && state.inner == 1 && state.count > 0 &&
                              state.count <= std::numeric_limits<uint32_t>::max();
        if constexpr (sizeof(T) <= sizeof(uint32_t)) {
            if (isNumber) {
                sortNumbers(from, order, other, state.count);
                return;
            }
        }
        std::iota(order, order + state.count, int64_t{0});
        std::sort(order, order + state.count, [&](int64_t a, int64_t b) {
            int32_t const which = compare(state, from, a, b);
            return which < 0 || (which == 0 && a < b);
        });
    }

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* const from = static_cast<T const*>(call.inputs[0]);
        auto* const inverse = static_cast<int64_t*>(call.outputs[Unique::kInverse]);
        auto* const order = static_cast<int64_t*>(call.workspace);
        int64_t* const starts = order + state.count;
        sortSlices(state, from, order, starts);
        int64_t found = 0;
        for (int64_t i = 0; i < state.count; ++i) {
            if (i == 0 || compare(state, from, order[i - 1], order[i]) != 0) {
                starts[found++] = i;
            }
            inverse[order[i]] = found - 1;
        }
        starts[found] = state.count;
        *static_cast<int64_t*>(call.outputs[Unique::kSize]) = found;
        place(state, call, order, starts, found);
        copySlices(state, from, static_cast<T*>(call.outputs[Unique::kElements]),
                   static_cast<int64_t const*>(call.outputs[Unique::kFirst]), found);
    }

    /// Writes where each run of equals occurs first and its length. Numbers the runs in the order
    /// of their first occurrences, unless they stay sorted.
    static void place(State const& state, KernelCall const& call, int64_t const* order,
                      int64_t* starts, int64_t found) {
        auto* const first = static_cast<int64_t*>(call.outputs[Unique::kFirst]);
        auto* const inverse = static_cast<int64_t*>(call.outputs[Unique::kInverse]);
        auto* const counts = static_cast<int64_t*>(call.outputs[Unique::kCounts]);
        int64_t* const places = starts + state.count + 1;
        if (state.sorted) {
            std::iota(places, places + found, int64_t{0});
        } else {
            int64_t next = 0;
            for (int64_t i = 0; i < state.count; ++i) {
                int64_t const run = inverse[i];
                if (order[starts[run]] == i) {
                    places[run] = next++;
                }
                inverse[i] = places[run];
            }
        }
        for (int64_t run = 0; run < found; ++run) {
            first[places[run]] = order[starts[run]];
            counts[places[run]] = starts[run + 1] - starts[run];
        }
    }

    template <typename T>
    static void copySlices(State const& state, T const* from, T* to, int64_t const* first,
                           int64_t found) {
        for (int64_t i = 0; i < state.outer; ++i) {
            for (int64_t k = 0; k < found; ++k) {
                std::copy_n(from + (i * state.count + first[k]) * state.inner, state.inner, to);
                to += state.inner;
            }
        }
    }
};

} // namespace

void registerKernel_unique(KernelRegistry& registry) {
    registry.add(entryOf<UniqueReference>("unique_reference"));
}

} // namespace kiln::targets::cpu
