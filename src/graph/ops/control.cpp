// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/control.h"

#include <algorithm>

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

/// What is computed in one pass or one body is data.
TensorFacts dataOf(TensorFacts facts) {
    facts.values.reset();
    return facts;
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

} // namespace

std::string Repeat::problem() const {
    std::string const text = countProblem(carried, 1, "carried values");
    return text.empty() ? countProblem(shared, 0, "shared values") : text;
}

void Repeat::inferChecked(InferContext& context) const {
    expectCount(context, kKind, 1 + carried + shared);
    expectOnHost(context, kKind, "number of passes");
    for (std::size_t i = 0; i < context.inputs.size(); ++i) {
        bool const changes = i > 0 && i <= static_cast<std::size_t>(carried);
        context.outputs[i] = changes ? dataOf(context.inputs[i]) : context.inputs[i];
    }
}

std::string EndRepeat::problem() const {
    return countProblem(carried, 1, "carried values");
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
    return countProblem(results, 1, "results");
}

void EndBranch::inferChecked(InferContext& context) const {
    expectCount(context, kKind, 1 + 2 * results);
    for (int32_t i = 0; i < results; ++i) {
        expectEqual(context, kKind, 1 + i, 1 + results + i);
        context.outputs[static_cast<std::size_t>(i)] =
            dataOf(context.inputs[static_cast<std::size_t>(1 + i)]);
    }
}

bool opensBody(Op const& op) {
    return op.kind() == Repeat::kKind || op.kind() == Branch::kKind;
}

bool isControl(Op const& op) {
    return opensBody(op) || op.kind() == EndRepeat::kKind || op.kind() == Otherwise::kKind ||
           op.kind() == EndBranch::kKind;
}

void registerOp_control(OpRegistry& registry) {
    registry.add(Repeat::kKind, &Repeat::load);
    registry.add(EndRepeat::kKind, &EndRepeat::load);
    registry.add(Branch::kKind, &Branch::load);
    registry.add(Otherwise::kKind, &Otherwise::load);
    registry.add(EndBranch::kKind, &EndBranch::load);
}

} // namespace kiln::graph
