// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The behaviour of a scripted plugin. All objects of a plugin, in both styles, share one Script. It
// counts them, so that a test can check that all were destroyed.
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
    /// Called with the operand in question and the first operand.
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

    /// The callback that fails (with code 7, null or false), and the callback that reports a text.
    /// Both do so from call number `failFrom` of that callback on, counted from 0.
    std::string failAt;
    std::string reportAt;
    std::string report = "RuntimeError: the author's words";
    int failFrom = 0;
    bool copiesItself = true; ///< if false, clone and attachToContext return the object itself

    /// Called by every callback; true if the callback must fail.
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

/// The descriptors of a call as a vector; descriptors of the build get their largest shape. Like
/// most plugins, scripts read the first tensors without checking the count: at least 2.
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
