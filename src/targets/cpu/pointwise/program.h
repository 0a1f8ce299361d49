// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A chain prepared for its extents. The domain is cut into rows, and rows into tiles that fit the
// L1 cache. For each tile, operands become floats, each operation runs as one vector loop over the
// tile, and results are converted and stored: one pass over memory.
//
//   no reductions   a row is the innermost loop where that is long, else the whole domain
//   reductions      a row is what one reduction combines. It is one tile if it fits; else each
//                   reduction is a pass over its tiles, which computes again what it needs
//
// A value that is the same for a whole row is one number. Values between operations are floats, so
// float16 is rounded only by casts and results.
#pragma once

#include <array>
#include <vector>

#include "targets/cpu/pointwise/chain.h"
#include "targets/cpu/pointwise/strided.h"
#include "targets/cpu/vector_functions.h"

namespace kiln::targets::cpu {

/// An input that a tile reads, or a slice of one.
struct Source {
    std::size_t operand = 0;
    int64_t begin = 0; ///< elements before the first one
    DataType type = DataType::kFLOAT;
    std::vector<int64_t> rowStrides; ///< along the loops over rows
    Loops loops;                     ///< within a row
    bool uniform = false;            ///< one number for a row
    bool direct = false;             ///< contiguous floats: read where they are
};

/// One operation on values of a tile. Operands and output are numbers of values.
struct Action {
    /// kScale: the array times one number plus another.
    enum class Kind : uint8_t {
        kLoad,
        kMap,
        kCombine,
        kScale,
        kPower,
        kChoose,
        kSplat,
        kRound,
        kFold
    };

    Kind kind = Kind::kMap;
    uint8_t function = 0; ///< MapFunction, CombineFunction or FoldFunction
    CombineForm form = CombineForm::kArrays;
    DataType type = DataType::kFLOAT; ///< kRound: the type that values are rounded to
    int32_t output = 0;
    std::array<int32_t, 3> inputs{};
    std::size_t source = 0; ///< kLoad
    int32_t slot = -1;      ///< part of the tile memory for the output; -1: the output is a number
    float a = 0.0F;
    float b = 0.0F;
};

/// Between two reductions.
struct Phase {
    std::vector<Action> numbers; ///< once per row, before the tiles
    std::vector<Action> arrays;  ///< for each tile
    std::vector<Action> folds;   ///< for each tile: their outputs are numbers at the end of the row
};

struct Result {
    std::size_t operand = 0;
    DataType type = DataType::kFLOAT;
    int32_t value = 0;
    bool perRow = false; ///< one element for each row
};

struct Program {
    int64_t rows = 0;
    int64_t rowLength = 0;
    int64_t tile = 0; ///< elements; at least rowLength if there is one tile
    bool reduces = false;
    std::vector<int64_t> rowExtents; ///< loops over rows, outermost first
    std::vector<Source> sources;
    std::vector<Phase> phases;
    std::vector<Result> results;
    /// The last action writes result 0 where it belongs: contiguous floats that nothing reads. It
    /// may be a load that converts.
    bool lastIsResult = false;
    /// Result 0 is stored past the caches.
    bool pastCaches = false;
    int32_t values = 0;
    int64_t steps = 1; ///< for each element, to share work among threads
};

/// Floats that all slots of a tile take: 64 KiB of a thread's stack.
constexpr int64_t kTileMemory = 16384;
/// Values that a program may have; chainRefusal() bounds values and nodes accordingly.
constexpr int32_t kMostValues = 384;

/// For a chain that chainRefusal() does not refuse.
Program programOf(Chain const& chain);

void runProgram(Program const& program, target::KernelCall const& call);

} // namespace kiln::targets::cpu
