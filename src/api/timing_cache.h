// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <NvInfer.h>

#include "api/reporter.h"
#include "compiler/timing_cache.h"

namespace kiln::api {

/// ITimingCache over the compiler's. Builds write to it although they are given it const, as the
/// API has it.
class TimingCache final : public nvinfer1::ITimingCache {
public:
    /// An empty `blob` makes an empty cache for the default target. `editable`: queries and updates
    /// of single entries are allowed.
    TimingCache(Reporter const& reporter, ByteView blob, bool editable);

    compiler::TimingCache& core() const noexcept { return *core_; }
    /// Throws kInvalidArgument if the cache was made on another device.
    void checkDevice(bool ignoreMismatch) const;

    nvinfer1::IHostMemory* serialize() const noexcept override;
    bool combine(nvinfer1::ITimingCache const& inputCache, bool ignoreMismatch) noexcept override;
    bool reset() noexcept override;
    int64_t queryKeys(nvinfer1::TimingCacheKey* keyBuffer,
                      int64_t capacity) const noexcept override;
    nvinfer1::TimingCacheValue query(nvinfer1::TimingCacheKey const& key) const noexcept override;
    bool update(nvinfer1::TimingCacheKey const& key,
                nvinfer1::TimingCacheValue const& value) noexcept override;

private:
    void checkEditable(char const* what) const;

    Reporter reporter_;
    std::unique_ptr<compiler::TimingCache> core_;
    bool editable_;
};

/// What the timings of a target hold for: "cpu x86-64-v4 <processor>".
std::string timingDevice(std::string const& target);

} // namespace kiln::api
