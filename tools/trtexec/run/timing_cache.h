// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <NvInfer.h>

#include "logger.h"

namespace kiln::trtexec {

/// The cache of --timingCacheFile for one build. Create it before the build and store it after.
class TimingCacheFile {
public:
    /// Reads the file, or starts with an empty cache if there is none, and sets it in `config`.
    /// Throws a Failure for a file that is damaged or from another device.
    TimingCacheFile(std::string path, nvinfer1::IBuilderConfig& config, Logger& logger);

    /// Writes the cache to the file, including new measurements.
    void store() const;

private:
    std::string path_;
    nvinfer1::IBuilderConfig& config_;
    Logger& logger_;
    std::unique_ptr<nvinfer1::ITimingCache> cache_;
};

} // namespace kiln::trtexec
