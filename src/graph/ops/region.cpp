// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/region.h"

#include <algorithm>

#include "graph/number_pool.h"
#include "graph/op_registry.h"

namespace kiln::graph {
namespace {

/// Why values cannot be operands of the next node; empty if they can.
std::string operandProblem(std::span<int32_t const> values, int32_t valueCount, int32_t least) {
    for (int32_t const value : values) {
        if (value < least || value >= valueCount) {
            return fmt::format("expected values {} to {}, got {}", least, valueCount - 1, value);
        }
    }
    return {};
}

[[noreturn]] void failCorrupt(std::string const& problem) {
    fail(ErrorKind::kCorruptData, "[plan] parameters of {}: {}. Build the plan again.",
         Region::kKind, problem);
}

} // namespace

int32_t Region::add(std::unique_ptr<Op> op, std::vector<int32_t> inputs) {
    if (std::string const problem = operandProblem(inputs, valueCount_, kAbsent);
        !problem.empty()) {
        fail(ErrorKind::kInternal, "[region] operands of {}: {}.", op->kind(), problem);
    }
    if (op->sizeCount() != 0) {
        fail(ErrorKind::kInternal,
             "[region] {}: sizes that it finds have no place in a region. Report this as a defect "
             "of Kiln.",
             op->kind());
    }
    int32_t const first = valueCount_;
    firstOutputs_.push_back(first);
    valueCount_ += op->outputCount();
    nodes_.push_back({std::move(op), std::move(inputs)});
    return first;
}

void Region::setResults(std::vector<int32_t> results) {
    if (std::string const problem = operandProblem(results, valueCount_, 0); !problem.empty()) {
        fail(ErrorKind::kInternal, "[region] results: {}.", problem);
    }
    results_ = std::move(results);
}

int32_t Region::readersOf(int32_t value) const {
    std::ptrdiff_t count = 0;
    for (Node const& node : nodes_) {
        count += std::count(node.inputs.begin(), node.inputs.end(), value);
    }
    return static_cast<int32_t>(count);
}

int32_t Region::producerOf(int32_t value) const {
    if (value < inputCount_) {
        return -1;
    }
    auto const after = std::upper_bound(firstOutputs_.begin(), firstOutputs_.end(), value);
    return static_cast<int32_t>(after - firstOutputs_.begin()) - 1;
}

std::vector<TensorFacts> Region::facts(ExprPool& pool, std::string_view layer,
                                       std::span<TensorFacts const> inputs) const {
    std::vector<TensorFacts> values(inputs.begin(), inputs.end());
    values.resize(static_cast<std::size_t>(valueCount_));
    std::vector<TensorFacts> operands;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        operands.clear();
        for (int32_t const value : nodes_[i].inputs) {
            operands.push_back(value == kAbsent ? TensorFacts::absent()
                                                : values[static_cast<std::size_t>(value)]);
        }
        std::span<TensorFacts> const outputs(values.data() + firstOutputs_[i],
                                             static_cast<std::size_t>(nodes_[i].op->outputCount()));
        InferContext context{pool, layer, operands, outputs};
        expectPresent(context, *nodes_[i].op);
        nodes_[i].op->infer(context);
    }
    return values;
}

std::vector<Region::KnownValue> Region::valuesAt(std::span<KnownValue const> inputs) const {
    NumberPool const numbers;
    ExprPool& pool = *numbers;
    std::vector<TensorFacts> known;
    for (KnownValue const& input : inputs) {
        known.push_back({input.type, constantShape(pool, input.dims)});
    }
    std::vector<KnownValue> values;
    for (TensorFacts const& value : facts(pool, {}, known)) {
        values.push_back({value.type, knownDims(pool, value.shape)});
    }
    return values;
}

nvinfer1::LayerType Region::layerType() const {
    return nodes_.front().op->layerType();
}

