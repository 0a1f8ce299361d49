// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// IPluginV2DynamicExt onto PluginOp. Life cycle as documented: clone when added and for each trial,
// configure with ranges, initialize once per engine, clone and attach per context, configure with
// real extents when shapes changed, detach and destroy per context, terminate and destroy at the
// end.
#include <vector>

#include "base/text.h"
#include "plugin/adapters.h"
#include "plugin/callback.h"
#include "plugin/expr_builder.h"

namespace kiln::plugin {
namespace {

using nvinfer1::DynamicPluginTensorDesc;
using nvinfer1::IPluginV2;
using nvinfer1::IPluginV2DynamicExt;
using nvinfer1::PluginTensorDesc;

std::vector<DynamicPluginTensorDesc> pinned(std::span<PluginTensorDesc const> descs) {
    std::vector<DynamicPluginTensorDesc> result;
    for (PluginTensorDesc const& desc : descs) {
        result.push_back({desc, desc.dims, desc.dims, desc.dims});
    }
    return result;
}

std::vector<PluginTensorDesc> atMaximum(std::span<DynamicPluginTensorDesc const> descs) {
    std::vector<PluginTensorDesc> result;
    for (DynamicPluginTensorDesc const& desc : descs) {
        result.push_back(desc.desc);
        result.back().dims = desc.max;
    }
    return result;
}

int32_t countOf(auto const& span) {
    return static_cast<int32_t>(span.size());
}

class V2DynamicExtOp final : public PluginOp {
public:
    V2DynamicExtOp(IPluginV2DynamicExt& plugin, Ownership ownership, std::string_view layer)
        : plugin_(plugin), base_(plugin), owned_(ownership == Ownership::kOwned) {
        setLayer(layer);
    }

    /// Reads and checks who the plugin is. Apart from the constructor, so that an object that fails
    /// here is given back to its author all the same.
    void identify() {
        takeReportedText();
        id_.name = orEmpty(plugin_.getPluginType());
        id_.version = orEmpty(plugin_.getPluginVersion());
        id_.space = orEmpty(plugin_.getPluginNamespace());
        auto const tag = static_cast<uint32_t>(base_.getTensorRTVersion()) >> 24U;
        python_ = (tag & nvinfer1::kPLUGIN_VERSION_PYTHON_BIT) != 0;
        outputCount_ = plugin_.getNbOutputs();
        if (hasReportedText()) {
            failCallback(layer(), id_, "identity", "raised an error");
        }
        if (id_.name.empty() || id_.version.empty()) {
            failCallback(layer(), id_, "identity",
                         "expected a plugin type and a plugin version, got an empty text");
        }
        if (outputCount_ < 1) {
            failCallback(layer(), id_, "getNbOutputs",
                         fmt::format("expected 1 or more, returned {}", outputCount_));
        }
    }

    ~V2DynamicExtOp() override {
        if (attached_) {
            plugin_.detachFromContext();
        }
        terminate();
        if (owned_) {
            plugin_.destroy();
        }
        takeReportedText(); // there is nobody left to tell
    }

    PluginStyle style() const override { return PluginStyle::kV2DynamicExt; }
    PluginId const& id() const override { return id_; }
    bool needsPython() const override { return python_; }
    void* object() const override { return static_cast<IPluginV2*>(&plugin_); }
    int32_t outputCount() const override { return outputCount_; }

    void outputTypes(std::span<DataType const> inputs, std::span<DataType> outputs) const override {
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            outputs[i] = run("getOutputDataType", [&] {
                return plugin_.getOutputDataType(static_cast<int32_t>(i), inputs.data(),
                                                 countOf(inputs));
            });
            checkResult(layer(), id_, "getOutputDataType", [&] { bitsOf(outputs[i]); });
        }
    }

    void outputShapes(std::span<graph::ShapeExpr const> inputs, std::span<graph::ShapeExpr const>,
                      graph::ExprPool& pool, std::span<graph::ShapeExpr> outputs) const override {
        ExprBuilder builder(pool);
        std::vector<nvinfer1::DimsExprs> wrapped;
        for (graph::ShapeExpr const& input : inputs) {
            wrapped.push_back(builder.wrap(input));
        }
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            nvinfer1::DimsExprs const shape = run("getOutputDimensions", [&] {
                return plugin_.getOutputDimensions(static_cast<int32_t>(i), wrapped.data(),
                                                   countOf(inputs), builder);
            });
            if (!builder.problem().empty()) {
                failCallback(layer(), id_, "getOutputDimensions", builder.problem());
            }
            outputs[i] = checkResult(layer(), id_, fmt::format("getOutputDimensions({})", i),
                                     [&] { return builder.unwrap(shape); });
        }
    }

    bool supports(int32_t position, std::span<DynamicPluginTensorDesc const> operands,
                  int32_t inputCount) const override {
        std::vector<PluginTensorDesc> descs;
        for (DynamicPluginTensorDesc const& operand : operands) {
            descs.push_back(operand.desc);
        }
        return run("supportsFormatCombination", [&] {
            return plugin_.supportsFormatCombination(position, descs.data(), inputCount,
                                                     countOf(operands) - inputCount);
        });
    }

    int32_t combinationLimit() const override {
        return IPluginV2DynamicExt::kFORMAT_COMBINATION_LIMIT;
    }
    std::vector<int32_t> tactics() const override { return {}; }

