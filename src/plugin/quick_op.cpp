// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Adapts IPluginV3 with the quick interfaces (decorated functions) to PluginOp. Just in time: a
// clone for each context runs enqueue. Ahead of time: the plugin returns kernels at build time and
// is not needed afterwards.
#include <kiln/aot.h>

#include "base/tensor_layout.h"
#include "plugin/aot_collector.h"
#include "plugin/check_aot.h"
#include "plugin/launch_params.h"
#include "plugin/v3_common.h"

namespace kiln::plugin {
namespace {

using nvinfer1::DynamicPluginTensorDesc;
using nvinfer1::PluginTensorDesc;

/// Limit on combinations: a larger count is an error of the plugin.
constexpr int32_t kMostCombinations = 1 << 16;

struct QuickParts {
    using Core = nvinfer1::IPluginV3QuickCore;
    using Build = nvinfer1::IPluginV3QuickBuild;
    using Runtime = nvinfer1::IPluginV3QuickRuntime;
};

class QuickOp final : public V3Common<QuickParts> {
public:
    using V3Common::V3Common;

    PluginStyle style() const override {
        return aheadOfTime() ? PluginStyle::kQuickAot : PluginStyle::kQuick;
    }

    /// False for decorated Python functions, so that they are not queried when a plan is opened: a
    /// process that only runs an engine need not have autotune, a plan stores only the attributes
    /// of impl, and the tensors of impl have their own types, shapes and strides.
    bool hasBuildPart() const override { return !needsPython() && V3Common::hasBuildPart(); }

    void outputTypes(std::span<DataType const> inputs, std::span<int32_t const> ranks,
                     std::span<DataType> outputs) const override {
        std::fill(outputs.begin(), outputs.end(), static_cast<DataType>(-1));
        std::vector<DataType> const types = withSpare(inputs, DataType::kFLOAT);
        std::vector<int32_t> const allRanks = withSpare(ranks, spareDims().nbDims);
        runChecked("getOutputDataTypes", [&] {
            return build().getOutputDataTypes(outputs.data(), countOf(outputs), types.data(),
                                              allRanks.data(), countOf(inputs));
        });
        for (DataType const type : outputs) {
            checkResult(layer(), id(), "getOutputDataTypes", [&] { bitsOf(type); });
        }
    }

    int32_t aliasedInput(int32_t output) const override {
        return run("getAliasedInput", [&] { return build().getAliasedInput(output); });
    }

    bool listsCombinations() const override { return true; }
    bool supports(int32_t, std::span<DynamicPluginTensorDesc const>, int32_t) const override {
        return false; // not called: the plugin lists its combinations
    }
    int32_t combinationLimit() const override { return kMostCombinations; }

    std::vector<PluginTensorDesc> combinations(std::span<DynamicPluginTensorDesc const> operands,
                                               int32_t inputCount) const override {
        int32_t const outputs = countOf(operands) - inputCount;
        std::vector<DynamicPluginTensorDesc> const descs = withSpare(operands);
        int32_t const count = run("getNbSupportedFormatCombinations", [&] {
            return build().getNbSupportedFormatCombinations(descs.data(), inputCount, outputs);
        });
        if (count < 1 || count > kMostCombinations) {
            failCallback(layer(), id(), "getNbSupportedFormatCombinations",
                         fmt::format("expected 1 to {}, returned {}", kMostCombinations, count));
        }
        PluginTensorDesc unset{};
        unset.type = static_cast<DataType>(-1);
        unset.format = static_cast<TensorFormat>(-1);
        std::vector<PluginTensorDesc> listed(operands.size() * static_cast<std::size_t>(count),
                                             unset);
        runChecked("getSupportedFormatCombinations", [&] {
            return build().getSupportedFormatCombinations(descs.data(), inputCount, outputs,
                                                          listed.data(), count);
        });
        for (PluginTensorDesc const& desc : listed) {
            checkResult(layer(), id(), "getSupportedFormatCombinations", [&] {
                bitsOf(desc.type);
                if (!traitsOf(desc.format).has_value()) {
                    fail(ErrorKind::kInvalidArgument, "expected a memory format, got {}",
                         static_cast<int32_t>(desc.format));
                }
            });
        }
        return listed;
    }

