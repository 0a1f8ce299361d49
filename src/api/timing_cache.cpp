// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/timing_cache.h"

#include <cstring>
#include <limits>

#include <kiln/version.h>

#include "api/host_memory.h"
#include "target/backend_registry.h"

namespace kiln::api {
namespace {

compiler::TimingCache::Key keyOf(nvinfer1::TimingCacheKey const& key) {
    compiler::TimingCache::Key result{};
    std::memcpy(result.data(), key.data, result.size());
    return result;
}

} // namespace

std::string timingDevice(std::string const& target) {
    target::Backend& backend = target::BackendRegistry::instance().open(target);
    target::Device const* const here = backend.device();
    target::DeviceProperties const device =
        here != nullptr ? here->properties()
                        : target::DeviceProperties{"no device", backend.planArchitecture()};
    std::string text = fmt::format("{} {} {}", target, device.architecture, device.name);
    return device.software.empty() ? text : fmt::format("{}, {}", text, device.software);
}

TimingCache::TimingCache(Reporter const& reporter, ByteView blob, bool editable)
    : reporter_(reporter.log()),
      core_(blob.empty()
                ? std::make_unique<compiler::TimingCache>(timingDevice(target::defaultTarget()))
                : std::make_unique<compiler::TimingCache>(blob)),
      editable_(editable) {
    reporter_.setRecorder(reporter.recorder());
    if (!core_->writtenBy().empty()) {
        reporter_.log().warning(
            "[timing cache] expected entries of this version of Kiln, {}.{}.{}, got those of {}. "
            "They are ignored: the build measures again.",
            KILN_VERSION_MAJOR, KILN_VERSION_MINOR, KILN_VERSION_PATCH, core_->writtenBy());
        core_ = std::make_unique<compiler::TimingCache>(timingDevice(target::defaultTarget()));
    }
}

void TimingCache::checkDevice(bool ignoreMismatch) const {
    std::string const here = timingDevice(target::defaultTarget());
    if (!ignoreMismatch && core_->device() != here) {
        fail(ErrorKind::kInvalidArgument,
             "[timing cache] expected a cache of this device, '{}', got one of '{}'. Start with an "
             "empty cache, or take it with the mismatch ignored.",
             here, core_->device());
    }
}

void TimingCache::checkEditable(char const* what) const {
    if (!editable_) {
        fail(ErrorKind::kInvalidState,
             "[timing cache] {}: expected a cache that was made while BuilderFlag "
             "EDITABLE_TIMING_CACHE was set. Set the flag, then make the cache.",
             what);
    }
}

nvinfer1::IHostMemory* TimingCache::serialize() const noexcept {
    return reporter_.guard<nvinfer1::IHostMemory*>(
        nullptr, [&] { return new HostMemory(core_->serialize()); });
}

bool TimingCache::combine(nvinfer1::ITimingCache const& inputCache, bool ignoreMismatch) noexcept {
    return reporter_.guard(false, [&] {
        compiler::TimingCache const& other = static_cast<TimingCache const&>(inputCache).core();
        if (!ignoreMismatch && other.device() != core_->device()) {
            fail(ErrorKind::kInvalidArgument,
                 "[timing cache] combine: expected a cache of the same device, '{}', got one of "
                 "'{}'. Combine them with the mismatch ignored.",
                 core_->device(), other.device());
        }
        core_->merge(other);
        return true;
    });
}

bool TimingCache::reset() noexcept {
    core_->clear();
    return true;
}

int64_t TimingCache::queryKeys(nvinfer1::TimingCacheKey* keyBuffer,
                               int64_t capacity) const noexcept {
    return reporter_.guard(int64_t{-1}, [&] {
        checkEditable("keys");
        if (capacity < 0 || (capacity > 0 && keyBuffer == nullptr)) {
            fail(ErrorKind::kInvalidArgument,
                 "[timing cache] keys: expected an array for {} keys, got {}.", capacity,
                 keyBuffer == nullptr ? "null" : "a negative capacity");
        }
        std::vector<compiler::TimingCache::Key> const keys = core_->keys();
        for (std::size_t i = 0; i < keys.size() && static_cast<int64_t>(i) < capacity; ++i) {
            std::memcpy(keyBuffer[i].data, keys[i].data(), keys[i].size());
        }
        return static_cast<int64_t>(keys.size());
    });
}

nvinfer1::TimingCacheValue TimingCache::query(nvinfer1::TimingCacheKey const& key) const noexcept {
    nvinfer1::TimingCacheValue const none{nvinfer1::TimingCacheValue::kINVALID_TACTIC_HASH,
                                          std::numeric_limits<float>::infinity()};
    return reporter_.guard(none, [&] {
        checkEditable("query");
        auto const found = core_->find(keyOf(key));
        return found.has_value() ? nvinfer1::TimingCacheValue{found->tactic, found->milliseconds}
                                 : none;
    });
}

bool TimingCache::update(nvinfer1::TimingCacheKey const& key,
                         nvinfer1::TimingCacheValue const& value) noexcept {
    return reporter_.guard(false, [&] {
        checkEditable("update");
        if (!core_->find(keyOf(key)).has_value()) {
            fail(ErrorKind::kInvalidArgument,
                 "[timing cache] update: expected a key that the cache has. Take one of "
                 "the cache's keys.");
        }
        core_->store(keyOf(key), {value.tacticHash, value.timingMSec});
        return true;
    });
}

} // namespace kiln::api
