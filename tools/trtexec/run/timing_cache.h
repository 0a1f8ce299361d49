// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <NvInfer.h>

#include "logger.h"

namespace kiln::trtexec {

/// The cache of --timingCacheFile for one build. Made before it, stored after it.
class TimingCacheFile {
public:
    /// Reads the file, or starts with an empty cache when there is none yet, and hands it to
    /// `config`. Throws a Failure for a file that is damaged or of another machine or version.
    TimingCacheFile(std::string path, nvinfer1::IBuilderConfig& config, Logger& logger);

    /// Writes the measurements that were taken from the file and those that were added.
    void store() const;

private:
    std::string path_;
    nvinfer1::IBuilderConfig& config_;
    Logger& logger_;
    std::unique_ptr<nvinfer1::ITimingCache> cache_;
};

} // namespace kiln::trtexec
