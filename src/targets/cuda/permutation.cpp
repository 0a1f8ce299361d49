// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/permutation.h"

#include <algorithm>

namespace kiln::targets::cuda {
namespace {

int64_t extentOf(MovedAxis const& axis) {
    return axis.extent.divisor;
}

/// Smallest number of bits that can represent the numbers below `extent`.
int32_t bitsFor(int64_t extent) {
    return static_cast<int32_t>(
        std::bit_width(static_cast<uint64_t>(std::max<int64_t>(extent, 1)) - 1));
}

bool even(MovedAxis const& axis) {
    return axis.from % 2 == 0 && axis.to % 2 == 0;
}

/// Whether tiles may move pairs along both axes: all rows begin at even elements, and no limit
/// separates the two elements of a pair.
bool movesPairs(Permutation const& permutation, MovedAxis const& a, MovedAxis const& b,
                std::vector<MovedAxis> const& others) {
    return extentOf(a) % 2 == 0 && extentOf(b) % 2 == 0 && a.to % 2 == 0 && b.from % 2 == 0 &&
           std::all_of(others.begin(), others.end(), even) &&
           (permutation.readLimit == INT64_MAX || a.channels == 0) &&
           (permutation.writeLimit == INT64_MAX || b.channels == 0);
}

/// Whether offsets within a tile fit 32 bits.
bool narrow(Tiles const& tiles, int64_t pack) {
    constexpr int64_t kLimit = INT32_MAX / 2;
    return tiles.a.to < kLimit / (pack << tiles.bitsA) &&
           tiles.b.from < kLimit / (pack << tiles.bitsB) &&
           std::max(tiles.c.from, tiles.c.to) < kLimit / (int64_t{1} << tiles.bitsC);
}

/// Splits the bits of a tile between its axes: about equally, unless one axis is short. If both
/// are, the third axis gets the rest.
void shareBits(int64_t packsA, int64_t packsB, int32_t bits, Tiles& tiles) {
    tiles.bitsA = std::min(bits / 2, bitsFor(packsA));
    tiles.bitsB = std::min(bits - tiles.bitsA, bitsFor(packsB));
    tiles.bitsA = std::min(bits - tiles.bitsB, bitsFor(packsA));
    tiles.bitsC = std::min(bits - tiles.bitsA - tiles.bitsB, bitsFor(extentOf(tiles.c)));
    tiles.bitsA = bits - tiles.bitsB - tiles.bitsC;
    // Lanes write shared memory with a stride of `pitch` and read it with a stride of 1, or rows of
    // b in turn; neither may cause conflicts in the 32 banks.
    int32_t const row = tiles.bitsB + tiles.bitsC;
    bool const turns = tiles.bitsC > 1 && tiles.bitsB < 5;
    int32_t const pad = tiles.bitsA < 5 ? 32 >> tiles.bitsA : 1 + (turns ? 1 << tiles.bitsB : 0);
    tiles.pitch = row == 0 ? 1 : (1 << row) + pad;
}

/// The axis that joins a and b in a tile: the one with the shortest steps in the source.
void takeThird(std::vector<MovedAxis>& others, Tiles& tiles) {
    auto const least =
        std::min_element(others.begin(), others.end(),
                         [](MovedAxis const& x, MovedAxis const& y) { return x.from < y.from; });
    if (least != others.end()) {
        tiles.c = *least;
        others.erase(least);
    }
}

/// The fastest axis of the source and that of the target, null if there is none, and all others.
struct Ends {
    MovedAxis const* a = nullptr;
    MovedAxis const* b = nullptr;
    std::vector<MovedAxis> others;
};

Ends endsOf(Permutation const& permutation) {
    Ends ends;
    for (MovedAxis const& axis : permutation.axes) {
        if (axis.from == 1 && ends.a == nullptr) {
            ends.a = &axis;
        } else if (axis.to == 1 && ends.b == nullptr) {
            ends.b = &axis;
        } else {
            ends.others.push_back(axis);
        }
    }
    return ends;
}

int64_t tilesAlong(MovedAxis const& axis, int64_t extent) {
    return (extentOf(axis) + extent - 1) / extent;
}

} // namespace

void Permutation::add(int64_t extent, int64_t from, int64_t to, int64_t channels) {
    axes.push_back({fastDivide(extent), from, to, channels});
}

void Permutation::simplify() {
    std::erase_if(axes, [](MovedAxis const& axis) { return extentOf(axis) == 1; });
    std::stable_sort(axes.begin(), axes.end(),
                     [](MovedAxis const& x, MovedAxis const& y) { return x.to > y.to; });
    std::vector<MovedAxis> merged;
    for (MovedAxis const& axis : axes) {
        int64_t const extent = extentOf(axis);
        MovedAxis* const outer = merged.empty() ? nullptr : &merged.back();
        if (outer != nullptr && outer->from == axis.from * extent &&
            outer->to == axis.to * extent && outer->channels == axis.channels * extent) {
            *outer = {fastDivide(extentOf(*outer) * extent), axis.from, axis.to, axis.channels};
        } else {
            merged.push_back(axis);
        }
    }
    if (merged.empty()) {
        merged.push_back({fastDivide(1), 1, 1, 0});
    }
    axes = std::move(merged);
}

int64_t Permutation::count() const {
    int64_t count = 1;
    for (MovedAxis const& axis : axes) {
        count *= extentOf(axis);
    }
    return count;
}

Permutation transposition(Dims const& source, int32_t const* order) {
    int64_t steps[Dims::MAX_DIMS] = {};
    int64_t step = 1;
    for (int32_t i = source.nbDims - 1; i >= 0; --i) {
        steps[i] = step;
        step *= source.d[i];
    }
    Permutation permutation;
    for (int32_t i = 0; i < source.nbDims; ++i) {
        permutation.add(source.d[order[i]], steps[order[i]], 0);
    }
    step = 1;
    for (auto axis = permutation.axes.rbegin(); axis != permutation.axes.rend(); ++axis) {
        axis->to = step;
        step *= extentOf(*axis);
    }
    permutation.simplify();
    return permutation;
}

std::optional<TilePlan> tilesOf(Permutation const& permutation, int64_t elementBytes) {
    constexpr int64_t kLeastElements = 256; // of both axes; fewer leave most threads idle
    auto [a, b, others] = endsOf(permutation);
    if (a == nullptr || b == nullptr || a->to == 1 || extentOf(*a) > INT32_MAX / 2 ||
        extentOf(*b) > INT32_MAX / 2 || extentOf(*a) * extentOf(*b) < kLeastElements) {
        return std::nullopt;
    }
    TilePlan plan;
    plan.pairs = elementBytes == 2 && movesPairs(permutation, *a, *b, others);
    Tiles& tiles = plan.tiles;
    tiles.a = *a;
    tiles.b = *b;
    tiles.readLimit = permutation.readLimit;
    tiles.writeLimit = permutation.writeLimit;
    int64_t const pack = plan.pairs ? 2 : 1;
    int32_t const bits = elementBytes * pack >= 4 ? 11 : 12;
    if (bitsFor(extentOf(*a) / pack) + bitsFor(extentOf(*b) / pack) < bits) {
        takeThird(others, tiles);
    }
    std::copy(others.begin(), others.end(), tiles.others);
    tiles.otherCount = static_cast<int32_t>(others.size());
    shareBits(extentOf(*a) / pack, extentOf(*b) / pack, bits, tiles);
    tiles.tilesA = fastDivide(tilesAlong(*a, pack << tiles.bitsA));
    tiles.tilesB = fastDivide(tilesAlong(*b, pack << tiles.bitsB));
    tiles.tilesC = fastDivide(((extentOf(tiles.c) - 1) >> tiles.bitsC) + 1);
    plan.blocks = tiles.tilesA.divisor * tiles.tilesB.divisor * tiles.tilesC.divisor;
    for (MovedAxis const& axis : others) {
        plan.blocks *= extentOf(axis);
    }
    return plan.blocks <= INT32_MAX && narrow(tiles, pack) ? std::optional(plan) : std::nullopt;
}

std::optional<TilePlan> blocksOf(Permutation const& permutation, int64_t elementBytes) {
    constexpr int64_t kSide = 8;
    constexpr int32_t kLaneBits = 5;
    constexpr int64_t kLeastElements = 1 << 20; // fewer leave a large GPU idle
    auto const [a, b, others] = endsOf(permutation);
    auto const whole = [](int64_t number) { return number % kSide == 0; };
    if (elementBytes != 2 || a == nullptr || b == nullptr || a->to == 1 ||
        permutation.readLimit != INT64_MAX || permutation.writeLimit != INT64_MAX ||
        permutation.count() < kLeastElements || extentOf(*a) > INT32_MAX / 2 ||
        extentOf(*b) > INT32_MAX / 2 || !whole(extentOf(*a)) || !whole(extentOf(*b)) ||
        !whole(a->to) || !whole(b->from) ||
        !std::all_of(others.begin(), others.end(),
                     [&](MovedAxis const& axis) { return whole(axis.from) && whole(axis.to); })) {
        return std::nullopt;
    }
    TilePlan plan;
    Tiles& tiles = plan.tiles;
    tiles.a = *a;
    tiles.b = *b;
    std::copy(others.begin(), others.end(), tiles.others);
    tiles.otherCount = static_cast<int32_t>(others.size());
    // 64 elements along a and 32 along b, unless one of them is shorter.
    tiles.bitsB = std::min(2, bitsFor(extentOf(*b) / kSide));
    tiles.bitsA = std::min(kLaneBits - tiles.bitsB, bitsFor(extentOf(*a) / kSide));
    tiles.bitsB = kLaneBits - tiles.bitsA;
    tiles.tilesA = fastDivide(tilesAlong(*a, kSide << tiles.bitsA));
    tiles.tilesB = fastDivide(tilesAlong(*b, kSide << tiles.bitsB));
    plan.blocks = tiles.tilesA.divisor * tiles.tilesB.divisor;
    for (MovedAxis const& axis : others) {
        plan.blocks *= extentOf(axis);
    }
    return plan.blocks <= INT32_MAX / 2 ? std::optional(plan) : std::nullopt;
}

} // namespace kiln::targets::cuda