    std::unique_ptr<PluginOp> clone() const override {
        IPluginV2DynamicExt* const copy = makingCallback(
            layer(), id_, "clone", [&] { return plugin_.clone(); },
            [&](IPluginV2DynamicExt* made) { giveBack(made); });
        if (copy == &plugin_) {
            failCallback(layer(), id_, "clone",
                         "expected a new plugin object, returned the object itself. Return a copy");
        }
        return adaptV2DynamicExt(*copy, Ownership::kOwned, layer());
    }

    void configure(std::span<DynamicPluginTensorDesc const> inputs,
                   std::span<DynamicPluginTensorDesc const> outputs) override {
        run("configurePlugin", [&] {
            plugin_.configurePlugin(inputs.data(), countOf(inputs), outputs.data(),
                                    countOf(outputs));
        });
    }

    std::size_t workspaceBytes(std::span<DynamicPluginTensorDesc const> inputs,
                               std::span<DynamicPluginTensorDesc const> outputs) const override {
        std::vector<PluginTensorDesc> const in = atMaximum(inputs);
        std::vector<PluginTensorDesc> const out = atMaximum(outputs);
        return run("getWorkspaceSize", [&] {
            return plugin_.getWorkspaceSize(in.data(), countOf(in), out.data(), countOf(out));
        });
    }

    PluginRecord save() const override {
        PluginRecord record;
        record.style = style();
        record.id = id_;
        record.needsPython = python_;
        record.layer = layer();
        std::size_t const size =
            run("getSerializationSize", [&] { return plugin_.getSerializationSize(); });
        if (size > kLargestState) {
            failCallback(
                layer(), id_, "getSerializationSize",
                fmt::format("expected at most {} bytes, returned {}", kLargestState, size));
        }
        record.blob.resize(size);
        std::byte none{}; // an empty state is written somewhere, too: authors memcpy without a look
        run("serialize", [&] { plugin_.serialize(size == 0 ? &none : record.blob.data()); });
        return record;
    }

    void initialize() override {
        checkedCallback(layer(), id_, "initialize", [&] { return plugin_.initialize(); });
        initialized_ = true;
    }

    void terminate() noexcept override {
        if (initialized_) {
            initialized_ = false;
            plugin_.terminate();
            takeReportedText();
        }
    }

    std::unique_ptr<PluginOp> attach(ContextServices const& services) override {
        std::unique_ptr<PluginOp> copy = clone();
        static_cast<V2DynamicExtOp&>(*copy).attachHere(services);
        return copy;
    }

    std::unique_ptr<PluginOp> attachForTiming(ContextServices const& services) override {
        auto borrowed = std::make_unique<V2DynamicExtOp>(plugin_, Ownership::kBorrowed, layer());
        borrowed->attachHere(services);
        return borrowed;
    }

    void shapeChange(std::span<PluginTensorDesc const> inputs,
                     std::span<PluginTensorDesc const> outputs) override {
        std::vector<DynamicPluginTensorDesc> const in = pinned(inputs);
        std::vector<DynamicPluginTensorDesc> const out = pinned(outputs);
        configure(in, out);
    }

    int32_t enqueue(PluginTensorDesc const* inputDescs, PluginTensorDesc const* outputDescs,
                    void const* const* inputs, void* const* outputs, void* workspace,
                    cudaStream_t stream) noexcept override {
        return plugin_.enqueue(inputDescs, outputDescs, inputs, outputs, workspace, stream);
    }

private:
    // A state above this is a mistake (an uninitialised size, say), not a plugin's data.
    static constexpr std::size_t kLargestState = std::size_t{1} << 32U;

    template <typename F>
    std::invoke_result_t<F> run(std::string_view phase, F&& call) const {
        return callback(layer(), id_, phase, std::forward<F>(call));
    }

    void giveBack(IPluginV2DynamicExt* made) const noexcept {
        if (made != &plugin_) {
            made->destroy();
        }
    }

    void attachHere(ContextServices const& services) {
        run("attachToContext",
            [&] { plugin_.attachToContext(nullptr, nullptr, services.allocator); });
        attached_ = true;
    }

    IPluginV2DynamicExt& plugin_;
    IPluginV2& base_; // getTensorRTVersion is public only there
    bool owned_;
    bool python_ = false;
    bool attached_ = false;
    bool initialized_ = false;
    int32_t outputCount_ = 0;
    PluginId id_;
};

} // namespace

std::unique_ptr<PluginOp> adaptV2DynamicExt(IPluginV2DynamicExt& plugin, Ownership ownership,
                                            std::string_view layer) {
    auto op = std::make_unique<V2DynamicExtOp>(plugin, ownership, layer);
    op->identify();
    return op;
}

std::unique_ptr<PluginOp> adaptV2(IPluginV2& plugin, Ownership ownership, std::string_view layer) {
    auto const tag = static_cast<uint32_t>(plugin.getTensorRTVersion()) >> 24U;
    auto const generation = static_cast<nvinfer1::PluginVersion>(
        tag & ~static_cast<uint32_t>(nvinfer1::kPLUGIN_VERSION_PYTHON_BIT));
    if (generation != nvinfer1::PluginVersion::kV2_DYNAMICEXT) {
        fail(ErrorKind::kUnsupported,
             "[plugin] layer '{}', plugin {} (version {}): expected an IPluginV2DynamicExt, got "
             "plugin interface generation {}. IPluginV2, IPluginV2Ext and IPluginV2IOExt are not "
             "supported yet; derive from IPluginV2DynamicExt or IPluginV3.",
             layer, orEmpty(plugin.getPluginType()), orEmpty(plugin.getPluginVersion()),
             static_cast<int32_t>(generation));
    }
    return adaptV2DynamicExt(static_cast<IPluginV2DynamicExt&>(plugin), ownership, layer);
}

} // namespace kiln::plugin
