// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/parallel.h"
#include "targets/cpu/isa.h"
#include "targets/cpu/numeric.h"
#include "targets/cpu/pointwise/program.h"

namespace kiln::targets::cpu {
namespace {

/// x^y for one number y. The usual exponents need no logarithm.
void power(Map const* maps, float const* x, float y, float* to, int64_t count) noexcept {
    MapFunction const function = y == 2.0F    ? MapFunction::kSquare
                                 : y == 0.5F  ? MapFunction::kRootOfPower
                                 : y == 3.0F  ? MapFunction::kCube
                                 : y == -1.0F ? MapFunction::kRecip
                                 : y == 1.0F  ? MapFunction::kLinear
                                              : MapFunction::kPower;
    bool const same = function == MapFunction::kLinear; // 1 * x + 0
    maps[static_cast<std::size_t>(function)](x, to, count, same ? 1.0F : y, same ? -0.0F : 0.0F);
}

/// One thread's tile. The objects are large, and live on the stack of a task.
class Tile {
public:
    Tile(Program const& program, target::KernelCall const& call) noexcept
        : program_(program), call_(call), isa_(isa()) {}

    /// Tiles [first, first + count) of a row without reductions.
    void runPart(int64_t row, int64_t first, int64_t count) noexcept {
        Phase const& phase = program_.phases.front();
        if (row != entered_) {
            enter(row);
            runNumbers(phase);
            entered_ = row;
        }
        runArrays(phase, row, first, count, true);
        store(row, first, count);
    }

    /// After the parts of a thread.
    void end() const noexcept {
        if (program_.pastCaches) {
            isa_.endPastCaches();
        }
    }

    /// All of a row.
    void runRow(int64_t row) noexcept {
        enter(row);
        for (Phase const& phase : program_.phases) {
            bool const last = &phase == &program_.phases.back();
            runNumbers(phase);
            for (std::size_t i = 0; i < phase.folds.size(); ++i) {
                totals_[i] = neutral(phase.folds[i]);
            }
            for (int64_t first = 0; first < program_.rowLength; first += program_.tile) {
                int64_t const count = std::min(program_.tile, program_.rowLength - first);
                runArrays(phase, row, first, count, last);
                for (std::size_t i = 0; i < phase.folds.size(); ++i) {
                    fold(phase.folds[i], totals_[i], count);
                }
                if (last) {
                    store(row, first, count);
                }
            }
            for (std::size_t i = 0; i < phase.folds.size(); ++i) {
                Action const& action = phase.folds[i];
                double const total = totals_[i];
                setNumber(action.output,
                          static_cast<float>(
                              action.a == 0.0F ? total
                                               : total / static_cast<double>(program_.rowLength)));
            }
        }
        storeNumbers(row);
    }

private:
    float const*& at(int32_t value) noexcept { return at_[static_cast<std::size_t>(value)]; }
    void setNumber(int32_t value, float number) noexcept {
        numbers_[static_cast<std::size_t>(value)] = number;
        at(value) = &numbers_[static_cast<std::size_t>(value)];
    }

    /// Finds where each source has the row.
    void enter(int64_t row) noexcept {
        for (std::size_t i = 0; i < program_.sources.size(); ++i) {
            offsets_[i] = program_.sources[i].begin;
        }
        for (std::size_t loop = program_.rowExtents.size(); loop-- > 0 && row > 0;) {
            int64_t const extent = program_.rowExtents[loop];
            int64_t const position = row % extent;
            row /= extent;
            for (std::size_t i = 0; i < program_.sources.size(); ++i) {
                offsets_[i] += position * program_.sources[i].rowStrides[loop];
            }
        }
    }

    void const* start(std::size_t source) const noexcept {
        Source const& from = program_.sources[source];
        auto const* base = static_cast<std::byte const*>(call_.inputs[from.operand]);
        return base + offsets_[source] * (bitsOf(from.type) / 8);
    }

    /// Where result 0 has an element of a row.
    float* resultAt(int64_t row, int64_t element) const noexcept {
        auto* const base = static_cast<float*>(call_.outputs[program_.results.front().operand]);
        return base + row * program_.rowLength + element;
    }

    void runNumbers(Phase const& phase) noexcept {
        for (Action const& action : phase.numbers) {
            if (action.kind == Action::Kind::kLoad) {
                DataType const type = program_.sources[action.source].type;
                setNumber(action.output, readElement(type, start(action.source), 0));
            } else {
                float result = 0.0F;
                compute(action, &result, 1);
                setNumber(action.output, result);
            }
        }
    }

    void runArrays(Phase const& phase, int64_t row, int64_t first, int64_t count,
                   bool last) noexcept {
        for (Action const& action : phase.arrays) {
            if (action.slot < 0) {
                at(action.output) = static_cast<float const*>(start(action.source)) + first;
                continue;
            }
            bool const result = last && program_.lastIsResult && &action == &phase.arrays.back();
            float* const to = result ? resultAt(row, first) : memory_ + action.slot * program_.tile;
            if (action.kind == Action::Kind::kLoad) {
                Source const& source = program_.sources[action.source];
                readElements(source.type, start(action.source), source.loops, first, count, to);
            } else {
                compute(action, to, count, result && program_.pastCaches);
            }
            at(action.output) = to;
        }
    }

