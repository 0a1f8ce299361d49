// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loops and branches, as operations that stand around their bodies: Repeat, body, EndRepeat; or
// Branch, first body, Otherwise, second body, EndBranch. A body reads nothing from outside but the
// outputs of the operation in front of it, constants and host tensors, so a rewrite that follows
// producers and users never leaves a body. The compiler makes them from the layers of the network,
// which say less: graph/boundary/.
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// Inputs: the number of passes, initial values, tensors that the passes take slices of (along axis
/// 0, the first `forward` of them from the first slice on, `backward` of them from the last one),
/// values that all passes share. Outputs: the same as the body sees them; of an initial value, the
/// current one; of a sliced tensor, the slice.
class Repeat final : public OpBase<Repeat> {
public:
    static constexpr std::string_view kKind = "Repeat";
    static constexpr auto kLayerType = nvinfer1::LayerType::kTRIP_LIMIT;

    int32_t carried = 0;
    int32_t forward = 0;
    int32_t backward = 0;
    int32_t shared = 0;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.carried, self.forward, self.backward, self.shared);
    }
    std::string problem() const;
    /// The number of the first shared value among inputs and outputs.
    int32_t firstShared() const { return 1 + carried + forward + backward; }
    int32_t outputCount() const override { return firstShared() + shared; }
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }
    void inferChecked(InferContext& context) const;
};

/// Between the steps of a body that compute whether a pass takes place, and those of the pass.
/// Input: the condition; the loop ends if it is 0. Output: nothing that anyone reads, since every
/// operation has an output.
class Test final : public OpBase<Test> {
public:
    static constexpr std::string_view kKind = "Test";
    static constexpr auto kLayerType = nvinfer1::LayerType::kTRIP_LIMIT;

    template <typename S, typename V>
    static void fields(S&, V&&) {}
    std::string problem() const { return {}; }
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }
    void inferChecked(InferContext& context) const;
};

/// Inputs: output 0 of Repeat, the current values, the next values, values of this pass that are
/// kept. Outputs: the final values; the kept values of all passes along a new axis 0, `stacked` of
/// them from the front, `reversed` of them from the back, then the sizes that extents of these are,
/// if passes find them. The compiler knows how many slices there are.
class EndRepeat final : public OpBase<EndRepeat> {
public:
    static constexpr std::string_view kKind = "EndRepeat";
    static constexpr auto kLayerType = nvinfer1::LayerType::kLOOP_OUTPUT;

    int32_t carried = 0;
    int32_t stacked = 0;
    int32_t reversed = 0;
    int32_t sizes = 0;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.carried, self.stacked, self.reversed, self.sizes);
    }
    std::string problem() const;
    int32_t results() const { return carried + stacked + reversed; }
    int32_t outputCount() const override { return results() + sizes; }
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }
    void inferChecked(InferContext& context) const;
};

/// Inputs: the condition (not 0: the first body runs), values for the bodies. Outputs: the
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
/// results of the body that ran, then the sizes that extents of results are, if these differ.
class EndBranch final : public OpBase<EndBranch> {
public:
    static constexpr std::string_view kKind = "EndBranch";
    static constexpr auto kLayerType = nvinfer1::LayerType::kCONDITIONAL_OUTPUT;

    int32_t results = 0;
    int32_t sizes = 0;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.results, self.sizes);
    }
    std::string problem() const;
    int32_t outputCount() const override { return results + sizes; }
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }
    void inferChecked(InferContext& context) const;
};

/// Fails with a text unless all elements of its input are true. Output: as that of Test.
class Require final : public Op {
public:
    static constexpr std::string_view kKind = "Require";

    std::string message;

    std::string_view kind() const override { return kKind; }
    nvinfer1::LayerType layerType() const override { return nvinfer1::LayerType::kASSERTION; }
    void infer(InferContext& context) const override;
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }
    std::unique_ptr<Op> clone() const override { return std::make_unique<Require>(*this); }
    void save(ByteWriter& writer) const override { writer.putText(message); }
    static std::unique_ptr<Op> load(ByteReader& reader);
};

/// Whether an operation is one of these.
bool isControl(Op const& op);
/// Whether it is Repeat or Branch, whose input 0 decides what runs.
bool opensBody(Op const& op);

} // namespace kiln::graph
