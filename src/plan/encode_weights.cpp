// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "base/checked.h"
#include "base/resident_memory.h"
#include "plan/contents.h"
#include "plan/encode.h"
#include "plan/layout.h"

namespace kiln::plan {

namespace {

/// Weights in mapped files are read to find equal ones: their pages need not stay until the weights
/// are written.
void noteRead(TensorRecord const& constant, FilePageReleaser& files) {
    if (constant.recipe != nullptr) {
        target::noteRead(*constant.recipe, files);
    }
}

} // namespace

WeightLayout layoutWeights(Document const& document) {
    Table<TensorId, TensorRecord> const& tensors = document.tensors;
    WeightLayout layout;
    layout.offsetOf.resize(tensors.size(), 0);
    Contents contents;
    FilePageReleaser files;
    std::map<int32_t, uint64_t> offsets; // by content
    for (TensorId const i : tensors.ids()) {
        std::size_t const bytes = tensors[i].constantBytes();
        if (tensors[i].role != TensorRole::kConstant || bytes == 0 || tensors[i].isStripped()) {
            continue;
        }
        int32_t const content = contents.of(tensors[i]);
        noteRead(tensors[i], files);
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
    layout.sourceOffsets.resize(document.weights.size(), 0);
    for (WeightId const id : document.weights.ids()) {
        WeightRecord const& source = document.weights[id];
        if (source.data.empty()) {
            continue;
        }
        auto const [place, isNew] =
            offsets.try_emplace(contents.of(source.data), roundUp(layout.bytes, kAlignment));
        layout.sourceOffsets[id] = place->second;
        if (isNew) {
            layout.sources.push_back({place->second, source.data});
            layout.bytes =
                checkedAdd<uint64_t>(place->second, source.data.size(), "weights of the plan");
        }
    }
    files.release();
    return layout;
}

} // namespace kiln::plan
