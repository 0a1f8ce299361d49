// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/layer_times.h"

namespace kiln::trtexec {

void LayerTimes::reportLayerTime(char const* layerName, float ms) noexcept {
    std::lock_guard<std::mutex> const lock(mutex_);
    auto const [place, fresh] = byName_.try_emplace(layerName, layers_.size());
    if (fresh) {
        layers_.push_back({layerName, {}});
    }
    layers_[place->second].ms.push_back(ms);
}

void LayerTimes::clear() {
    std::lock_guard<std::mutex> const lock(mutex_);
    layers_.clear();
    byName_.clear();
}

} // namespace kiln::trtexec
