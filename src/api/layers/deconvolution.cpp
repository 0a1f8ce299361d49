// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/deconvolution.h"

#include "api/layers/kernel_layer.h"

namespace kiln::api {

using nvinfer1::Dims;
using nvinfer1::Weights;

nvinfer1::IDeconvolutionLayer* NetworkDefinition::addDeconvolutionNd(nvinfer1::ITensor& input,
                                                                     int64_t nbOutputMaps,
                                                                     Dims kernelSize,
                                                                     Weights kernelWeights,
                                                                     Weights biasWeights) noexcept {
    return addKernelLayer<nvinfer1::IDeconvolutionLayer, graph::Deconvolution>(
        *this, "deconvolution layer", input, nbOutputMaps, kernelSize, kernelWeights, biasWeights);
}

} // namespace kiln::api
