// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions over 1 to 3 spatial axes, with groups. Activations are linear or channels-last; all
// tensors with the rank of the output have the same format.
#include <algorithm>

#include "target/workload/convolution.h"
#include "targets/cpu/onednn/blueprint.h"
#include "targets/cpu/onednn/padded_source.h"
#include "targets/cpu/onednn/scaled_weights.h"

namespace kiln::targets::cpu::onednn {
namespace {

using target::ConvolutionWorkload;
using target::Workload;

graph::Convolution const& opOf(Fusion const& fusion) {
    return static_cast<graph::Convolution const&>(*fusion.anchor);
}

std::size_t biasOf(Fusion const& fusion) {
    return opOf(fusion).places(fusion.anchorInputs.size()).bias;
}

ConvolutionWorkload workloadOf(Fusion const& fusion, Workload const& workload) {
    std::vector<target::OperandType> types;
    std::vector<Dims> dims;
    for (std::size_t i = 0; i < fusion.anchorInputs.size(); ++i) {
        types.push_back(workload.inputTypes[fusion.inputOfAnchor(i)]);
        dims.push_back(workload.inputs[fusion.inputOfAnchor(i)]);
    }
    return target::convolutionWorkload(
        opOf(fusion), Workload{types, workload.outputTypes, dims, workload.outputs});
}

/// Whether an operand has one value for each map.
bool isForMaps(Dims const& dims, Dims const& output) {
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        if (dims.d[axis] != (axis == 1 ? output.d[1] : 1)) {
            return false;
        }
    }
    return dims.nbDims == output.nbDims;
}

bool isTaken(TensorFormat format, int32_t rank) {
    return format == TensorFormat::kLINEAR || (format == TensorFormat::kHWC && rank == 4) ||
           (format == TensorFormat::kDHWC && rank == 5);
}

class ConvolutionAnchor final : public Anchor {
public:
    std::string refuse(Fusion const& fusion, Workload const& workload) const override {
        TensorFormat const format = workload.outputTypes[0].format;
        Dims const& output = workload.outputs[0];
        if (!isTaken(format, output.nbDims)) {
            return fmt::format("expected a linear or channels-last output, got {}", nameOf(format));
        }
        for (std::size_t i = 0; i < workload.inputs.size(); ++i) {
            TensorFormat const own = workload.inputTypes[i].format;
            Dims const& dims = workload.inputs[i];
            bool const plain =
                i == weightsAt(fusion) || dims.nbDims != output.nbDims || fusion.isChannelwise(i);
            if (fusion.isSingle(i)) {
                continue; // one number
            }
            TensorFormat const expected = plain ? TensorFormat::kLINEAR : format;
            // One value for each map has the same place in both formats.
            bool const either = !plain && i != fusion.inputOfAnchor(0) && isForMaps(dims, output) &&
                                isTaken(own, dims.nbDims);
            if (own != expected && !either) {
                return fmt::format("expected format {} of input {}, as the output has, got {}",
                                   nameOf(expected), i, nameOf(own));
            }
        }
        return scaleProblem(fusion, workload);
    }

    std::size_t weightsAt(Fusion const& fusion) const override {
        return fusion.inputOfAnchor(opOf(fusion).places(fusion.anchorInputs.size()).kernel);
    }

    bool takesOrder(Fusion const&, Workload const&) const override { return true; }

    Weights weightsOf(Fusion const& fusion, std::span<target::OperandType const> inputs,
                      Dims const& dims) const override {
        int64_t const groups = opOf(fusion).groups;
        Weights weights{fusion.widens ? DataType::kFLOAT : inputs[weightsAt(fusion)].type, {}, {}};
        if (groups > 1) {
            weights.extents = {groups, dims.d[0] / groups};
        } else {
            weights.extents = {dims.d[0]};
        }
        weights.extents.push_back(channelsInMemory(inputs[fusion.inputOfAnchor(0)], dims.d[1]));
        weights.extents.insert(weights.extents.end(), dims.d + 2, dims.d + dims.nbDims);
        weights.strides.resize(weights.extents.size(), 1);
        for (std::size_t i = weights.extents.size(); i > 1; --i) {
            weights.strides[i - 2] = weights.strides[i - 1] * weights.extents[i - 1];
        }
        return weights;
    }

    Blueprint describe(Fusion const& fusion, Workload const& workload, Order order) const override {
        ConvolutionWorkload const conv = workloadOf(fusion, workload);
        DataType const written = workload.outputTypes[0].type;
        DataType const type = fusion.quantized ? DataType::kFLOAT : written;
        TensorFormat const format = workload.outputTypes[0].format;
        Dims const& output = workload.outputs[0];
        std::size_t const source = fusion.inputOfAnchor(0);
        std::size_t const kernel = weightsAt(fusion);

        BlueprintMaker maker(fusion, workload);
        Dims image = workload.inputs[source];
        image.d[1] = channelsInMemory(workload.inputTypes[source], image.d[1]);
        auto const from = maker.input(DNNL_ARG_SRC, source,
                                      tensor({workload.inputTypes[source].type, format}, image));
        auto const weights =
            maker.input(DNNL_ARG_WEIGHTS, kernel,
                        weightsOf(fusion, workload.inputTypes, workload.inputs[kernel]).in(order));
        auto const to = maker.output(tensor({written, format}, output));
        const_dnnl_memory_desc_t bias = nullptr;
        PostOp const* const sum = maker.firstSum();
        if (std::size_t const at = biasOf(fusion); at != 0 && !fusion.quantized) {
            bias = maker.input(DNNL_ARG_BIAS, fusion.inputOfAnchor(at), dense(type, {conv.maps}));
        } else if (sum != nullptr &&
                   isForMaps(workload.inputs[static_cast<std::size_t>(sum->operand)], output)) {
            bias = maker.input(DNNL_ARG_BIAS, static_cast<std::size_t>(sum->operand),
                               dense(type, {conv.maps}));
            maker.skipFirst();
        }
        auto const attributes = maker.attributes([&](std::size_t operand) {
            if (fusion.isSingle(operand) || fusion.isChannelwise(operand)) {
                Extents extents(static_cast<std::size_t>(output.nbDims), 1);
                extents[1] = volume(workload.inputs[operand], "scale"); // 1, or the maps
                return dense(type, extents);
            }
            return tensor({type, format}, workload.inputs[operand]);
        });
        Extents strides;
        Extents dilations;
        Extents before;
        Extents after;
        auto const axes = {&conv.depth, &conv.height, &conv.width};
        for (auto axis = axes.end() - conv.axes; axis != axes.end(); ++axis) {
            strides.push_back((*axis)->stride);
            dilations.push_back((*axis)->dilation - 1);
            before.push_back((*axis)->before);
            after.push_back((*axis)->after);
        }
        return maker.finish([&](dnnl_primitive_desc_t* desc, dnnl_engine_t engine) {
            return Library::instance().convolution_forward_primitive_desc_create(
                desc, engine, dnnl_forward_inference, dnnl_convolution_direct, from, weights, bias,
                to, strides.data(), dilations.data(), before.data(), after.data(),
                attributes.get());
        });
    }

    double operations(Fusion const& fusion, Workload const& workload) const override {
        ConvolutionWorkload const conv = workloadOf(fusion, workload);
        return 2.0 * static_cast<double>(conv.batch * conv.maps) *
               static_cast<double>(conv.outputPlane()) * static_cast<double>(conv.patchSize());
    }
};

} // namespace

Anchor const& convolutionAnchor() {
    static ConvolutionAnchor const anchor;
    return anchor;
}

} // namespace kiln::targets::cpu::onednn