    std::size_t workspaceBytes(std::span<DynamicPluginTensorDesc const>,
                               std::span<DynamicPluginTensorDesc const>) const override {
        return 0; // the quick interfaces have no workspace
    }

    PluginRecord save() const override {
        if (!aheadOfTime()) {
            return V3Common::save();
        }
        // The code runs without the plugin, so the attributes only inform readers of the plan. A
        // plugin without a runtime interface need not provide them.
        PluginRecord record;
        if (findCapability<Runtime>(nvinfer1::PluginCapabilityType::kRUNTIME) != nullptr) {
            record = V3Common::save();
        }
        record.style = style();
        record.id = id();
        record.needsPython = false;
        record.layer = layer();
        return record;
    }

    bool aheadOfTime() const override {
        std::string_view const kind = orEmpty(build().getInterfaceInfo().kind);
        return kind == "PLUGIN_V3QUICKAOT_BUILD" || givesCode();
    }

    std::vector<AotKernel> code(std::span<graph::ShapeExpr const> shapes,
                                std::span<DynamicPluginTensorDesc const> operands, int32_t tactic,
                                std::string_view target, std::string_view architecture,
                                graph::ExprPool& pool) const override;

    std::unique_ptr<PluginOp> attach(ContextServices const&) override {
        return copied("clone", [&] { return plugin().clone(); });
    }

    void shapeChange(std::span<PluginTensorDesc const> inputs,
                     std::span<PluginTensorDesc const> outputs) override {
        inputCount_ = countOf(inputs);
        outputCount_ = countOf(outputs);
        inputStrides_ = stridesWithSpare(inputs);
        outputStrides_ = stridesWithSpare(outputs);
        enqueuer_ = &runtime();
    }

    int32_t enqueue(PluginTensorDesc const* inputDescs, PluginTensorDesc const* outputDescs,
                    void const* const* inputs, void* const* outputs, void*,
                    cudaStream_t stream) noexcept override {
        return enqueuer_->enqueue(inputDescs, outputDescs, inputs, outputs, inputStrides_.data(),
                                  outputStrides_.data(), inputCount_, outputCount_, stream);
    }

private:
    bool givesCode() const {
        return orEmpty(build().getInterfaceInfo().kind) == std::string_view("KILN_AOT_BUILD");
    }
    void failIfRefused(ExprBuilder const& builder, std::string_view phase) const {
        for (std::string const* text : {&builder.problem(), &builder.refusal()}) {
            if (!text->empty()) {
                failCallback(layer(), id(), phase, *text);
            }
        }
    }
    std::vector<AotKernel> oneKernel(std::span<nvinfer1::DimsExprs const> shapes,
                                     std::span<DynamicPluginTensorDesc const> operands,
                                     ExprBuilder& builder, graph::ExprPool& pool) const;

    static std::vector<Dims> stridesWithSpare(std::span<PluginTensorDesc const> descs) {
        std::vector<Dims> strides;
        strides.reserve(descs.size() + kSpareTensors);
        for (PluginTensorDesc const& desc : descs) {
            strides.push_back(stridesOf(desc.format, desc.dims));
        }
        strides.insert(strides.end(), kSpareTensors, spareDims()); // extents of 1: strides of 1
        return strides;
    }

