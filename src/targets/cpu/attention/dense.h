// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of keys and values in float32, one head behind the other. If the heads lie side by side in
// memory, the rows of one head have gaps, often of a power of two bytes. They then fall into a few
// sets of each cache and are read from memory again for each tile of queries. Copies made the
// attention of Whisper's encoder, 8 heads of 64 channels, 1.4 times as fast.
#pragma once

#include "base/parallel.h"
#include "targets/cpu/attention/operands.h"
#include "targets/cpu/attention/tiles.h"

namespace kiln::targets::cpu {

/// Where the copies lie in the workspace; with no copies, it is empty.
class DenseHeads {
public:
    DenseHeads() = default;
    DenseHeads(AttentionWorkload const& at, DataType type) {
        // Fewer tiles of one head read its keys from the cache.
        constexpr int64_t kFewestTiles = 3;
        bool const often =
            at.group * ((at.queries + kTileColumns - 1) / kTileColumns) >= kFewestTiles;
        bool const inRows = at.key.channel == 1 && at.value.channel == 1;
        bool const withGaps = at.key.length > at.size || at.value.length > at.valueSize;
        if (often && inRows && (withGaps || type != DataType::kFLOAT)) {
            heads_ = at.heads / at.group;
            count_ = at.batch * heads_;
            keysOfHead_ = at.keys * at.size;
            valuesOfHead_ = at.keys * at.valueSize;
        }
    }

    bool used() const noexcept { return count_ > 0; }
    std::size_t bytes() const noexcept {
        return static_cast<std::size_t>(count_ * (keysOfHead_ + valuesOfHead_)) * sizeof(float);
    }
    DenseHead head(float const* workspace, int64_t batch, int64_t head) const noexcept {
        if (!used()) {
            return {};
        }
        int64_t const index = batch * heads_ + head;
        return {workspace + index * keysOfHead_,
                workspace + count_ * keysOfHead_ + index * valuesOfHead_};
    }

    template <typename T>
    void fill(AttentionWorkload const& at, target::KernelCall const& call) const {
        auto* const keys = static_cast<float*>(call.workspace);
        float* const values = keys + count_ * keysOfHead_;
        parallelFor(count_ * at.keys, grainFor(at.size + at.valueSize),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) {
                            int64_t const index = i / at.keys;
                            int64_t const key = i % at.keys;
                            int64_t const batch = index / heads_;
                            int64_t const head = index % heads_;
                            toFloats(operandAt<T>(call, 1, at.key, batch, head, key),
                                     keys + i * at.size, at.size);
                            toFloats(operandAt<T>(call, 2, at.value, batch, head, key),
                                     values + i * at.valueSize, at.valueSize);
                        }
                    });
    }

private:
    int64_t heads_ = 1; ///< of keys, in one element of the batch
    int64_t count_ = 0; ///< of heads in all
    int64_t keysOfHead_ = 0;
    int64_t valuesOfHead_ = 0;
};

} // namespace kiln::targets::cpu
