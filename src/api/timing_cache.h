// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <NvInfer.h>

#include "api/reporter.h"
#include "compiler/timing_cache.h"

namespace kiln::api {

/// ITimingCache over compiler::TimingCache. Builds write to it, although the API passes it as
/// const.
class TimingCache final : public nvinfer1::ITimingCache {
public:
    /// An empty `blob` gives an empty cache for the default target. `editable` allows queries and
    /// updates of single entries.
    TimingCache(Reporter const& reporter, ByteView blob, bool editable);

    compiler::TimingCache& core() const noexcept { return *core_; }
    /// Throws kInvalidArgument if the cache is from another device, unless `ignoreMismatch`.
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

/// Identifies the device that timings are valid for: "cpu x86-64-v4 <processor>".
std::string timingDevice(std::string const& target);

} // namespace kiln::api
