// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Adapts IPluginV2, IPluginV2Ext and IPluginV2IOExt to PluginOp. In these generations the batch is
// a number, not a dimension of a tensor. Networks have explicit dimensions, so the first dimension
// of every input is the batch. The plugin sees the other dimensions, which must be fixed. It is
// configured at build time only, for the largest batch; at run time its state must contain the
// configuration.
#include <algorithm>
#include <vector>

#include "plugin/spare_tensors.h"
#include "plugin/v2_op.h"

namespace kiln::plugin {
namespace {

using nvinfer1::DynamicPluginTensorDesc;
using nvinfer1::IPluginV2;
using nvinfer1::IPluginV2IOExt;
using nvinfer1::PluginTensorDesc;
using nvinfer1::TensorFormat;

Dims withoutBatch(Dims const& dims) {
    Dims rest{};
    for (int32_t axis = 1; axis < dims.nbDims; ++axis) {
        rest.d[rest.nbDims++] = dims.d[axis];
    }
    return rest;
}

/// The parts of descriptors and of the spare ones, each in its own array.
struct Parts {
    std::vector<Dims> dims; ///< without the batch
    std::vector<DataType> types;
    std::vector<PluginTensorDesc> descs; ///< without the batch
    std::unique_ptr<bool[]> broadcast;   ///< all false

    explicit Parts(std::span<DynamicPluginTensorDesc const> from)
        : broadcast(std::make_unique<bool[]>(from.size() + kSpareTensors)) {
        for (DynamicPluginTensorDesc const& desc : withSpare(from)) {
            descs.push_back(desc.desc);
            descs.back().dims = withoutBatch(desc.desc.dims);
            dims.push_back(descs.back().dims);
            types.push_back(desc.desc.type);
        }
    }
};

class V2BatchOp final : public V2Op {
public:
    V2BatchOp(PluginStyle style, IPluginV2& plugin, Ownership ownership, std::string_view layer)
        : V2Op(style, plugin, ownership, layer) {}

    void outputTypes(std::span<DataType const> inputs, std::span<int32_t const>,
                     std::span<DataType> outputs) const override;
    void outputShapes(std::span<graph::ShapeExpr const> inputs,
                      std::span<graph::ShapeValues const> shapeInputs, graph::ExprPool& pool,
                      std::span<graph::ShapeExpr> outputs,
                      std::vector<SizeTensor>& sizeTensors) const override;
    bool supports(int32_t position, std::span<DynamicPluginTensorDesc const> operands,
                  int32_t inputCount) const override;
    void configure(std::span<DynamicPluginTensorDesc const> inputs,
                   std::span<DynamicPluginTensorDesc const> outputs) override;
    std::size_t workspaceBytes(std::span<DynamicPluginTensorDesc const> inputs,
                               std::span<DynamicPluginTensorDesc const> outputs) const override;
    void shapeChange(std::span<PluginTensorDesc const> inputs,
                     std::span<PluginTensorDesc const> outputs) override;

    int32_t enqueue(PluginTensorDesc const*, PluginTensorDesc const*, void const* const* inputs,
                    void* const* outputs, void* workspace, cudaStream_t stream) noexcept override {
        return plugin().enqueue(batch_, inputs, outputs, workspace, stream);
    }

protected:
    std::unique_ptr<V2Op> another(IPluginV2& plugin, Ownership ownership) const override {
        return std::make_unique<V2BatchOp>(style(), plugin, ownership, layer());
    }

private:
    std::vector<Dims> fixedDims(graph::ExprPool const& pool,
                                std::span<graph::ShapeExpr const> inputs) const;
    void checkBroadcast(int32_t output, int32_t inputCount) const;
    bool supportsOne(int32_t position, std::span<DynamicPluginTensorDesc const> operands,
                     int32_t inputCount) const;
    int32_t batchOf(int64_t extent, std::string_view phase) const;

