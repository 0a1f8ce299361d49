// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/control.h"

#include <algorithm>

#include "graph/boundary/boundary.h"
#include "graph/op_registry.h"

namespace kiln::graph {
namespace {

constexpr int32_t kMostValues = 4096; // bounds what a damaged file may ask for

std::string countProblem(int32_t count, int32_t least, std::string_view what) {
    return count >= least && count <= kMostValues
               ? std::string()
               : fmt::format("expected {} to {} {}, got {}.", least, kMostValues, what, count);
}

void expectCount(InferContext const& context, std::string_view kind, int32_t count) {
    expectInputs(context, kind, static_cast<std::size_t>(count), static_cast<std::size_t>(count));
}

/// Input 0 decides on the host.
void expectOnHost(InferContext const& context, std::string_view kind, std::string_view role) {
    TensorFacts const& facts = context.inputs[0];
    if (!facts.values.has_value() || facts.values->size() != 1) {
        fail(
            ErrorKind::kInvalidArgument,
            "{}, {} (input 0): expected one value that is known before the layer runs (a constant, "
            "an extent, a shape input and what is computed from them), got {} {}. Derive it from "
            "shape layers, or declare it as a network input.",
            where(context, kind), role, nameOf(facts.type),
            toText(knownDims(context.pool, facts.shape)));
    }
}

void expectEqual(InferContext const& context, std::string_view kind, int32_t a, int32_t b) {
    TensorFacts const& one = context.inputs[static_cast<std::size_t>(a)];
    TensorFacts const& other = context.inputs[static_cast<std::size_t>(b)];
    if (one.type != other.type || !(one.shape == other.shape)) {
        fail(ErrorKind::kInvalidArgument,
             "{}, inputs {} and {}: expected the same type and shape, got {} {} and {} {}. Cast or "
             "reshape one of them.",
             where(context, kind), a, b, nameOf(one.type),
             toText(knownDims(context.pool, one.shape)), nameOf(other.type),
             toText(knownDims(context.pool, other.shape)));
    }
}

/// A slice of input `operand` along axis 0.
TensorFacts sliceOf(InferContext const& context, std::string_view kind, std::size_t operand) {
    TensorFacts facts = dataOf(context.inputs[operand]);
    if (facts.shape.rank < 1) {
        fail(ErrorKind::kInvalidArgument,
             "{}, input {}: expected a tensor with an axis to take slices along, got a scalar. "
             "Share it with the passes instead.",
             where(context, kind), operand);
    }
    std::copy(facts.shape.extent.begin() + 1, facts.shape.extent.end(), facts.shape.extent.begin());
    --facts.shape.rank;
    return facts;
}

} // namespace

std::string Repeat::problem() const {
    for (auto const& [count, what] :
         {std::pair(carried, "carried values"), std::pair(forward, "sliced tensors"),
          std::pair(backward, "sliced tensors"), std::pair(shared, "shared values")}) {
        if (std::string text = countProblem(count, 0, what); !text.empty()) {
            return text;
        }
    }
    return {};
}

void Repeat::inferChecked(InferContext& context) const {
    expectCount(context, kKind, outputCount());
    expectOnHost(context, kKind, "number of passes");
    for (std::size_t i = 0; i < context.inputs.size(); ++i) {
        auto const at = static_cast<int32_t>(i);
        bool const changes = at > 0 && at <= carried;
        bool const sliced = at > carried && at < firstShared();
        context.outputs[i] = sliced    ? sliceOf(context, kKind, i)
                             : changes ? dataOf(context.inputs[i])
                                       : context.inputs[i];
    }
}

void Test::inferChecked(InferContext& context) const {
    expectCount(context, kKind, 1);
    context.outputs[0] = dataOf(context.inputs[0]);
}

std::string EndRepeat::problem() const {
    for (auto const& [count, what] :
         {std::pair(carried, "carried values"), std::pair(stacked, "kept values"),
          std::pair(reversed, "kept values"), std::pair(sizes, "sizes")}) {
        if (std::string text = countProblem(count, 0, what); !text.empty()) {
            return text;
        }
    }
    return results() > 0 ? std::string() : "expected 1 or more results, got 0.";
}

void EndRepeat::inferChecked(InferContext& context) const {
    expectCount(context, kKind, 1 + 2 * carried);
    for (int32_t i = 0; i < carried; ++i) {
        expectEqual(context, kKind, 1 + i, 1 + carried + i);
        context.outputs[static_cast<std::size_t>(i)] =
            dataOf(context.inputs[static_cast<std::size_t>(1 + i)]);
    }
}

std::string Branch::problem() const {
    return countProblem(shared, 0, "shared values");
}

void Branch::inferChecked(InferContext& context) const {
    expectCount(context, kKind, 1 + shared);
    expectOnHost(context, kKind, "condition");
    std::copy(context.inputs.begin(), context.inputs.end(), context.outputs.begin());
}

std::string Otherwise::problem() const {
    std::string const text = countProblem(results, 1, "results");
    return text.empty() ? countProblem(shared, 0, "shared values") : text;
}

void Otherwise::inferChecked(InferContext& context) const {
    expectCount(context, kKind, 1 + shared + results);
    for (std::size_t i = 0; i < context.inputs.size(); ++i) {
        bool const isResult = i > static_cast<std::size_t>(shared);
        context.outputs[i] = isResult ? dataOf(context.inputs[i]) : context.inputs[i];
    }
}

std::string EndBranch::problem() const {
    std::string const text = countProblem(results, 1, "results");
    return text.empty() ? countProblem(sizes, 0, "sizes") : text;
}

void EndBranch::inferChecked(InferContext& context) const {
    expectCount(context, kKind, 1 + 2 * results);
    for (int32_t i = 0; i < results; ++i) {
        expectEqual(context, kKind, 1 + i, 1 + results + i);
        context.outputs[static_cast<std::size_t>(i)] =
            dataOf(context.inputs[static_cast<std::size_t>(1 + i)]);
    }
}

void Require::infer(InferContext& context) const {
    expectCount(context, kKind, 1);
    context.outputs[0] = dataOf(context.inputs[0]);
}

std::unique_ptr<Op> Require::load(ByteReader& reader) {
    auto op = std::make_unique<Require>();
    op->message = reader.getText();
    return op;
}

bool opensBody(Op const& op) {
    return op.kind() == Repeat::kKind || op.kind() == Branch::kKind;
}

bool isControl(Op const& op) {
    return opensBody(op) || op.kind() == EndRepeat::kKind || op.kind() == Otherwise::kKind ||
           op.kind() == EndBranch::kKind || op.kind() == Test::kKind || op.kind() == Require::kKind;
}

void registerOp_control(OpRegistry& registry) {
    registry.add(Repeat::kKind, &Repeat::load);
    registry.add(Test::kKind, &Test::load);
    registry.add(EndRepeat::kKind, &EndRepeat::load);
    registry.add(Branch::kKind, &Branch::load);
    registry.add(Otherwise::kKind, &Otherwise::load);
    registry.add(EndBranch::kKind, &EndBranch::load);
    registry.add(Require::kKind, &Require::load);
}

} // namespace kiln::graph
