// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "compiler/constants.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "graph/ops/cast.h"
#include "graph/ops/constant.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/reduce.h"
#include "graph/ops/select.h"
#include "graph/ops/shuffle.h"
#include "graph/ops/slice.h"
#include "graph/ops/softmax.h"
#include "graph/ops/unary.h"
#include "target/backend_registry.h"

namespace kiln::compiler {

/// Networks of few layers as programs, after the patterns.
class ProgramTest : public testing::Test {
protected:
    using Tensor = graph::Tensor;
    using Operation = nvinfer1::ElementWiseOperation;

    Tensor& input(std::string_view name, Dims const& dims, DataType type = DataType::kFLOAT) {
        return network.addInput(std::string(name), type, dims);
    }
    Tensor& constant(std::vector<float> values, Dims const& dims) {
        std::vector<float> const& kept = weights_.emplace_back(std::move(values));
        auto op = std::make_unique<graph::Constant>();
        op->dims = dims;
        op->value = {DataType::kFLOAT, kept.data(), static_cast<int64_t>(kept.size())};
        return *network.addNode(std::move(op), {}).outputs[0];
    }
    /// A scalar of this rank.
    Tensor& scalar(float value, int32_t rank) {
        Dims dims{rank, {}};
        std::fill_n(dims.d, rank, 1);
        return constant({value}, dims);
    }
    Tensor& elementwise(Operation operation, Tensor& a, Tensor& b) {
        auto op = std::make_unique<graph::ElementWise>();
        op->operation = operation;
        return *network.addNode(std::move(op), {&a, &b}).outputs[0];
    }
    Tensor& times(Tensor& x, float factor) {
        return elementwise(Operation::kPROD, x, scalar(factor, network.facts(x).shape.rank));
    }
    Tensor& sum(Tensor& a, Tensor& b) { return elementwise(Operation::kSUM, a, b); }
    Tensor& product(Tensor& a, Tensor& b, bool transposesB = false) {
        auto op = std::make_unique<graph::MatrixMultiply>();
        op->operation[1] =
            transposesB ? nvinfer1::MatrixOperation::kTRANSPOSE : nvinfer1::MatrixOperation::kNONE;
        return *network.addNode(std::move(op), {&a, &b}).outputs[0];
    }
    Tensor& softmax(Tensor& x, int32_t axis = -1) {
        auto op = std::make_unique<graph::SoftMax>();
        op->axes =
            1U << static_cast<uint32_t>(axis < 0 ? network.facts(x).shape.rank + axis : axis);
        return *network.addNode(std::move(op), {&x}).outputs[0];
    }
    Tensor& transpose(Tensor& x, std::initializer_list<int32_t> order) {
        auto op = std::make_unique<graph::Shuffle>();
        std::copy(order.begin(), order.end(), op->firstTranspose.begin());
        return *network.addNode(std::move(op), {&x}).outputs[0];
    }
    Tensor& reshape(Tensor& x, Dims const& dims) {
        auto op = std::make_unique<graph::Shuffle>();
        op->reshape = dims;
        return *network.addNode(std::move(op), {&x}).outputs[0];
    }
    Tensor& cast(Tensor& x, DataType type) {
        auto op = std::make_unique<graph::Cast>();
        op->toType = type;
        return *network.addNode(std::move(op), {&x}).outputs[0];
    }
    Tensor& select(Tensor& condition, Tensor& a, Tensor& b) {
        return *network.addNode(std::make_unique<graph::Select>(), {&condition, &a, &b}).outputs[0];
    }
    /// `size` elements from `start` on along the last axis.
    Tensor& slice(Tensor& x, int64_t start, int64_t size) {
        auto op = std::make_unique<graph::Slice>();
        op->start = op->size = graph::knownDims(network.pool(), network.facts(x).shape);
        std::fill_n(op->start.d, op->start.nbDims, 0);
        op->stride = op->start;
        std::fill_n(op->stride.d, op->stride.nbDims, 1);
        op->start.d[op->start.nbDims - 1] = start;
        op->size.d[op->size.nbDims - 1] = size;
        return *network.addNode(std::move(op), {&x}).outputs[0];
    }

    Tensor& mean(Tensor& x, uint32_t axes, bool keepsAxes = true) {
        auto op = std::make_unique<graph::Reduce>();
        op->operation = nvinfer1::ReduceOperation::kAVG;
        op->axes = axes;
        op->keepsAxes = keepsAxes;
        return *network.addNode(std::move(op), {&x}).outputs[0];
    }
    Tensor& unary(nvinfer1::UnaryOperation operation, Tensor& x) {
        auto op = std::make_unique<graph::Unary>();
        op->operation = operation;
        return *network.addNode(std::move(op), {&x}).outputs[0];
    }

    /// The kinds of the steps that make an output.
    std::vector<std::string> kindsFor(Tensor& output) {
        std::vector<std::string> kinds;
        Program const& program = programFor(output);
        for (StepId const id : program.order()) {
            kinds.emplace_back(program.step(id).op->kind());
        }
        return kinds;
    }
    /// The program that makes an output, after the patterns.
    Program& programFor(Tensor& output) {
        network.markOutput(output);
        program_.emplace(network.pool(), target::BackendRegistry::instance().open("cpu"), nullptr,
                         options);
        applyProfiles(network, *program_);
        importNetwork(network, *program_);
        applyValues(*program_);
        rewrite(*program_);
        checkProgram(*program_, "rewrite");
        return *program_;
    }

    graph::Network network{true};
    Options options;

private:
    std::deque<std::vector<float>> weights_;
    std::optional<Program> program_;
};

} // namespace kiln::compiler