    int32_t batch_ = 0; ///< of the current shapes
};

void V2BatchOp::outputTypes(std::span<DataType const> inputs, std::span<int32_t const>,
                            std::span<DataType> outputs) const {
    if (style() != PluginStyle::kV2) {
        askOutputTypes(inputs, outputs);
        return;
    }
    // One type for all inputs and outputs.
    std::fill(outputs.begin(), outputs.end(), inputs.empty() ? DataType::kFLOAT : inputs[0]);
}

/// The dimensions of the inputs without the batch, as the plugin sees them.
std::vector<Dims> V2BatchOp::fixedDims(graph::ExprPool const& pool,
                                       std::span<graph::ShapeExpr const> inputs) const {
    if (inputs.empty()) {
        failCallback(layer(), id(), "getOutputDimensions",
                     "expected 1 or more inputs, whose first dimension is the batch, got none");
    }
    std::vector<Dims> all;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Dims const dims = knownDims(pool, inputs[i]);
        bool fixed = dims.nbDims > 0;
        for (int32_t axis = 1; axis < dims.nbDims; ++axis) {
            fixed = fixed && dims.d[axis] >= 0;
        }
        if (!fixed) {
            failCallback(layer(), id(), "getOutputDimensions",
                         fmt::format("input {}: expected a batch dimension and behind it fixed "
                                     "ones, got {}. An {} sees no dynamic dimensions: fix them in "
                                     "the network, or derive from IPluginV3",
                                     i, toText(dims), nameOf(style())));
        }
        int64_t const first = pool.constantOr(inputs[0][0]);
        if (first >= 0 && dims.d[0] >= 0 && first != dims.d[0]) {
            failCallback(layer(), id(), "getOutputDimensions",
                         fmt::format("input {}: expected the batch of input 0, {}, as first "
                                     "dimension, got {}",
                                     i, first, dims.d[0]));
        }
        all.push_back(withoutBatch(dims));
    }
    return all;
}

void V2BatchOp::checkBroadcast(int32_t output, int32_t inputCount) const {
    if (style() == PluginStyle::kV2) {
        return;
    }
    auto const none =
        std::make_unique<bool[]>(static_cast<std::size_t>(inputCount) + kSpareTensors);
    if (run("isOutputBroadcastAcrossBatch",
            [&] { return ext().isOutputBroadcastAcrossBatch(output, none.get(), inputCount); })) {
        failCallback(layer(), id(), "isOutputBroadcastAcrossBatch",
                     fmt::format("output {}: expected false, returned true: every output has the "
                                 "batch dimension. Write the output for each element of the batch",
                                 output));
    }
}

void V2BatchOp::outputShapes(std::span<graph::ShapeExpr const> inputs,
                             std::span<graph::ShapeValues const>, graph::ExprPool& pool,
                             std::span<graph::ShapeExpr> outputs, std::vector<SizeTensor>&) const {
    std::vector<Dims> const seen =
        withSpare<Dims>(fixedDims(pool, inputs), withoutBatch(spareDims()));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        auto const index = static_cast<int32_t>(i);
        checkBroadcast(index, countOf(inputs));
        Dims const dims = run("getOutputDimensions", [&] {
            return plugin().getOutputDimensions(index, seen.data(), countOf(inputs));
        });
        bool sound = dims.nbDims >= 0 && dims.nbDims < Dims::MAX_DIMS;
        for (int32_t axis = 0; sound && axis < dims.nbDims; ++axis) {
            sound = dims.d[axis] >= 0;
        }
        if (!sound) {
            failCallback(layer(), id(), fmt::format("getOutputDimensions({})", i),
                         fmt::format("expected 0 to {} dimensions of 0 or more behind the batch, "
                                     "returned {}",
                                     Dims::MAX_DIMS - 1, toText(dims)));
        }
        outputs[i].rank = dims.nbDims + 1;
        outputs[i][0] = inputs[0][0];
        for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
            outputs[i][axis + 1] = pool.constant(dims.d[axis]);
        }
    }
}

