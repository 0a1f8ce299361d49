// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <memory>

#include "graph/ops/activation.h"
#include "graph/ops/convolution.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/region.h"
#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {

/// Skips the tests of a build without oneDNN.
class Onednn : public testing::Test {
protected:
    void SetUp() override;
};

/// Whether oneDNN multiplies bfloat16 on this processor.
bool hasBfloat16();
/// float32, and bfloat16 where the processor has it.
std::vector<DataType> typesOfProcessor();

inline std::unique_ptr<graph::Convolution> convolutionOf(int64_t maps, Dims const& size,
                                                         Dims const& padding, int64_t groups = 1) {
    auto op = std::make_unique<graph::Convolution>();
    op->maps = maps;
    op->groups = groups;
    op->window = graph::Window::ofSize(size);
    op->window.prePadding = padding;
    op->window.postPadding = padding;
    return op;
}

inline std::unique_ptr<graph::Activation> activationOf(nvinfer1::ActivationType type,
                                                       float alpha = 0.0F, float beta = 0.0F) {
    auto op = std::make_unique<graph::Activation>();
    op->type = type;
    op->alpha = alpha;
    op->beta = beta;
    return op;
}

inline std::unique_ptr<graph::ElementWise> elementwiseOf(nvinfer1::ElementWiseOperation operation) {
    auto op = std::make_unique<graph::ElementWise>();
    op->operation = operation;
    return op;
}

/// A convolution in doubles: any number of spatial axes, no stride or dilation other than the op's.
std::vector<double> plainConvolution(graph::Convolution const& op, Values const& x,
                                     Values const& kernel, Dims const& output);

/// The kernel of oneDNN among those that the target has for the op.
target::Candidate onednnFor(graph::Op const& op, std::vector<Values> const& inputs,
                            TensorFormat outputFormat = TensorFormat::kLINEAR);

/// What oneDNN computed. Fails the test if it refuses.
Values runOnednn(graph::Op const& op, std::vector<Values> const& inputs,
                 TensorFormat outputFormat = TensorFormat::kLINEAR);

/// Compares element by element.
void expectNear(Values const& got, std::vector<double> const& expected, Tolerance tolerance);

} // namespace kiln::test