    int32_t inputCount_ = 0; ///< this and the next three: set by shapeChange, for the hot path
    int32_t outputCount_ = 0;
    std::vector<Dims> inputStrides_;
    std::vector<Dims> outputStrides_;
    nvinfer1::IPluginV3QuickRuntime* enqueuer_ = nullptr;
};

std::vector<AotKernel> QuickOp::code(std::span<graph::ShapeExpr const> shapes,
                                     std::span<DynamicPluginTensorDesc const> operands,
                                     int32_t tactic, std::string_view target,
                                     std::string_view architecture, graph::ExprPool& pool) const {
    auto& aot = static_cast<nvinfer1::IPluginV3QuickAOTBuild&>(build());
    ExprBuilder builder(pool, 0);
    std::vector<nvinfer1::DimsExprs> in;
    for (graph::ShapeExpr const& shape : shapes) {
        in.push_back(builder.wrap(shape));
    }
    int32_t const inputs = countOf(in);
    int32_t const outputs = countOf(operands) - inputs;
    runChecked("setTactic", [&] { return aot.setTactic(tactic); });
    std::vector<AotKernel> kernels;
    std::string_view phase = "getKernel";
    if (givesCode()) {
        phase = "getCode";
        AotCollector collector(pool, builder);
        runChecked(phase, [&] {
            return static_cast<IAotBuild&>(aot).getCode(
                in.data(), operands.data(), inputs, outputs, std::string(target).c_str(),
                std::string(architecture).c_str(), collector, builder);
        });
        failIfRefused(builder, phase); // first: the collector's error may follow from this one
        if (!collector.problem().empty()) {
            failCallback(layer(), id(), phase, collector.problem());
        }
        kernels = collector.take();
    } else {
        kernels = oneKernel(in, operands, builder, pool);
        failIfRefused(builder, phase);
    }
    CodeTarget const wanted{std::string(target),
                            std::string(architecture),
                            inputs,
                            outputs,
                            {shapes.begin(), shapes.end()}};
    checkResult(layer(), id(), phase, [&] { checkAot(kernels, wanted, pool); });
    return kernels;
}

std::vector<AotKernel> QuickOp::oneKernel(std::span<nvinfer1::DimsExprs const> shapes,
                                          std::span<DynamicPluginTensorDesc const> operands,
                                          ExprBuilder& builder, graph::ExprPool& pool) const {
    auto& aot = static_cast<nvinfer1::IPluginV3QuickAOTBuild&>(build());
    int32_t const inputs = countOf(shapes);
    int32_t const outputs = countOf(operands) - inputs;
    LaunchParams launch(builder);
    SymList extra(builder);
    runChecked("getLaunchParams", [&] {
        return aot.getLaunchParams(shapes.data(), operands.data(), inputs, outputs, &launch, &extra,
                                   builder);
    });
    std::vector<PluginTensorDesc> descs;
    for (DynamicPluginTensorDesc const& operand : operands) {
        descs.push_back(operand.desc);
    }
    char const* entry = nullptr;
    char* bytes = nullptr;
    int32_t size = 0;
    runChecked("getKernel", [&] {
        return aot.getKernel(descs.data(), inputs, descs.data() + inputs, outputs, &entry, &bytes,
                             &size);
    });
    if (size < 0 || (bytes == nullptr && size > 0)) {
        failCallback(layer(), id(), "getKernel",
                     fmt::format("expected code and its length, got {} bytes{}", size,
                                 bytes == nullptr ? " at a null address" : ""));
    }
    AotKernel kernel = AotCollector::plainKernel(pool, orEmpty(entry));
    launch.fill(kernel);
    kernel.scalars = checkResult(layer(), id(), "getLaunchParams", [&] { return extra.scalars(); });
    CodeImage image;
    auto const* const first = reinterpret_cast<std::byte const*>(bytes);
    image.bytes.assign(first, first + size);
    kernel.images.push_back(std::move(image));
    return {std::move(kernel)};
}

} // namespace

std::unique_ptr<PluginOp> adaptQuick(nvinfer1::IPluginV3& plugin, Ownership ownership,
                                     nvinfer1::IPluginCapability& core, std::string_view layer) {
    auto op = adapterOf(
        ownership, [&] { return std::make_unique<QuickOp>(plugin, ownership, layer); },
        [&] { delete &plugin; });
    op->identify(core);
    return op;
}

} // namespace kiln::plugin
