// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <NvInferRuntime.h>

#include "base/dtype.h"
#include "base/log.h"
#include "graph/op.h"
#include "plugin/code/code_record.h"
#include "plugin/plugin_record.h"

namespace kiln::plugin {

/// What a context offers to the plugins that are attached to it.
struct ContextServices {
    nvinfer1::IGpuAllocator* allocator = nullptr;
    nvinfer1::IErrorRecorder* recorder = nullptr;
};

/// A size tensor that a plugin declared while it was asked for its shapes: output `output` of the
/// plugin carries the value of the expression leaf kSizeTensor with that number.
struct SizeTensor {
    int32_t output = 0;
    int32_t number = 0;
};

/// The one internal interface to every plugin style: an adapter per API generation implements it,
/// and compiler and runtime know nothing else. An object of this type owns one plugin object and
/// gives it back to its author (destroy, delete) in the way of its generation.
///
/// Each callback that fails throws kPlugin with layer, plugin and phase and, if the author gave one
/// through kilnReportPluginError, the text (a Python traceback, say). Only enqueue() returns a
/// number, so that the hot path carries no exception.
class PluginOp {
public:
    virtual ~PluginOp() = default;

    virtual PluginStyle style() const = 0;
    virtual PluginId const& id() const = 0;
    virtual bool needsPython() const = 0;
    /// The author's object, for layer.plugin; still owned here.
    virtual void* object() const = 0;

    /// Whether the plugin answers the questions below. One that was made to run may not.
    virtual bool hasBuildPart() const { return true; }

    // Rules, asked while the network is made and compiled, and again when a plan is opened.
    virtual int32_t outputCount() const = 0;
    virtual void outputTypes(std::span<DataType const> inputs, std::span<int32_t const> ranks,
                             std::span<DataType> outputs) const = 0;
    virtual void outputShapes(std::span<graph::ShapeExpr const> inputs,
                              std::span<graph::ShapeValues const> shapeInputs,
                              graph::ExprPool& pool, std::span<graph::ShapeExpr> outputs,
                              std::vector<SizeTensor>& sizeTensors) const = 0;
    /// The input in whose memory an output is written; -1: the output has its own.
    virtual int32_t aliasedInput(int32_t output) const {
        static_cast<void>(output);
        return -1;
    }
    /// `operands`: inputs, then outputs; only those up to `position` are set.
    virtual bool supports(int32_t position,
                          std::span<nvinfer1::DynamicPluginTensorDesc const> operands,
                          int32_t inputCount) const = 0;
    /// How many combinations may be tried.
    virtual int32_t combinationLimit() const = 0;
    /// Whether the plugin lists its combinations, instead of being asked by supports().
    virtual bool listsCombinations() const { return false; }
    /// The listed ones, one after another, each with inputs, then outputs; type and format count.
    /// `operands` have the network's types and the linear format.
    virtual std::vector<nvinfer1::PluginTensorDesc> combinations(
        std::span<nvinfer1::DynamicPluginTensorDesc const> operands, int32_t inputCount) const {
        static_cast<void>(operands);
        static_cast<void>(inputCount);
        return {};
    }
    /// Custom tactics, positive and different; empty: none. Asked of a configured plugin.
    virtual std::vector<int32_t> tactics() const = 0;
    /// What stands for the plugin's attributes in timing caches; nothing: timings are not kept.
    virtual std::optional<std::string> timingCacheId() const { return std::nullopt; }
    /// What the plugin says of itself, for inspectors.
    virtual std::string metadata() const { return {}; }

    // Life cycle while an engine is built. A copy for each configuration that is tried.
    virtual std::unique_ptr<PluginOp> clone() const = 0;
    virtual void configure(std::span<nvinfer1::DynamicPluginTensorDesc const> inputs,
                           std::span<nvinfer1::DynamicPluginTensorDesc const> outputs) = 0;
    /// Bytes of workspace at the given (largest) extents.
    virtual std::size_t workspaceBytes(
        std::span<nvinfer1::DynamicPluginTensorDesc const> inputs,
        std::span<nvinfer1::DynamicPluginTensorDesc const> outputs) const = 0;
    /// Fills style, id, needsPython and the state (blob or fields).
    virtual PluginRecord save() const = 0;

    /// Whether the plugin is compiled into the plan: code() instead of attach() and enqueue().
    virtual bool aheadOfTime() const { return false; }
    /// The kernels of a configured plugin for one tactic, target and architecture, with expressions
    /// of `pool`. `shapes` are those of the inputs, `operands` inputs and outputs.
    virtual std::vector<AotKernel> code(std::span<graph::ShapeExpr const> shapes,
                                        std::span<nvinfer1::DynamicPluginTensorDesc const> operands,
                                        int32_t tactic, std::string_view target,
                                        std::string_view architecture,
                                        graph::ExprPool& pool) const {
        static_cast<void>(shapes);
        static_cast<void>(operands);
        static_cast<void>(tactic);
        static_cast<void>(target);
        static_cast<void>(architecture);
        static_cast<void>(pool);
        return {};
    }

    // Life cycle of a plugin that runs: initialize, attach one per context, shapeChange and enqueue
    // on the attached one; destroying the attached one detaches it; terminate at the end.
    virtual void initialize() {}
    virtual void terminate() noexcept {}
    virtual std::unique_ptr<PluginOp> attach(ContextServices const& services) = 0;
    /// As attach(), while candidates are timed: V2 attaches the configured object itself. The
    /// result must go before this object does.
    virtual std::unique_ptr<PluginOp> attachForTiming(ContextServices const& services) {
        return attach(services);
    }
    virtual void setTactic(int32_t tactic) { static_cast<void>(tactic); }
    /// The descriptors stay where they are until the next call; kSpareTensors spare ones follow.
    virtual void shapeChange(std::span<nvinfer1::PluginTensorDesc const> inputs,
                             std::span<nvinfer1::PluginTensorDesc const> outputs) = 0;

    /// The author's enqueue(). 0: done. The descriptors are those of the last shapeChange(). In
    /// an engine, kSpareTensors or more pointers follow those of the operands.
    virtual int32_t enqueue(nvinfer1::PluginTensorDesc const* inputDescs,
                            nvinfer1::PluginTensorDesc const* outputDescs,
                            void const* const* inputs, void* const* outputs, void* workspace,
                            cudaStream_t stream) noexcept = 0;
    /// Whose enqueue() that is, where nothing is added to it, so that runs go straight there; null
    /// elsewhere. Until the next shapeChange().
    virtual nvinfer1::IPluginV3OneRuntime* enqueuer() const noexcept { return nullptr; }

    /// Name of the layer, for messages; set once when the plugin joins a layer.
    void setLayer(std::string_view name) { layer_ = name; }
    std::string const& layer() const noexcept { return layer_; }

private:
    std::string layer_;
};

} // namespace kiln::plugin
