// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

namespace v_1_0 {

struct TimingCacheKey {
    uint8_t data[16];
};

struct TimingCacheValue {
    uint64_t tacticHash;
    float timingMSec;
    static constexpr uint64_t kINVALID_TACTIC_HASH = UINT64_MAX;
};

} // namespace v_1_0

using TimingCacheKey = v_1_0::TimingCacheKey;
using TimingCacheValue = v_1_0::TimingCacheValue;

class ITimingCache : public INoCopy {
public:
    ~ITimingCache() noexcept override = default;

    virtual IHostMemory* serialize() const noexcept = 0;
    virtual bool combine(const ITimingCache& inputCache, bool ignoreMismatch) noexcept = 0;
    virtual bool reset() noexcept = 0;
    virtual int64_t queryKeys(TimingCacheKey* keyBuffer, int64_t capacity) const noexcept = 0;
    virtual TimingCacheValue query(const TimingCacheKey& key) const noexcept = 0;
    virtual bool update(const TimingCacheKey& key, const TimingCacheValue& value) noexcept = 0;
};

} // namespace nvinfer1
