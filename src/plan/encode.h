// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "plan/document.h"

namespace kiln::plan {

/// Parts that follow each other in the code, states or libraries section. The metadata keeps their
/// lengths alone: so no part can be shared or left out, and the section is what is allocated for
/// it.
struct PartList {
    std::vector<ByteView> parts;
    uint64_t bytes = 0;

    void add(ByteView part) {
        parts.push_back(part);
        bytes += part.size();
    }
};

PartList codeParts(Document const& document);
PartList stateParts(Document const& document);
PartList libraryParts(Document const& document);

/// Places of the constants in the weights section. Constants with equal bytes share one place.
struct WeightLayout {
    std::vector<uint64_t> offsetOf; ///< by tensor; 0 for all that are no constants
    struct Placed {
        uint64_t offset;
        ByteView data;
    };
    std::vector<Placed> placed; ///< each content once, ascending
    uint64_t bytes = 0;
};

WeightLayout layoutWeights(std::vector<TensorRecord> const& tensors);

/// The FlatBuffers message of the metadata section.
Bytes encodeMetadata(Document const& document, WeightLayout const& weights);

/// What write() does once the document is known to be sound. Tests make unsound plans with it.
Bytes assemble(Document const& document);

} // namespace kiln::plan
