// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/checked.h"
#include "base/hash.h"
#include "plan/encode.h"
#include "plan/layout.h"

namespace kiln::plan {
namespace {

ByteView sourceOf(TensorRecord const& tensor) {
    return tensor.recipe == nullptr ? tensor.data : tensor.recipe->source;
}

bool hasSameBytes(TensorRecord const& a, TensorRecord const& b) {
    bool const sameRecipe = (a.recipe == nullptr) == (b.recipe == nullptr) &&
                            (a.recipe == nullptr || a.recipe->key == b.recipe->key);
    ByteView const first = sourceOf(a);
    ByteView const second = sourceOf(b);
    return sameRecipe && first.size() == second.size() &&
           (first.data() == second.data() || std::ranges::equal(first, second));
}

} // namespace

WeightLayout layoutWeights(Table<TensorId, TensorRecord> const& tensors) {
    WeightLayout layout;
    layout.offsetOf.resize(tensors.size(), 0);
    std::multimap<uint64_t, WeightLayout::Placed> known;
    for (TensorId const i : tensors.ids()) {
        std::size_t const bytes = tensors[i].constantBytes();
        if (tensors[i].role != TensorRole::kConstant || bytes == 0) {
            continue;
        }
        uint64_t const hash = hashBytes(sourceOf(tensors[i]));
        auto const [first, last] = known.equal_range(hash);
        auto const same = std::find_if(first, last, [&](auto const& entry) {
            return hasSameBytes(tensors[entry.second.tensor], tensors[i]);
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
