// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "base/checked.h"
#include "plan/contents.h"
#include "plan/encode.h"
#include "plan/layout.h"

namespace kiln::plan {

WeightLayout layoutWeights(Table<TensorId, TensorRecord> const& tensors) {
    WeightLayout layout;
    layout.offsetOf.resize(tensors.size(), 0);
    Contents contents;
    std::map<int32_t, uint64_t> offsets; // by content
    for (TensorId const i : tensors.ids()) {
        std::size_t const bytes = tensors[i].constantBytes();
        if (tensors[i].role != TensorRole::kConstant || bytes == 0) {
            continue;
        }
        int32_t const content = contents.of(tensors[i]);
        if (auto const same = offsets.find(content); same != offsets.end()) {
            layout.offsetOf[i] = same->second;
            continue;
        }
        WeightLayout::Placed const place{roundUp(layout.bytes, kAlignment), i};
        layout.offsetOf[i] = place.offset;
        layout.placed.push_back(place);
        layout.bytes = checkedAdd<uint64_t>(place.offset, bytes, "weights of the plan");
        offsets.emplace(content, place.offset);
    }
    return layout;
}

} // namespace kiln::plan