/// supportsFormat() has no position. It is only called for the formats that the API documents for
/// it, and a plugin has one format for all its tensors.
bool V2BatchOp::supportsOne(int32_t position, std::span<DynamicPluginTensorDesc const> operands,
                            int32_t inputCount) const {
    PluginTensorDesc const& desc = operands[static_cast<std::size_t>(position)].desc;
    PluginTensorDesc const& first = operands[0].desc;
    bool const old = desc.format == TensorFormat::kLINEAR || desc.format == TensorFormat::kCHW2 ||
                     desc.format == TensorFormat::kHWC8;
    if (!old || desc.format != first.format) {
        return false;
    }
    if (style() == PluginStyle::kV2) {
        if (desc.type != first.type) {
            return false;
        }
    } else if (position >= inputCount) {
        Parts const inputs(operands.first(static_cast<std::size_t>(inputCount)));
        DataType const wanted = run("getOutputDataType", [&] {
            return ext().getOutputDataType(position - inputCount, inputs.types.data(), inputCount);
        });
        if (desc.type != wanted) {
            return false;
        }
    }
    return run("supportsFormat", [&] { return plugin().supportsFormat(desc.type, desc.format); });
}

bool V2BatchOp::supports(int32_t position, std::span<DynamicPluginTensorDesc const> operands,
                         int32_t inputCount) const {
    if (style() != PluginStyle::kV2IOExt) {
        return supportsOne(position, operands, inputCount);
    }
    Parts const all(operands);
    return run("supportsFormatCombination", [&] {
        return static_cast<IPluginV2IOExt&>(plugin()).supportsFormatCombination(
            position, all.descs.data(), inputCount, countOf(operands) - inputCount);
    });
}

int32_t V2BatchOp::batchOf(int64_t extent, std::string_view phase) const {
    if (extent > INT32_MAX) {
        failCallback(layer(), id(), phase,
                     fmt::format("expected a batch of at most {}, got {}", INT32_MAX, extent));
    }
    return static_cast<int32_t>(extent);
}

void V2BatchOp::configure(std::span<DynamicPluginTensorDesc const> inputs,
                          std::span<DynamicPluginTensorDesc const> outputs) {
    Parts const in(inputs);
    Parts const out(outputs);
    PluginTensorDesc const& first = inputs[0].desc;
    if (style() == PluginStyle::kV2) {
        int32_t const most = batchOf(inputs[0].max.d[0], "configureWithFormat");
        run("configureWithFormat", [&] {
            plugin().configureWithFormat(in.dims.data(), countOf(inputs), out.dims.data(),
                                         countOf(outputs), first.type, first.format, most);
        });
    } else if (style() == PluginStyle::kV2Ext) {
        int32_t const most = batchOf(inputs[0].max.d[0], "configurePlugin");
        run("configurePlugin", [&] {
            ext().configurePlugin(in.dims.data(), countOf(inputs), out.dims.data(),
                                  countOf(outputs), in.types.data(), out.types.data(),
                                  in.broadcast.get(), out.broadcast.get(), first.format, most);
        });
    } else {
        run("configurePlugin", [&] {
            static_cast<IPluginV2IOExt&>(plugin()).configurePlugin(
                in.descs.data(), countOf(inputs), out.descs.data(), countOf(outputs));
        });
    }
}

std::size_t V2BatchOp::workspaceBytes(std::span<DynamicPluginTensorDesc const> inputs,
                                      std::span<DynamicPluginTensorDesc const>) const {
    int32_t const most = batchOf(inputs[0].max.d[0], "getWorkspaceSize");
    return run("getWorkspaceSize", [&] { return plugin().getWorkspaceSize(most); });
}

void V2BatchOp::shapeChange(std::span<PluginTensorDesc const> inputs,
                            std::span<PluginTensorDesc const>) {
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        if (inputs[i].dims.d[0] != inputs[0].dims.d[0]) {
            failCallback(layer(), id(), "enqueue",
                         fmt::format("input {}: expected the batch of input 0, {}, as first "
                                     "dimension, got {}",
                                     i, inputs[0].dims.d[0], inputs[i].dims.d[0]));
        }
    }
    batch_ = batchOf(inputs[0].dims.d[0], "enqueue");
}

} // namespace

std::unique_ptr<PluginOp> adaptV2Batch(IPluginV2& plugin, PluginStyle style, Ownership ownership,
                                       std::string_view layer) {
    auto op = adapterOf(
        ownership, [&] { return std::make_unique<V2BatchOp>(style, plugin, ownership, layer); },
        [&] { plugin.destroy(); });
    op->identify();
    return op;
}

} // namespace kiln::plugin