void Region::infer(InferContext& context) const {
    auto const count = static_cast<std::size_t>(inputCount_);
    expectInputs(context, kKind, count, count);
    std::vector<TensorFacts> const values = facts(context.pool, context.layer, context.inputs);
    for (std::size_t i = 0; i < results_.size(); ++i) {
        context.outputs[i] = values[static_cast<std::size_t>(results_[i])];
        context.outputs[i].values.reset();
    }
}

TypeRule Region::typeRule(int32_t operand, int32_t inputCount) const {
    int32_t const value = operand < inputCount
                              ? operand
                              : results_.at(static_cast<std::size_t>(operand - inputCount));
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        auto const inputs = static_cast<int32_t>(nodes_[i].inputs.size());
        for (int32_t j = 0; j < inputs + nodes_[i].op->outputCount(); ++j) {
            int32_t const own = j < inputs ? nodes_[i].inputs[static_cast<std::size_t>(j)]
                                           : firstOutputs_[i] + j - inputs;
            if (own == value && nodes_[i].op->typeRule(j, inputs) == TypeRule::kFixed) {
                return TypeRule::kFixed;
            }
        }
    }
    return TypeRule::kCompute;
}

std::unique_ptr<Op> Region::clone() const {
    auto copy = std::make_unique<Region>(inputCount_);
    for (Node const& node : nodes_) {
        copy->add(node.op->clone(), node.inputs);
    }
    copy->setResults(results_);
    return copy;
}

void Region::save(ByteWriter& writer) const {
    auto const putAll = [&](std::vector<int32_t> const& values) {
        writer.put(static_cast<uint32_t>(values.size()));
        for (int32_t const value : values) {
            writer.put(value);
        }
    };
    writer.put(static_cast<uint32_t>(inputCount_));
    writer.put(static_cast<uint32_t>(nodes_.size()));
    for (Node const& node : nodes_) {
        writer.putText(node.op->kind());
        ByteWriter parameters;
        node.op->save(parameters);
        Bytes const bytes = parameters.take();
        writer.putText({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
        putAll(node.inputs);
    }
    putAll(results_);
}

std::unique_ptr<Op> Region::load(ByteReader& reader) {
    constexpr uint32_t kMost = 4096; // of inputs, nodes and operands: bounds the work of a load
    auto const count = [&](std::string_view what, uint32_t least) {
        auto const number = reader.get<uint32_t>();
        if (number < least || number > kMost) {
            failCorrupt(fmt::format("expected {} to {} {}, got {}", least, kMost, what, number));
        }
        return number;
    };
    auto const getAll = [&](std::string_view what, uint32_t least) {
        std::vector<int32_t> values(count(what, least));
        for (int32_t& value : values) {
            value = reader.get<int32_t>();
        }
        return values;
    };
    auto region = std::make_unique<Region>(static_cast<int32_t>(count("inputs", 0)));
    uint32_t const nodes = count("operations", 1);
    for (uint32_t i = 0; i < nodes; ++i) {
        std::string const kind = reader.getText();
        if (kind == kKind) {
            failCorrupt("expected operations that are no regions themselves, got a region");
        }
        std::string const parameters = reader.getText();
        std::unique_ptr<Op> op = OpRegistry::instance().load(
            kind, {reinterpret_cast<std::byte const*>(parameters.data()), parameters.size()});
        if (op->sizeCount() != 0) {
            failCorrupt(fmt::format("expected operations of known shapes, got {}", kind));
        }
        std::vector<int32_t> inputs = getAll("operands", 0);
        if (std::string const problem = operandProblem(inputs, region->valueCount(), kAbsent);
            !problem.empty()) {
            failCorrupt(fmt::format("operands of {}: {}", kind, problem));
        }
        region->add(std::move(op), std::move(inputs));
    }
    std::vector<int32_t> results = getAll("results", 1);
    if (std::string const problem = operandProblem(results, region->valueCount(), 0);
        !problem.empty()) {
        failCorrupt(fmt::format("results: {}", problem));
    }
    region->setResults(std::move(results));
    return region;
}

void registerOp_region(OpRegistry& registry) {
    registry.add(Region::kKind, &Region::load);
}

} // namespace kiln::graph
