// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/checked.h"
#include "base/hash.h"
#include "plan/encode.h"
#include "plan/layout.h"

namespace kiln::plan {

WeightLayout layoutWeights(std::vector<TensorRecord> const& tensors) {
    WeightLayout layout;
    layout.offsetOf.resize(tensors.size(), 0);
    std::multimap<uint64_t, WeightLayout::Placed> known;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i].role != TensorRole::kConstant || tensors[i].data.empty()) {
            continue;
        }
        ByteView const data = tensors[i].data;
        auto const [first, last] = known.equal_range(hashBytes(data));
        auto const same = std::find_if(first, last, [&](auto const& entry) {
            return std::ranges::equal(entry.second.data, data);
        });
        if (same != last) {
            layout.offsetOf[i] = same->second.offset;
            continue;
        }
        WeightLayout::Placed const place{roundUp(layout.bytes, kAlignment), data};
        layout.offsetOf[i] = place.offset;
        layout.placed.push_back(place);
        layout.bytes = checkedAdd<uint64_t>(place.offset, data.size(), "weights of the plan");
        known.emplace(hashBytes(data), place);
    }
    return layout;
}

} // namespace kiln::plan
