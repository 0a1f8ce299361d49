// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// cumulative: running sums along the middle axis of [outer, extent, inner]. Floating-point types
// are summed in float64, integers wrap around. Threads share rows of up to kWidth neighbouring
// columns. If there are few, they also share parts of the axis: the first pass sums the parts, the
// second one begins each part with the sum of the parts before.
#include "graph/ops/cumulative.h"

#include <algorithm>
#include <array>
#include <utility>

#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

using graph::Cumulative;

constexpr int64_t kWidth = 256;
constexpr int64_t kMostParts = 16;      ///< also: rows of columns that are split into parts
constexpr int64_t kLeastPart = 1 << 14; ///< elements of a column

struct Shape {
    int64_t outer = 1;
    int64_t extent = 1;
    int64_t inner = 1;
    int64_t parts = 1;
    int64_t blocks = 0; ///< of columns
    bool exclusive = false;
    bool reverse = false;
};

template <typename T>
using Sum =
    std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::common_type<double>>;

template <typename T>
struct Scan {
    using Total = typename Sum<T>::type;
    using Totals = std::array<Total, kWidth>;

    Shape const& shape;
    T const* from;
    T* to;
    Total* sums; ///< [outer, parts, inner]

    /// The place in memory and in the order of the sums of one unit of work.
    struct Unit {
        int64_t outer;
        int64_t part;
        int64_t column;
        int64_t width;
    };

    Unit unitAt(int64_t i) const {
        int64_t const column = i % shape.blocks * kWidth;
        int64_t const rest = i / shape.blocks;
        return {rest / shape.parts, rest % shape.parts, column,
                std::min(kWidth, shape.inner - column)};
    }

    /// Calls visit(offset of the columns) for each coordinate of a part, in the order of the sums.
    template <typename Visit>
    void walk(Unit const& unit, Visit&& visit) const {
        int64_t const begin = unit.part * shape.extent / shape.parts;
        int64_t const end = (unit.part + 1) * shape.extent / shape.parts;
        int64_t const step = shape.reverse ? -shape.inner : shape.inner;
        int64_t const first = shape.reverse ? end - 1 : begin;
        int64_t at = (unit.outer * shape.extent + first) * shape.inner + unit.column;
        for (int64_t i = begin; i < end; ++i, at += step) {
            visit(at);
        }
    }

    static Total number(T value) { return static_cast<Total>(load(value)); }
    static T element(Total total) { return store<T>(static_cast<ComputeType<T>>(total)); }

    template <bool kExclusive>
    void write(Unit const& unit, Totals& totals) const {
        if (unit.width == 1) {
            Total total = totals[0];
            walk(unit, [&](int64_t at) {
                Total const sum = total + number(from[at]);
                to[at] = element(kExclusive ? total : sum);
                total = sum;
            });
            return;
        }
        walk(unit, [&](int64_t at) {
            for (int64_t i = 0; i < unit.width; ++i) {
                auto& total = totals[static_cast<std::size_t>(i)];
                Total const sum = total + number(from[at + i]);
                to[at + i] = element(kExclusive ? total : sum);
                total = sum;
            }
        });
    }

    Total* sumsOf(Unit const& unit) const {
        return sums + (unit.outer * shape.parts + unit.part) * shape.inner + unit.column;
    }

    void sumPart(Unit const& unit) const {
        Totals totals{};
        walk(unit, [&](int64_t at) {
            for (int64_t i = 0; i < unit.width; ++i) {
                totals[static_cast<std::size_t>(i)] += number(from[at + i]);
            }
        });
        std::copy_n(totals.begin(), unit.width, sumsOf(unit));
    }

    /// Turns the sum of each part into that of the parts before it.
    void placeParts() const {
        for (int64_t column = 0; column < shape.outer * shape.inner; ++column) {
            Total* const first =
                sums + column / shape.inner * shape.parts * shape.inner + column % shape.inner;
            Total before{};
            for (int64_t i = 0; i < shape.parts; ++i) {
                int64_t const part = shape.reverse ? shape.parts - 1 - i : i;
                Total const own = first[part * shape.inner];
                first[part * shape.inner] = before;
                before += own;
            }
        }
    }

    void run() const {
        int64_t const units = shape.outer * shape.parts * shape.blocks;
        int64_t const steps = shape.extent / shape.parts * std::min(shape.inner, kWidth);
        if (shape.parts > 1) {
            parallelFor(units, grainFor(steps), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                    sumPart(unitAt(i));
                }
            });
            placeParts();
        }
        parallelFor(units, grainFor(steps), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                Unit const unit = unitAt(i);
                Totals totals{};
                if (shape.parts > 1) {
                    std::copy_n(sumsOf(unit), unit.width, totals.begin());
                }
                shape.exclusive ? write<true>(unit, totals) : write<false>(unit, totals);
            }
        });
    }
};

struct CumulativeReference {
    using Op = Cumulative;
    using State = Shape;

    static std::string refuse(Op const&, NodeSpec const& node) {
        return node.inputs.size() == 1 ? std::string() : "expected the axis as a parameter";
    }

    static std::size_t workspaceBytes(Op const& op, Workload const& workload) {
        // Of shapes that are split into parts: kMostParts rows of kWidth columns at most.
        return shapeOf(op, workload).extent < 2 * kLeastPart
                   ? 0
                   : kMostParts * kMostParts * kWidth * sizeof(double);
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = shapeOf(op, workload);
        switch (workload.type()) {
        case DataType::kINT32: return launchOf<&run<int32_t>>;
        case DataType::kINT64: return launchOf<&run<int64_t>>;
        default: break;
        }
        return dispatchFloat(workload.type(), "cumulative", [](auto value) {
            return target::KernelFunction{launchOf<&run<decltype(value)>>};
        });
    }

private:
    static Shape shapeOf(Op const& op, Workload const& workload) {
        Dims const& dims = workload.inputs[0];
        Shape shape;
        for (int32_t i = 0; i < dims.nbDims; ++i) {
            (i < op.axis ? shape.outer : i == op.axis ? shape.extent : shape.inner) *= dims.d[i];
        }
        shape.blocks = (shape.inner + kWidth - 1) / kWidth;
        shape.exclusive = op.exclusive;
        shape.reverse = op.reverse;
        int64_t const rows = shape.outer * shape.blocks;
        if (rows > 0 && rows < kMostParts) {
            shape.parts = std::clamp(shape.extent / kLeastPart, int64_t{1}, kMostParts);
        }
        return shape;
    }

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        using Total = typename Scan<T>::Total;
        if (state.extent > 0) {
            Scan<T>{state, static_cast<T const*>(call.inputs[0]), static_cast<T*>(call.outputs[0]),
                    static_cast<Total*>(call.workspace)}
                .run();
        }
    }
};

} // namespace

void registerKernel_cumulative(KernelRegistry& registry) {
    registry.add(entryOf<CumulativeReference>("cumulative_reference"));
}

} // namespace kiln::targets::cpu
