// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "compiler/nesting.h"
#include "compiler/rewriter.h"

namespace kiln::compiler {

/// Imports the layers of a network with loops and conditionals, in the order of their bodies, and
/// makes the operations around each body.
class ControlImporter {
public:
    using Known = std::unordered_map<graph::Tensor const*, ValueId>;
    struct Layers {
        std::function<void(graph::Node&)> import;         ///< appends the steps of a layer
        std::function<bool(graph::Tensor const&)> onHost; ///< whether the host knows its elements
        std::function<void(int32_t, ValueId)> noteSize;   ///< the value that holds a size
    };

    /// `known`: the values of tensors, as the body sees them whose layers are imported.
    ControlImporter(graph::Network const& network,
                    std::unordered_set<graph::Node const*> const& needed, Rewriter& rewriter,
                    Known& known, Layers layers)
        : inputs_(network.inputs()), nesting_(network, needed), program_(rewriter.program()),
          rewriter_(rewriter), known_(known), layers_(std::move(layers)) {}

    void run();

private:
    /// Who decides: an expression, or the value that is input 0.
    struct Decider {
        graph::ExprRef expr = -1;
        ValueId value = ValueId::kNone;
        bool tests = false; ///< a loop: each pass also tests its condition
    };
    /// Gives the tensors that bodies share other values, and takes them back.
    class Scope;

    void importPlace(PlaceId id, FlowBlock const* loop);
    void importLoop(FlowBlock const& block);
    void endLoop(FlowBlock const& block, std::vector<ValueId> const& seen);
    void importBranch(FlowBlock const& block);
    /// Adds the sizes that a result's extents are to the outputs of the step that ends its body;
    /// returns how many there are.
    int32_t addSizes(graph::Node const& result, std::vector<ValueId>& outputs);

    Decider limitOf(FlowBlock const& block);
    Decider decidedBy(graph::Tensor& tensor);
    Decider decidedBy(graph::ExprRef expr);
    graph::ExprRef mostPasses(FlowBlock const& block);
    void appendTest(FlowBlock const& block);
    /// The tensor with another order of axes, by a step of its own.
    ValueId transposed(ValueId source, int32_t from, int32_t to, std::string const& name);
    void checkNext(graph::Node const& recurrence, ValueId current, ValueId next) const;
    std::vector<graph::Tensor*> sharedBy(std::initializer_list<PlaceId> bodies) const;
    ValueId valueOf(graph::Tensor* tensor) const;
    /// A value of the same type and shape.
    ValueId like(ValueId value, std::string name);
    ValueId valueFor(graph::Tensor const& tensor);
    /// A loop exchanges the memory of its values, so a debug listener is shown a copy of one.
    void copyForListeners(graph::Node const& node);
    /// Copies for listeners of what conditionals give a tensor as names.
    void copyNames(graph::Tensor const& tensor, ValueId source);
    void copyInto(ValueId source, ValueId copy, std::string const& layer);
    void append(std::unique_ptr<graph::Op> op, FlowBlock const& block, std::vector<ValueId> inputs,
                std::vector<ValueId> outputs, graph::ExprRef decider = -1);
    static std::string nameOf(FlowBlock const& block);

    std::vector<graph::Tensor*> const& inputs_; ///< of the network
    Nesting nesting_;
    Program& program_;
    Rewriter& rewriter_;
    Known& known_;
    Layers layers_;
};

} // namespace kiln::compiler
