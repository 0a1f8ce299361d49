// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <NvInferRuntime.h>

namespace kiln::trtexec {

/// Collects the time of each layer in each run.
class LayerTimes final : public nvinfer1::IProfiler {
public:
    struct Layer {
        std::string name;
        std::vector<float> ms; ///< one for each run
    };

    void reportLayerTime(char const* layerName, float ms) noexcept override;

    /// In the execution order of the first run.
    std::vector<Layer> const& layers() const noexcept { return layers_; }
    /// Removes all times, for example after the warm-up.
    void clear();

private:
    std::mutex mutex_; // contexts in several threads share one profiler
    std::vector<Layer> layers_;
    std::map<std::string, size_t> byName_;
};

} // namespace kiln::trtexec
