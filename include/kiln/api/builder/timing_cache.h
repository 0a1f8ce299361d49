// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/host_memory.h"
#include "kiln/api/no_copy.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Key of an entry of a timing cache: a hash of operation, shapes, types, formats and device.
struct TimingCacheKey {
    uint8_t data[16];
};

//! Value of an entry of a timing cache.
struct TimingCacheValue {
    uint64_t tacticHash; //!< The fastest candidate, or kINVALID_TACTIC_HASH.
    float timingMSec;    //!< Its time in milliseconds; infinity if there is no candidate.
    static constexpr uint64_t kINVALID_TACTIC_HASH = UINT64_MAX; //!< No candidate.
};

} // namespace v_1_0

using TimingCacheKey = v_1_0::TimingCacheKey;
using TimingCacheValue = v_1_0::TimingCacheValue;

//! Stores measured times of candidates, so that later builds need not measure them again. Created
//! by IBuilderConfig::createTimingCache(); the caller owns and deletes it.
//!
//! A cache is valid for the device and the library version that it was created with.
class ITimingCache : public INoCopy {
public:
    ~ITimingCache() noexcept override = default;

    //! The contents as bytes, for IBuilderConfig::createTimingCache() in a later process.
    //! \return memory that the caller owns and deletes; null on failure.
    virtual IHostMemory* serialize() const noexcept = 0;

    //! Adds the entries of another cache; entries that both have keep the value of this cache.
    //! \param ignoreMismatch accept a cache from another device.
    //! \return false, with a logged error, if the caches do not match.
    virtual bool combine(ITimingCache const& inputCache, bool ignoreMismatch) noexcept = 0;

    //! Removes all entries.
    virtual bool reset() noexcept = 0;

    //! Lists the keys. Needs BuilderFlag::kEDITABLE_TIMING_CACHE.
    //! \param keyBuffer array for up to `capacity` keys; may be null if capacity is 0.
    //! \return the number of entries, which may exceed `capacity`; -1 on failure.
    virtual int64_t queryKeys(TimingCacheKey* keyBuffer, int64_t capacity) const noexcept = 0;

    //! The entry of a key; tacticHash is kINVALID_TACTIC_HASH if there is none. Needs the same
    //! flag.
    virtual TimingCacheValue query(TimingCacheKey const& key) const noexcept = 0;

    //! Replaces the entry of an existing key. Needs the same flag.
    //! \return false, with a logged error, if the key is unknown.
    virtual bool update(TimingCacheKey const& key, TimingCacheValue const& value) noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
