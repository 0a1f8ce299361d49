// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/prune.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <set>

namespace kiln::trtexec {
namespace {

using nvinfer1::DataType;
using nvinfer1::LayerType;

std::size_t bytesOf(DataType type) {
    return type == DataType::kFLOAT                             ? 4
           : type == DataType::kHALF || type == DataType::kBF16 ? 2
                                                                : 0;
}

template <typename Bits>
void pruneBits(std::byte* data, int64_t outer, int64_t extent, int64_t inner) {
    constexpr Bits kMagnitude = static_cast<Bits>(~Bits{0}) >> 1;
    auto const at = [&](int64_t index) { return data + index * int64_t{sizeof(Bits)}; };
    for (int64_t block = 0; block < outer * (extent / 4) * inner; ++block) {
        int64_t const first =
            (block / inner / (extent / 4) * extent + block / inner % (extent / 4) * 4) * inner +
            block % inner;
        std::array<std::pair<Bits, int64_t>, 4> four{};
        for (int64_t i = 0; i < 4; ++i) {
            Bits bits{};
            std::memcpy(&bits, at(first + i * inner), sizeof(bits));
            four[static_cast<std::size_t>(i)] = {static_cast<Bits>(bits & kMagnitude), i};
        }
        std::sort(four.begin(), four.end());
        for (std::size_t i = 0; i < 2; ++i) {
            std::memset(at(first + four[i].second * inner), 0, sizeof(Bits));
        }
    }
}

/// The constant layer that makes a tensor, casts between them aside; null if none does.
nvinfer1::IConstantLayer* constantOf(nvinfer1::INetworkDefinition const& network,
                                     nvinfer1::ITensor const* tensor) {
    for (int32_t i = network.getNbLayers() - 1; i >= 0 && tensor != nullptr; --i) {
        nvinfer1::ILayer* const layer = network.getLayer(i);
        if (layer->getNbOutputs() == 0 || layer->getOutput(0) != tensor) {
            continue;
        }
        if (layer->getType() == LayerType::kCONSTANT) {
            return static_cast<nvinfer1::IConstantLayer*>(layer);
        }
        tensor = layer->getType() == LayerType::kCAST ? layer->getInput(0) : nullptr;
    }
    return nullptr;
}

/// The axis that a product sums over, of an operand of this rank.
int32_t summedAxis(nvinfer1::IMatrixMultiplyLayer const& product, int32_t operand, int32_t rank) {
    nvinfer1::MatrixOperation const operation = product.getOperation(operand);
    bool const last = operation == nvinfer1::MatrixOperation::kVECTOR ||
                      (operation == nvinfer1::MatrixOperation::kNONE) == (operand == 0);
    return last ? rank - 1 : rank - 2;
}

} // namespace

void pruneTwoOfFour(std::byte* data, std::size_t elementBytes, nvinfer1::Dims const& dims,
                    int32_t axis) {
    int64_t outer = 1;
    int64_t inner = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        (i < axis ? outer : inner) *= i == axis ? 1 : dims.d[i];
    }
    if (elementBytes == 4) {
        pruneBits<uint32_t>(data, outer, dims.d[axis], inner);
    } else {
        pruneBits<uint16_t>(data, outer, dims.d[axis], inner);
    }
}

nvinfer1::Weights PrunedWeights::pruned(nvinfer1::Weights const& weights,
                                        nvinfer1::Dims const& dims, int32_t axis) {
    std::size_t const bytes = bytesOf(weights.type);
    auto const* const from = static_cast<std::byte const*>(weights.values);
    owned_.emplace_back(from, from + static_cast<std::size_t>(weights.count) * bytes);
    pruneTwoOfFour(owned_.back().data(), bytes, dims, axis);
    return {weights.type, owned_.back().data(), weights.count};
}

PrunedWeights::PrunedWeights(nvinfer1::INetworkDefinition& network, Logger& logger) {
    std::set<nvinfer1::ILayer const*> changed;
    auto const prunes = [](nvinfer1::Weights const& weights) {
        return weights.count > 0 && bytesOf(weights.type) != 0;
    };
    auto const pruneConstant = [&](nvinfer1::ITensor const* tensor, auto const& axisOf) {
        nvinfer1::IConstantLayer* const constant = constantOf(network, tensor);
        if (constant == nullptr || !prunes(constant->getWeights())) {
            return;
        }
        nvinfer1::Dims const dims = constant->getDimensions();
        int32_t const axis = axisOf(dims.nbDims);
        if (axis >= 0 && changed.insert(constant).second) {
            constant->setWeights(pruned(constant->getWeights(), dims, axis));
        }
    };
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        nvinfer1::ILayer* const layer = network.getLayer(i);
        if (layer->getType() == LayerType::kMATRIX_MULTIPLY) {
            auto const& product = *static_cast<nvinfer1::IMatrixMultiplyLayer*>(layer);
            for (int32_t operand = 0; operand < 2; ++operand) {
                pruneConstant(layer->getInput(operand),
                              [&](int32_t rank) { return summedAxis(product, operand, rank); });
            }
        } else if (layer->getType() == LayerType::kCONVOLUTION) {
            auto& convolution = *static_cast<nvinfer1::IConvolutionLayer*>(layer);
            nvinfer1::Weights const weights = convolution.getKernelWeights();
            if (prunes(weights)) { // [maps, channels of a group, positions]
                nvinfer1::Dims const window = convolution.getKernelSizeNd();
                int64_t positions = 1;
                for (int32_t k = 0; k < window.nbDims; ++k) {
                    positions *= window.d[k];
                }
                int64_t const maps = convolution.getNbOutputMaps();
                nvinfer1::Dims const dims{3, {maps, weights.count / maps / positions, positions}};
                convolution.setKernelWeights(pruned(weights, dims, 1));
                changed.insert(layer);
            } else if (layer->getNbInputs() > 1) {
                pruneConstant(layer->getInput(1), [](int32_t) { return 1; });
            }
        }
    }
    logger.info("--sparsity=force: two of each four weights of {} layers are zeros now",
                changed.size());
}

} // namespace kiln::trtexec