    /// `pastCaches` is for actions that planPhases() allows it.
    void compute(Action const& action, float* to, int64_t count, bool pastCaches = false) noexcept {
        float const* x = at(action.inputs[0]);
        auto const& maps = pastCaches ? isa_.mapsPastCaches : isa_.maps;
        auto const& combines = pastCaches ? isa_.combinesPastCaches : isa_.combines;
        switch (action.kind) {
        case Action::Kind::kMap: maps[action.function](x, to, count, action.a, action.b); break;
        case Action::Kind::kCombine:
            combines[action.function][static_cast<std::size_t>(action.form)](
                x, at(action.inputs[1]), to, count);
            break;
        case Action::Kind::kScale:
            maps[static_cast<std::size_t>(MapFunction::kLinear)](
                x, to, count, *at(action.inputs[1]), *at(action.inputs[2]));
            break;
        case Action::Kind::kPower: power(maps, x, *at(action.inputs[1]), to, count); break;
        case Action::Kind::kChoose:
            isa_.choose(x, at(action.inputs[1]), at(action.inputs[2]), to, count);
            break;
        case Action::Kind::kSplat: std::fill_n(to, count, *x); break;
        case Action::Kind::kRound: roundElements(action.type, x, to, count); break;
        default: break;
        }
    }

    static double neutral(Action const& action) noexcept {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        switch (static_cast<FoldFunction>(action.function)) {
        case FoldFunction::kSum: return 0.0;
        case FoldFunction::kProduct: return 1.0;
        case FoldFunction::kMaximum: return -kInfinity;
        default: return kInfinity;
        }
    }

    void fold(Action const& action, double& total, int64_t count) noexcept {
        double const part = isa_.folds[action.function](at(action.inputs[0]), count);
        switch (static_cast<FoldFunction>(action.function)) {
        case FoldFunction::kSum: total += part; break;
        case FoldFunction::kProduct: total *= part; break;
        case FoldFunction::kMaximum: total = total > part || total != total ? total : part; break;
        default: total = total < part || total != total ? total : part; break;
        }
    }

    /// Results of a tile, besides the one that its last action wrote.
    void store(int64_t row, int64_t first, int64_t count) noexcept {
        for (std::size_t i = program_.lastIsResult ? 1 : 0; i < program_.results.size(); ++i) {
            Result const& result = program_.results[i];
            if (!result.perRow) {
                writeElements(result.type, at(result.value), call_.outputs[result.operand],
                              row * program_.rowLength + first, count);
            } else if (!program_.reduces) {
                writeElements(result.type, at(result.value), call_.outputs[result.operand], row, 1);
            }
        }
    }

    void storeNumbers(int64_t row) noexcept {
        for (Result const& result : program_.results) {
            if (result.perRow) {
                writeElements(result.type, at(result.value), call_.outputs[result.operand], row, 1);
            }
        }
    }

    Program const& program_;
    target::KernelCall const& call_;
    Isa const& isa_;
    int64_t entered_ = -1; ///< the row of the last part
    std::array<int64_t, Chain::kMostOperands> offsets_;
    std::array<float const*, kMostValues> at_;
    std::array<float, kMostValues> numbers_;
    std::array<double, Chain::kMostNodes> totals_;
    alignas(64) float memory_[kTileMemory];
};

constexpr int64_t kLineFloats = 16; ///< of a cache line

/// Whether tiles begin at cache lines of the result: then its first tile in a row is shorter.
/// Vectors that lie in two lines take up to a fifth longer in the caches of a core; beyond them
/// they do not, except that stores past the caches need whole lines. The arrays of a caller often
/// begin at the same place of a line, so loads gain as well.
bool alignsTiles(Program const& program) noexcept {
    constexpr int64_t kMostFloats = 1 << 19;
    return program.lastIsResult && program.rowLength > program.tile &&
           (program.pastCaches || program.rows * program.rowLength <= kMostFloats);
}

/// How many floats the first tile of a row lacks.
int64_t leadOf(Program const& program, target::KernelCall const& call, int64_t row) noexcept {
    auto const* to = static_cast<float const*>(call.outputs[program.results.front().operand]);
    auto const address = reinterpret_cast<std::uintptr_t>(to + row * program.rowLength);
    return static_cast<int64_t>(address / sizeof(float)) % kLineFloats;
}

} // namespace

void runProgram(Program const& program, target::KernelCall const& call) {
    int64_t const length = program.rowLength;
    if (program.reduces) {
        // Rows without elements have results, too.
        parallelFor(program.rows, grainFor(length * program.steps / 4),
                    [&](int64_t begin, int64_t end) {
                        Tile tile(program, call);
                        for (int64_t row = begin; row < end; ++row) {
                            tile.runRow(row);
                        }
                    });
        return;
    }
    int64_t const most = alignsTiles(program) ? kLineFloats - 1 : 0;
    int64_t const tiles = (length + most + program.tile - 1) / program.tile;
    parallelFor(program.rows * tiles, grainFor(std::min(length, program.tile) * program.steps / 2),
                [&](int64_t begin, int64_t end) {
                    Tile tile(program, call);
                    for (int64_t task = begin; task < end; ++task) {
                        int64_t const row = task / tiles;
                        int64_t const start = task % tiles * program.tile;
                        int64_t const lead = most > 0 ? leadOf(program, call, row) : 0;
                        int64_t const first = std::max<int64_t>(start - lead, 0);
                        int64_t const behind = std::min(start + program.tile - lead, length);
                        if (first < behind) {
                            tile.runPart(row, first, behind - first);
                        }
                    }
                    tile.end();
                });
}

} // namespace kiln::targets::cpu
