// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "exhaustion/doubling_plugins.h"
#include "exhaustion/job.h"

namespace kiln::test {

/// y = 12 x for x of [batch, 1, 2, 2] with elements above 0, from layers of many kinds and plugins
/// of two generations. False if a call failed.
bool fillBig(nvinfer1::INetworkDefinition& network) noexcept;
/// Sets the range of the batch, 1 to 8.
bool fillProfile(nvinfer1::IOptimizationProfile& profile) noexcept;
/// Runs a context of that network; false if a call failed or a value is wrong.
bool runBig(nvinfer1::IExecutionContext& context, int64_t batch) noexcept;

/// The creators of the network's plugins. enter() registers them, not the constructor.
struct BigCreators {
    DoublingV2Creator v2;
    DoublingV3Creator v3;

    bool enter() noexcept {
        return getPluginRegistry()->registerCreator(
                   static_cast<nvinfer1::IPluginCreatorInterface&>(v2), "") &&
               getPluginRegistry()->registerCreator(v3, "");
    }
    ~BigCreators() {
        getPluginRegistry()->deregisterCreator(
            static_cast<nvinfer1::IPluginCreatorInterface const&>(v2));
        getPluginRegistry()->deregisterCreator(v3);
    }
};

/// A plan of the network, built while there is memory. Null is a mistake in the test.
std::unique_ptr<nvinfer1::IHostMemory> bigPlan(nvinfer1::ILogger& log);

/// Fills what the process keeps on purpose: the resource contexts of plugins, which are reused
/// after several thousand others.
void fillWhatIsKept();

std::span<JobKind const> buildingJobs();
std::span<JobKind const> runningJobs();
std::span<JobKind const> otherJobs();

template <typename T>
std::unique_ptr<Job> makeJob() {
    return std::make_unique<T>();
}

} // namespace kiln::test
