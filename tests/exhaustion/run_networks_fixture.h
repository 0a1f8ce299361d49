// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Networks of the layers that models spend their time on, with weights of no meaning.
#pragma once

#include <memory>
#include <vector>

#include <NvInfer.h>

namespace kiln::test {

/// A network whose weights live as long as this object; its last tensor is the output "y".
class RunNetwork {
public:
    explicit RunNetwork(nvinfer1::INetworkDefinition& network) : network_(network) {}

    /// Blocks of a residual network: convolutions of one position, of several, with steps, and of
    /// each channel alone; pooling, a mean, a product, softmax. Input x[1, 3, 32, 32].
    void addResidual();
    /// A block of a transformer: attention and a wide product with GELU, each added to its input
    /// and normalized. Input x[1, 40, 64].
    void addTransformer();

private:
    nvinfer1::Weights weights(int64_t count);
    nvinfer1::ITensor* constant(nvinfer1::Dims const& dims);
    nvinfer1::ITensor* convolution(nvinfer1::ITensor* x, int64_t maps, int64_t window, int64_t step,
                                   bool relu, bool each = false);
    nvinfer1::ITensor* sum(nvinfer1::ITensor* a, nvinfer1::ITensor* b);
    nvinfer1::ITensor* relu(nvinfer1::ITensor* x);
    nvinfer1::ITensor* dense(nvinfer1::ITensor* x, int64_t inner, int64_t columns);
    nvinfer1::ITensor* heads(nvinfer1::ITensor* x);
    nvinfer1::ITensor* normalized(nvinfer1::ITensor* x);
    void end(nvinfer1::ITensor* y);

    nvinfer1::INetworkDefinition& network_;
    std::vector<std::unique_ptr<float[]>> memory_;
};

} // namespace kiln::test
