// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loops and branches, as operations that stand around their bodies: Repeat, body, EndRepeat; or
// Branch, first body, Otherwise, second body, EndBranch. A body reads nothing from outside but the
// outputs of the operation in front of it, constants and host tensors, so a rewrite that follows
// producers and users never leaves a body.
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// Inputs: the number of passes (host), initial values, values that all passes share. Outputs: the
/// same as the body sees them; of an initial value, the current one.
class Repeat final : public OpBase<Repeat> {
public:
    static constexpr std::string_view kKind = "Repeat";
    static constexpr auto kLayerType = nvinfer1::LayerType::kTRIP_LIMIT;

    int32_t carried = 0;
    int32_t shared = 0;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.carried, self.shared);
    }
    std::string problem() const;
    int32_t outputCount() const override { return 1 + carried + shared; }
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }
    void inferChecked(InferContext& context) const;
};

/// Inputs: output 0 of Repeat, the current values, the next values. Outputs: the final values.
class EndRepeat final : public OpBase<EndRepeat> {
public:
    static constexpr std::string_view kKind = "EndRepeat";
    static constexpr auto kLayerType = nvinfer1::LayerType::kLOOP_OUTPUT;

    int32_t carried = 0;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.carried);
    }
    std::string problem() const;
    int32_t outputCount() const override { return carried; }
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }
    void inferChecked(InferContext& context) const;
};

/// Inputs: the condition (host; not 0: the first body runs), values for the bodies. Outputs: the
/// same as the first body sees them.
class Branch final : public OpBase<Branch> {
public:
    static constexpr std::string_view kKind = "Branch";
    static constexpr auto kLayerType = nvinfer1::LayerType::kCONDITION;

    int32_t shared = 0;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.shared);
    }
    std::string problem() const;
    int32_t outputCount() const override { return 1 + shared; }
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }
    void inferChecked(InferContext& context) const;
};

/// Inputs: the outputs of Branch, the results of the first body. Outputs: the outputs of Branch as
/// the second body sees them, the results for EndBranch.
class Otherwise final : public OpBase<Otherwise> {
public:
    static constexpr std::string_view kKind = "Otherwise";
    static constexpr auto kLayerType = nvinfer1::LayerType::kCONDITIONAL_INPUT;

    int32_t shared = 0;
    int32_t results = 0;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.shared, self.results);
    }
    std::string problem() const;
    int32_t outputCount() const override { return 1 + shared + results; }
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }
    void inferChecked(InferContext& context) const;
};

/// Inputs: output 0 of Otherwise, the results of the first body, those of the second. Outputs: the
/// results of the body that ran.
class EndBranch final : public OpBase<EndBranch> {
public:
    static constexpr std::string_view kKind = "EndBranch";
    static constexpr auto kLayerType = nvinfer1::LayerType::kCONDITIONAL_OUTPUT;

    int32_t results = 0;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.results);
    }
    std::string problem() const;
    int32_t outputCount() const override { return results; }
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }
    void inferChecked(InferContext& context) const;
};

/// Whether an operation is one of these.
bool isControl(Op const& op);
/// Whether it is Repeat or Branch, whose input 0 decides what runs.
bool opensBody(Op const& op);

} // namespace kiln::graph
