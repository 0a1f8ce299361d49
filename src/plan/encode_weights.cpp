// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <vector>

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

/// Whether the elements are in memory as the plan has them.
bool isPlain(TensorRecord const& constant) {
    return constant.packing == nullptr &&
           (constant.recipe == nullptr || constant.recipe->isKnown());
}

/// The constants of a plan in the order in which it has them: those that are computed or packed are
/// first, while the plan takes little memory, since the code that does this takes memory as well.
std::vector<TensorId> inOrderOfWork(Table<TensorId, TensorRecord> const& tensors) {
    std::vector<TensorId> order;
    for (bool const plain : {false, true}) {
        for (TensorId const i : tensors.ids()) {
            TensorRecord const& tensor = tensors[i];
            if (tensor.role == TensorRole::kConstant && tensor.constantBytes() > 0 &&
                !tensor.isStripped() && isPlain(tensor) == plain) {
                order.push_back(i);
            }
        }
    }
    return order;
}

} // namespace

WeightLayout layoutWeights(Document const& document) {
    Table<TensorId, TensorRecord> const& tensors = document.tensors;
    WeightLayout layout;
    layout.offsetOf.resize(tensors.size(), 0);
    Contents contents;
    FilePageReleaser files;
    std::map<int32_t, uint64_t> offsets; // by content
    for (TensorId const i : inOrderOfWork(tensors)) {
        std::size_t const bytes = tensors[i].constantBytes();
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
