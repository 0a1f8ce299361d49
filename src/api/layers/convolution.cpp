// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/convolution.h"

#include "api/layers/kernel_layer.h"

namespace kiln::api {

using nvinfer1::Dims;
using nvinfer1::Weights;

nvinfer1::IConvolutionLayer* NetworkDefinition::addConvolutionNd(nvinfer1::ITensor& input,
                                                                 int64_t nbOutputMaps,
                                                                 Dims const& kernelSize,
                                                                 Weights kernelWeights,
                                                                 Weights biasWeights) noexcept {
    return addKernelLayer<nvinfer1::IConvolutionLayer, graph::Convolution>(
        *this, "convolution layer", input, nbOutputMaps, kernelSize, kernelWeights, biasWeights);
}

} // namespace kiln::api
