// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/checked.h"
#include "base/hash.h"
#include "plan/encode.h"
#include "plan/layout.h"

namespace kiln::plan {
namespace {

ByteView sourceOf(TensorRecord const& tensor) {
    return tensor.recipe == nullptr ? tensor.data : tensor.recipe->source;
}

/// Hash of a few pieces of large constants. It tells those of a model apart; reading them all takes
/// as long as writing them.
uint64_t sampleHash(ByteView bytes) {
    constexpr std::size_t kPieces = 16;
    constexpr std::size_t kPiece = 256;
    if (bytes.size() <= kPieces * kPiece) {
        return hashBytes(bytes);
    }
    std::array<std::byte, kPieces * kPiece> sample;
    for (std::size_t i = 0; i < kPieces; ++i) {
        ByteView const piece = bytes.subspan((bytes.size() - kPiece) / (kPieces - 1) * i, kPiece);
        std::ranges::copy(piece, sample.begin() + static_cast<std::ptrdiff_t>(i * kPiece));
    }
    return hashBytes(sample);
}

/// Finds constants of equal bytes. A constant that looks like another one is hashed as a whole,
/// once: many that differ in few bytes are not compared with each other.
class EqualConstants {
public:
    explicit EqualConstants(Table<TensorId, TensorRecord> const& tensors) : tensors_(tensors) {
        hashes_.resize(tensors.size());
    }

    bool areEqual(TensorId a, TensorId b) {
        TensorRecord const& x = tensors_[a];
        TensorRecord const& y = tensors_[b];
        bool const sameRecipe = (x.recipe == nullptr) == (y.recipe == nullptr) &&
                                (x.recipe == nullptr || x.recipe->key == y.recipe->key);
        ByteView const first = sourceOf(x);
        ByteView const second = sourceOf(y);
        return sameRecipe && first.size() == second.size() &&
               (first.data() == second.data() ||
                (hashOf(a) == hashOf(b) && std::ranges::equal(first, second)));
    }

private:
    uint64_t hashOf(TensorId tensor) {
        if (!hashes_[tensor].has_value()) {
            hashes_[tensor] = hashBytes(sourceOf(tensors_[tensor]));
        }
        return *hashes_[tensor];
    }

    Table<TensorId, TensorRecord> const& tensors_;
    Table<TensorId, std::optional<uint64_t>> hashes_;
};

} // namespace

WeightLayout layoutWeights(Table<TensorId, TensorRecord> const& tensors) {
    WeightLayout layout;
    layout.offsetOf.resize(tensors.size(), 0);
    EqualConstants constants(tensors);
    std::multimap<uint64_t, WeightLayout::Placed> known;
    for (TensorId const i : tensors.ids()) {
        std::size_t const bytes = tensors[i].constantBytes();
        if (tensors[i].role != TensorRole::kConstant || bytes == 0) {
            continue;
        }
        uint64_t const hash = sampleHash(sourceOf(tensors[i]));
        auto const [first, last] = known.equal_range(hash);
        auto const same = std::find_if(first, last, [&](auto const& entry) {
            return constants.areEqual(entry.second.tensor, i);
        });
        if (same != last) {
            layout.offsetOf[i] = same->second.offset;
            continue;
        }
        WeightLayout::Placed const place{roundUp(layout.bytes, kAlignment), i};
        layout.offsetOf[i] = place.offset;
        layout.placed.push_back(place);
        layout.bytes = checkedAdd<uint64_t>(place.offset, bytes, "weights of the plan");
        known.emplace(hash, place);
    }
    return layout;
}

} // namespace kiln::plan
