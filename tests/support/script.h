// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a scripted plugin does. One Script serves every object of one plugin, in both styles, and
// counts them, so that a test can ask afterwards whether all of them are gone.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <NvInferRuntime.h>
#include <kiln/plugin_error.h>

#include "support/text.h"

namespace kiln::test {

/// One call of enqueue.
struct Call {
    std::vector<nvinfer1::PluginTensorDesc> in;
    std::vector<nvinfer1::PluginTensorDesc> out;
    void const* const* inputs;
    void* const* outputs;
    void* workspace;
    cudaStream_t stream = nullptr;
};

struct Script {
    using Descs = std::vector<nvinfer1::PluginTensorDesc>;
    using Shapes = std::vector<nvinfer1::DimsExprs>;

    std::string name = "Scripted";
    std::string version = "1";
    std::string space;

    int32_t outputs = 1;
    /// By default, outputs are like input 0 and enqueue copies it.
    std::function<nvinfer1::DataType(int32_t, nvinfer1::DataType const*)> type =
        [](int32_t, nvinfer1::DataType const* inputs) { return inputs[0]; };
    std::function<nvinfer1::DimsExprs(int32_t, nvinfer1::DimsExprs const*, nvinfer1::IExprBuilder&)>
        shape = [](int32_t, nvinfer1::DimsExprs const* inputs, nvinfer1::IExprBuilder&) {
            return inputs[0];
        };
    /// The operand in question and the first one.
    std::function<bool(nvinfer1::PluginTensorDesc const&, nvinfer1::PluginTensorDesc const&)>
        takes = [](auto const& desc, auto const& first) {
            return desc.format == nvinfer1::TensorFormat::kLINEAR && desc.type == first.type &&
                   desc.type == nvinfer1::DataType::kFLOAT;
        };
    std::function<std::size_t(Descs const& in, Descs const& out)> workspace =
        [](Descs const&, Descs const&) { return std::size_t{0}; };
    std::function<int32_t(Call const&)> work = [](Call const& call) {
        std::memcpy(call.outputs[0], call.inputs[0], bytesOf(call.out[0]));
        return 0;
    };
    std::vector<nvinfer1::PluginField> fields; ///< V3: kept in the plan
    std::string blob = "blob";                 ///< V2: kept in the plan
    int32_t combinationLimit = 100;            ///< V3
    int32_t tactics = 0;                       ///< V3

    /// The callback that fails (a code of 7, null or false), and the one that reports a text. Only
    /// from the `failFrom`-th call of that callback on, counted from 0.
    std::string failAt;
    std::string reportAt;
    std::string report = "RuntimeError: the author's words";
    int failFrom = 0;
    bool copiesItself = true; ///< else clone and attachToContext return the object itself

    /// To be called by every callback; true if it shall fail.
    bool at(std::string_view callback) {
        std::lock_guard const lock(mutex_);
        int const earlier = calls_[std::string(callback)]++;
        if (callback == reportAt && earlier >= failFrom) {
            kilnReportPluginError(report.c_str());
        }
        return callback == failAt && earlier >= failFrom;
    }
    int32_t code(std::string_view callback) { return at(callback) ? 7 : 0; }
    int calls(std::string const& callback) {
        std::lock_guard const lock(mutex_);
        return calls_[callback];
    }

    std::atomic<int> alive{0};

private:
    std::mutex mutex_;
    std::map<std::string, int> calls_;
};

/// The descriptors of a call as a vector; those of the build give their largest shape. Like most
/// plugins, scripts read the first tensors without looking at the count: 2 at least.
inline constexpr int32_t kReadByScripts = 2;
inline Script::Descs descsOf(nvinfer1::PluginTensorDesc const* descs, int32_t count) {
    return {descs, descs + std::max(count, kReadByScripts)};
}
inline Script::Descs descsOf(nvinfer1::DynamicPluginTensorDesc const* descs, int32_t count) {
    Script::Descs result;
    for (int32_t i = 0; i < std::max(count, kReadByScripts); ++i) {
        result.push_back(descs[i].desc);
        result.back().dims = descs[i].max;
    }
    return result;
}

} // namespace kiln::test
