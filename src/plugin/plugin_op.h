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

/// A size tensor that a plugin declared in its shape callback: output `output` holds the value of
/// the expression leaf kSizeTensor with that number.
struct SizeTensor {
    int32_t output = 0;
    int32_t number = 0;
};

/// The internal interface to all plugin styles. One adapter per API generation implements it;
/// compiler and runtime use nothing else. An adapter that owns its plugin object destroys it as its
/// generation requires (destroy, delete).
///
/// Each callback that fails throws kPlugin with layer, plugin and phase, and with the text that the
/// plugin reported through kilnReportPluginError (for example a Python traceback). Only enqueue()
/// returns a code, so that the hot path has no exceptions.
class PluginOp {
public:
    virtual ~PluginOp() = default;

    virtual PluginStyle style() const = 0;
    virtual PluginId const& id() const = 0;
    virtual bool needsPython() const = 0;
    /// The user's plugin object, for layer.plugin. Owned by the adapter.
    virtual void* object() const = 0;

    /// Whether the plugin has the build interface for the queries below. A plugin created for the
    /// runtime phase may lack it.
    virtual bool hasBuildPart() const { return true; }

    // Queries during network definition and build, and again when a plan is opened.
    virtual int32_t outputCount() const = 0;
    virtual void outputTypes(std::span<DataType const> inputs, std::span<int32_t const> ranks,
                             std::span<DataType> outputs) const = 0;
    virtual void outputShapes(std::span<graph::ShapeExpr const> inputs,
                              std::span<graph::ShapeValues const> shapeInputs,
                              graph::ExprPool& pool, std::span<graph::ShapeExpr> outputs,
                              std::vector<SizeTensor>& sizeTensors) const = 0;
    /// The input whose memory an output uses; -1: the output has its own.
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
    /// Whether the plugin lists its combinations, instead of answering supports().
    virtual bool listsCombinations() const { return false; }
    /// The listed combinations, concatenated; each has inputs, then outputs. Only type and format
    /// count. `operands` have the network's types and the linear format.
    virtual std::vector<nvinfer1::PluginTensorDesc> combinations(
        std::span<nvinfer1::DynamicPluginTensorDesc const> operands, int32_t inputCount) const {
        static_cast<void>(operands);
        static_cast<void>(inputCount);
        return {};
    }
    /// Custom tactics, positive and distinct; empty: none. Requires a configured plugin.
    virtual std::vector<int32_t> tactics() const = 0;
    /// The key for the plugin's attributes in timing caches; nullopt: timings are not cached.
    virtual std::optional<std::string> timingCacheId() const { return std::nullopt; }
    /// The plugin's description of itself, for inspectors.
    virtual std::string metadata() const { return {}; }

    // Life cycle during a build, with one copy for each configuration that is tried.
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

    // Life cycle at run time: initialize; one attach() per context; shapeChange and enqueue on the
    // attached copy; destroying the attached copy detaches it; terminate at the end.
    virtual void initialize() {}
    virtual void terminate() noexcept {}
    virtual std::unique_ptr<PluginOp> attach(ContextServices const& services) = 0;
    /// As attach(), for timing: V2 attaches the configured object itself. The result must be
    /// destroyed before this object.
    virtual std::unique_ptr<PluginOp> attachForTiming(ContextServices const& services) {
        return attach(services);
    }
    virtual void setTactic(int32_t tactic) { static_cast<void>(tactic); }
    /// The descriptors stay where they are until the next call; kSpareTensors spare ones follow.
    virtual void shapeChange(std::span<nvinfer1::PluginTensorDesc const> inputs,
                             std::span<nvinfer1::PluginTensorDesc const> outputs) = 0;

    /// Calls the plugin's enqueue(). 0: success. Descriptors are those of the last shapeChange().
    /// In an engine, kSpareTensors or more pointers follow those of the operands.
    virtual int32_t enqueue(nvinfer1::PluginTensorDesc const* inputDescs,
                            nvinfer1::PluginTensorDesc const* outputDescs,
                            void const* const* inputs, void* const* outputs, void* workspace,
                            cudaStream_t stream) noexcept = 0;
    /// The object whose enqueue() a run may call directly; null if runs must call the adapter.
    /// Valid until the next shapeChange().
    virtual nvinfer1::IPluginV3OneRuntime* enqueuer() const noexcept { return nullptr; }

    /// Name of the layer, for messages. PluginLayer::infer() updates it.
    void setLayer(std::string_view name) { layer_ = name; }
    std::string const& layer() const noexcept { return layer_; }

private:
    std::string layer_;
};

} // namespace kiln::plugin
