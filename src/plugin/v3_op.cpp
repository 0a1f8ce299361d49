// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Adapts IPluginV3 to PluginOp: three capability interfaces behind one object. The documented life
// cycle: clone when added and for each trial; configure with ranges; at run time one
// attachToContext per context (which clones), setTactic, onShapeChange when shapes change, enqueue;
// delete at the end.
#include "plugin/v3_common.h"

namespace kiln::plugin {
namespace {

using nvinfer1::DynamicPluginTensorDesc;
using nvinfer1::PluginTensorDesc;

struct OneParts {
    using Core = nvinfer1::IPluginV3OneCore;
    using Build = nvinfer1::IPluginV3OneBuild;
    using Runtime = nvinfer1::IPluginV3OneRuntime;
};

class V3Op final : public V3Common<OneParts> {
public:
    using V3Common::V3Common;

    PluginStyle style() const override { return PluginStyle::kV3; }

    void outputTypes(std::span<DataType const> inputs, std::span<int32_t const>,
                     std::span<DataType> outputs) const override {
        std::fill(outputs.begin(), outputs.end(), static_cast<DataType>(-1));
        std::vector<DataType> const types = withSpare(inputs, DataType::kFLOAT);
        runChecked("getOutputDataTypes", [&] {
            return build().getOutputDataTypes(outputs.data(), countOf(outputs), types.data(),
                                              countOf(inputs));
        });
        for (DataType const type : outputs) {
            checkResult(layer(), id(), "getOutputDataTypes", [&] { bitsOf(type); });
        }
    }

    int32_t aliasedInput(int32_t output) const override {
        // Only its version distinguishes IPluginV3OneBuildV2 from IPluginV3OneBuild.
        if (build().getInterfaceInfo().major < 2) {
            return -1;
        }
        return run("getAliasedInput", [&] {
            return static_cast<nvinfer1::IPluginV3OneBuildV2&>(build()).getAliasedInput(output);
        });
    }

    bool supports(int32_t position, std::span<DynamicPluginTensorDesc const> operands,
                  int32_t inputCount) const override {
        std::vector<DynamicPluginTensorDesc> const descs = withSpare(operands);
        return run("supportsFormatCombination", [&] {
            return build().supportsFormatCombination(position, descs.data(), inputCount,
                                                     countOf(operands) - inputCount);
        });
    }

    int32_t combinationLimit() const override {
        int32_t const limit =
            run("getFormatCombinationLimit", [&] { return build().getFormatCombinationLimit(); });
        if (limit < 1) {
            failCallback(layer(), id(), "getFormatCombinationLimit",
                         fmt::format("expected 1 or more, returned {}", limit));
        }
        return limit;
    }

    std::size_t workspaceBytes(std::span<DynamicPluginTensorDesc const> inputs,
                               std::span<DynamicPluginTensorDesc const> outputs) const override {
        std::vector<DynamicPluginTensorDesc> const in = withSpare(inputs);
        std::vector<DynamicPluginTensorDesc> const out = withSpare(outputs);
        return run("getWorkspaceSize", [&] {
            return build().getWorkspaceSize(in.data(), countOf(inputs), out.data(),
                                            countOf(outputs));
        });
    }

    std::unique_ptr<PluginOp> attach(ContextServices const& services) override {
        ResourceLease context(services);
        std::unique_ptr<PluginOp> attached =
            copied("attachToContext", [&] { return runtime().attachToContext(context.get()); });
        if (attached->style() != PluginStyle::kV3) {
            failCallback(layer(), id(), "attachToContext",
                         fmt::format("expected an {}, returned an {}. Return a copy",
                                     nameOf(PluginStyle::kV3), nameOf(attached->style())));
        }
        static_cast<V3Op&>(*attached).lease_ = std::move(context);
        return attached;
    }

    void shapeChange(std::span<PluginTensorDesc const> inputs,
                     std::span<PluginTensorDesc const> outputs) override {
        runChecked("onShapeChange", [&] {
            return runtime().onShapeChange(inputs.data(), countOf(inputs), outputs.data(),
                                           countOf(outputs));
        });
        enqueuer_ = &runtime();
    }

    int32_t enqueue(PluginTensorDesc const* inputDescs, PluginTensorDesc const* outputDescs,
                    void const* const* inputs, void* const* outputs, void* workspace,
                    cudaStream_t stream) noexcept override {
        return enqueuer_->enqueue(inputDescs, outputDescs, inputs, outputs, workspace, stream);
    }
    nvinfer1::IPluginV3OneRuntime* enqueuer() const noexcept override { return enqueuer_; }

private:
    nvinfer1::IPluginV3OneRuntime* enqueuer_ = nullptr; ///< set by shapeChange, for the hot path
};

} // namespace

void checkTactics(std::string_view layer, PluginId const& id, std::vector<int32_t> const& tactics) {
    std::vector<int32_t> sorted = tactics;
    std::sort(sorted.begin(), sorted.end());
    auto const twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (!sorted.empty() && sorted.front() <= 0) {
        failCallback(layer, id, "getValidTactics",
                     fmt::format("expected positive tactics, got {}; 0 stands for a plugin "
                                 "without tactics",
                                 sorted.front()));
    }
    if (twice != sorted.end()) {
        failCallback(layer, id, "getValidTactics",
                     fmt::format("expected tactics that differ, got {} twice", *twice));
    }
}

std::unique_ptr<PluginOp> adaptV3(nvinfer1::IPluginV3& plugin, Ownership ownership,
                                  std::string_view layer) {
    auto const giveBack = [&] { delete &plugin; };
    constexpr std::string_view kPhase = "capability interface CORE";
    nvinfer1::IPluginCapability* core = nullptr;
    bool const quick = adapterOf(
        ownership,
        [&] {
            core = callback(layer, {}, kPhase, [&] {
                return plugin.getCapabilityInterface(nvinfer1::PluginCapabilityType::kCORE);
            });
            if (core == nullptr) {
                failCallback(layer, {}, kPhase, "expected an interface, returned null");
            }
            return orEmpty(core->getInterfaceInfo().kind) ==
                   std::string_view("PLUGIN_V3QUICK_CORE");
        },
        giveBack);
    if (quick) {
        return adaptQuick(plugin, ownership, *core, layer);
    }
    auto op = adapterOf(
        ownership, [&] { return std::make_unique<V3Op>(plugin, ownership, layer); }, giveBack);
    op->identify(*core);
    return op;
}

} // namespace kiln::plugin
