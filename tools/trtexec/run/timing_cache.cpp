// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/timing_cache.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "failure.h"
#include "files.h"

namespace kiln::trtexec {

TimingCacheFile::TimingCacheFile(std::string path, nvinfer1::IBuilderConfig& config, Logger& logger)
    : path_(std::move(path)), config_(config), logger_(logger) {
    std::error_code ignored;
    std::string bytes;
    if (std::filesystem::exists(path_, ignored)) {
        bytes = readText("--timingCacheFile", path_);
        if (bytes.empty()) {
            fail("[build] --timingCacheFile: expected a timing cache, got the empty file '{}'. "
                 "Delete it to start anew",
                 path_);
        }
    }
    cache_.reset(config_.createTimingCache(bytes.empty() ? nullptr : bytes.data(), bytes.size()));
    if (cache_ == nullptr || !config_.setTimingCache(*cache_, false)) {
        fail("[build] --timingCacheFile: '{}' could not be used; the lines above say why. Delete "
             "it to start anew",
             path_);
    }
    if (bytes.empty()) {
        logger_.info("Timing cache: '{}' does not exist yet, starting with an empty one", path_);
    } else {
        logger_.info("Timing cache: loaded {} bytes from '{}'", bytes.size(), path_);
    }
}

void TimingCacheFile::store() const {
    nvinfer1::ITimingCache const* const cache = config_.getTimingCache();
    std::unique_ptr<nvinfer1::IHostMemory> const bytes(cache != nullptr ? cache->serialize()
                                                                        : nullptr);
    if (bytes == nullptr) {
        fail("[build] --timingCacheFile: the timing cache could not be written out; the lines "
             "above say why");
    }
    writeWhole(path_, bytes->data(), bytes->size());
    logger_.info("Timing cache: saved {} bytes to '{}'", bytes->size(), path_);
}

} // namespace kiln::trtexec
