// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "plan/document.h"

namespace kiln::plan {

/// Consecutive parts of the code, states or libraries section. The metadata stores only their
/// lengths, so no part can be shared or skipped, and the size of the section bounds the memory for
/// its parts.
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

/// Offsets of the constants in the weights section. Constants with equal bytes share one offset.
struct WeightLayout {
    Table<TensorId, uint64_t> offsetOf;      ///< 0 for other roles
    Table<WeightId, uint64_t> sourceOffsets; ///< 0 of those that are not stored
    struct Placed {
        uint64_t offset;
        TensorId tensor; ///< the first that has this content
    };
    std::vector<Placed> placed; ///< each content of constants once, by ascending offset
    struct PlacedSource {
        uint64_t offset;
        ByteView data;
    };
    std::vector<PlacedSource> sources; ///< those that are no constant as they are, behind these
    uint64_t bytes = 0;
};

WeightLayout layoutWeights(Document const& document);

/// The FlatBuffers message of the metadata section.
Bytes encodeMetadata(Document const& document, WeightLayout const& weights);

/// write() without checks of the document. Tests create invalid plans with it.
Bytes assemble(Document document);

} // namespace kiln::plan
