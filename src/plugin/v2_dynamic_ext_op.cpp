// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Adapts IPluginV2DynamicExt to PluginOp. It is configured with ranges at build time, and with the
// actual extents when the shapes of a context change.
#include <vector>

#include "plugin/expr_builder.h"
#include "plugin/spare_tensors.h"
#include "plugin/v2_op.h"

namespace kiln::plugin {
namespace {

using nvinfer1::DynamicPluginTensorDesc;
using nvinfer1::IPluginV2;
using nvinfer1::IPluginV2DynamicExt;
using nvinfer1::PluginTensorDesc;

std::vector<DynamicPluginTensorDesc> pinned(std::span<PluginTensorDesc const> descs) {
    std::vector<DynamicPluginTensorDesc> result;
    result.reserve(descs.size());
    for (PluginTensorDesc const& desc : descs) {
        result.push_back({desc, desc.dims, desc.dims, desc.dims});
    }
    return result;
}

std::vector<PluginTensorDesc> atMaximum(std::span<DynamicPluginTensorDesc const> descs) {
    std::vector<PluginTensorDesc> result;
    result.reserve(descs.size() + kSpareTensors);
    for (DynamicPluginTensorDesc const& desc : descs) {
        result.push_back(desc.desc);
        result.back().dims = desc.max;
    }
    result.insert(result.end(), kSpareTensors, spareDesc());
    return result;
}

class V2DynamicExtOp final : public V2Op {
public:
    V2DynamicExtOp(IPluginV2DynamicExt& plugin, Ownership ownership, std::string_view layer)
        : V2Op(PluginStyle::kV2DynamicExt, plugin, ownership, layer), plugin_(plugin) {}

    void outputTypes(std::span<DataType const> inputs, std::span<int32_t const>,
                     std::span<DataType> outputs) const override {
        askOutputTypes(inputs, outputs);
    }

    void outputShapes(std::span<graph::ShapeExpr const> inputs, std::span<graph::ShapeValues const>,
                      graph::ExprPool& pool, std::span<graph::ShapeExpr> outputs,
                      std::vector<SizeTensor>&) const override {
        ExprBuilder builder(pool, 0);
        std::vector<nvinfer1::DimsExprs> const wrapped = wrappedWithSpare(builder, inputs);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            nvinfer1::DimsExprs shape{};
            withProblemsOf(builder, layer(), id(), "getOutputDimensions", [&] {
                shape = run("getOutputDimensions", [&] {
                    return plugin_.getOutputDimensions(static_cast<int32_t>(i), wrapped.data(),
                                                       countOf(inputs), builder);
                });
            });
            outputs[i] = checkResult(layer(), id(), fmt::format("getOutputDimensions({})", i),
                                     [&] { return builder.unwrap(shape); });
        }
    }

    bool supports(int32_t position, std::span<DynamicPluginTensorDesc const> operands,
                  int32_t inputCount) const override {
        std::vector<PluginTensorDesc> descs;
        descs.reserve(operands.size() + kSpareTensors);
        for (DynamicPluginTensorDesc const& operand : operands) {
            descs.push_back(operand.desc);
        }
        descs.insert(descs.end(), kSpareTensors, spareDesc());
        return run("supportsFormatCombination", [&] {
            return plugin_.supportsFormatCombination(position, descs.data(), inputCount,
                                                     countOf(operands) - inputCount);
        });
    }

    void configure(std::span<DynamicPluginTensorDesc const> inputs,
                   std::span<DynamicPluginTensorDesc const> outputs) override {
        std::vector<DynamicPluginTensorDesc> const in = withSpare(inputs);
        std::vector<DynamicPluginTensorDesc> const out = withSpare(outputs);
        run("configurePlugin", [&] {
            plugin_.configurePlugin(in.data(), countOf(inputs), out.data(), countOf(outputs));
        });
    }

    std::size_t workspaceBytes(std::span<DynamicPluginTensorDesc const> inputs,
                               std::span<DynamicPluginTensorDesc const> outputs) const override {
        std::vector<PluginTensorDesc> const in = atMaximum(inputs);
        std::vector<PluginTensorDesc> const out = atMaximum(outputs);
        return run("getWorkspaceSize", [&] {
            return plugin_.getWorkspaceSize(in.data(), countOf(inputs), out.data(),
                                            countOf(outputs));
        });
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

protected:
    std::unique_ptr<V2Op> another(IPluginV2& plugin, Ownership ownership) const override {
        return std::make_unique<V2DynamicExtOp>(static_cast<IPluginV2DynamicExt&>(plugin),
                                                ownership, layer());
    }

private:
    IPluginV2DynamicExt& plugin_;
};

} // namespace

std::unique_ptr<PluginOp> adaptV2DynamicExt(IPluginV2DynamicExt& plugin, Ownership ownership,
                                            std::string_view layer) {
    auto op = adapterOf(
        ownership, [&] { return std::make_unique<V2DynamicExtOp>(plugin, ownership, layer); },
        [&] { plugin.destroy(); });
    op->identify();
    return op;
}

} // namespace kiln::plugin
