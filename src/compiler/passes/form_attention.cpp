// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Replaces two products with a softmax between, and the scales, masks and transposes around them,
// by one Attention, if the target has a kernel for it that it expects to be faster.
#include <algorithm>

#include "compiler/attention_match.h"
#include "compiler/offer.h"
#include "compiler/passes/passes.h"
#include "compiler/read_weights.h"
#include "compiler/rewriter.h"
#include "compiler/whole_or_parts.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/shuffle.h"

namespace kiln::compiler {
namespace {

using graph::Attention;
using graph::Shuffle;
using Source = AttentionSource;

class AttentionFormer {
public:
    AttentionFormer(Program& program, KernelChooser* chooser)
        : program_(program), chooser_(chooser), rewriter_(program), extents_(extentsOf(program)),
          rules_(program) {}

    void run() {
        ReadWeights const read; // masks are read once for all layers
        for (StepId const id : program_.order()) {
            if (program_.isErased(id) || program_.step(id).isPlugin()) {
                continue;
            }
            if (std::optional<AttentionMatch> const found = matchAttention(program_, rules_, id)) {
                form(*found);
            }
        }
        rewriter_.eraseUnused();
        if (replaced_) {
            program_.weightNames.fixed.insert(read.names().begin(), read.names().end());
        }
    }

private:
    void form(AttentionMatch const& found) {
        Step step = stepOf(found);
        std::string const name = step.name;
        std::string const refusal = refusalOf(found, step);
        if (!refusal.empty()) {
            program_.options.log.verbose("[select] attention '{}': {}.", name, refusal);
            program_.step(found.product).reasons.push_back(refusal);
            return;
        }
        replace(found, std::move(step));
        replaced_ = true;
    }

    /// The Attention. Nothing produces its result, and operands that are no values yet, so far.
    Step stepOf(AttentionMatch const& found) {
        std::vector<ValueId> inputs;
        for (Source const& source : found.sources) {
            inputs.push_back(source.reshape == StepId::kNone ? source.value : untransposed(source));
        }
        if (!found.masks.empty()) {
            inputs.push_back(found.masks.size() == 1 ? found.masks[0] : addBroadcast(found.masks));
        }
        ValueId const product = program_.step(found.product).outputs()[0];
        Shuffle::Order order = Shuffle::kIdentity;
        if (found.transpose != StepId::kNone) {
            std::swap(order[1], order[2]);
        }
        ValueId const result = addPermuted(product, order);
        Step step(std::move(inputs), {result});
        step.name = program_.step(found.product).name;
        step.op = found.op.clone();
        return step;
    }

    /// A new value whose axis i is axis order[i] of another one.
    ValueId addPermuted(ValueId like, Shuffle::Order const& order) {
        Value value;
        value.name = program_.value(like).name;
        value.type = program_.value(like).type;
        value.shape = program_.value(like).shape;
        for (int32_t i = 0; i < value.shape.rank; ++i) {
            value.shape[i] = program_.value(like).shape[order[static_cast<std::size_t>(i)]];
        }
        ValueId const id = program_.addValue(std::move(value));
        for (Table<ValueId, Dims>* const bound : {&extents_.min, &extents_.opt, &extents_.max}) {
            Dims const from = (*bound)[like];
            bound->resize(program_.values().size());
            (*bound)[id] = from;
            for (int32_t i = 0; i < from.nbDims; ++i) {
                (*bound)[id].d[i] = from.d[order[static_cast<std::size_t>(i)]];
            }
        }
        return id;
    }

    /// A new value: of the type of some, which are broadcast to its shape.
    ValueId addBroadcast(std::vector<ValueId> const& parts) {
        Value value;
        value.name = program_.value(parts[0]).name;
        value.type = program_.value(parts[0]).type;
        value.shape = program_.value(parts[0]).shape;
        for (ValueId const part : parts) {
            for (int32_t i = 0; i < value.shape.rank; ++i) {
                bool const one = program_.pool.constantOr(value.shape[i]) == 1;
                value.shape[i] = one ? program_.value(part).shape[i] : value.shape[i];
            }
        }
        ValueId const id = program_.addValue(std::move(value));
        for (Table<ValueId, Dims>* const bound : {&extents_.min, &extents_.opt, &extents_.max}) {
            Dims dims = (*bound)[parts[0]];
            for (ValueId const part : parts) {
                for (int32_t i = 0; i < dims.nbDims; ++i) {
                    dims.d[i] = dims.d[i] == 1 ? (*bound)[part].d[i] : dims.d[i];
                }
            }
            bound->resize(program_.values().size());
            (*bound)[id] = dims;
        }
        return id;
    }

    /// A new value: what a Shuffle gives without its second transpose.
    ValueId untransposed(Source const& source) {
        auto const& op = *program_.step(source.reshape).as<Shuffle>();
        Shuffle::Order inverse = Shuffle::kIdentity;
        for (int32_t i = 0; i < program_.value(source.value).shape.rank; ++i) {
            inverse[static_cast<std::size_t>(op.secondTranspose[static_cast<std::size_t>(i)])] = i;
        }
        return addPermuted(source.value, inverse);
    }

    /// Why the parts stay; empty if the target takes the whole.
    std::string refusalOf(AttentionMatch const& found, Step const& step) const {
        if (!fits(step)) {
            return "attention: expected operands that fit each other for all shapes";
        }
        Offer const whole = offerFor(program_, extents_, step);
        if (!whole.isThere()) {
            return "attention: " + whole.refusal;
        }
        std::vector<OfferedStep> parts;
        for (StepId const id : found.steps) {
            Offer part = offerFor(program_, extents_, program_.step(id), whole.form[0].type);
            if (part.isThere() && isInner(found, id)) {
                parts.push_back({&program_.step(id), std::move(part)});
            }
        }
        WholeOrParts const times = compare(program_, extents_, chooser_, {&step, whole}, parts);
        return times.whole <= times.parts
                   ? std::string()
                   : fmt::format("attention: expected at most {:.3g} ms, as its parts take, got "
                                 "{:.3g} ms by {}",
                                 times.parts * 1e3, times.whole * 1e3, times.source());
    }

    /// Whether nothing but the match reads a step's result.
    bool isInner(AttentionMatch const& found, StepId id) const {
        Value const& value = program_.value(program_.step(id).outputs()[0]);
        return id == found.product ||
               (value.isPrivate() &&
                std::all_of(value.users().begin(), value.users().end(), [&](Use const& use) {
                    return std::find(found.steps.begin(), found.steps.end(), use.step) !=
                           found.steps.end();
                }));
    }

    /// Whether the op's rule gives the shape of the parts, at the bounds of all extents, too.
    bool fits(Step const& step) const {
        ValueId const result = step.outputs()[0];
        try {
            std::vector<graph::TensorFacts> facts;
            for (ValueId const input : step.inputs()) {
                facts.push_back({program_.value(input).type.type, program_.value(input).shape});
            }
            if (!(inferred(program_.pool, *step.op, facts) == program_.value(result).shape)) {
                return false;
            }
            for (Table<ValueId, Dims> const* bound :
                 {&extents_.min, &extents_.opt, &extents_.max}) {
                graph::ExprPool pool;
                for (std::size_t i = 0; i < facts.size(); ++i) {
                    facts[i].shape = graph::constantShape(pool, (*bound)[step.inputs()[i]]);
                }
                static_cast<void>(inferred(pool, *step.op, facts));
            }
            return true;
        } catch (Error const&) {
            return false;
        }
    }

    static graph::ShapeExpr inferred(graph::ExprPool& pool, graph::Op const& op,
                                     std::span<graph::TensorFacts const> inputs) {
        std::vector<graph::TensorFacts> outputs(1);
        graph::InferContext context{pool, {}, inputs, outputs};
        op.infer(context);
        return outputs[0].shape;
    }

    void replace(AttentionMatch const& found, Step attention) {
        for (std::size_t i = 0; i < found.sources.size(); ++i) {
            if (found.sources[i].reshape != StepId::kNone) {
                reshape(found.sources[i], attention.inputs()[i]);
            }
        }
        if (found.masks.size() > 1) {
            joinMasks(found, attention.inputs()[Attention::kMask]);
        }
        ValueId const result = attention.outputs()[0];
        StepId const id = rewriter_.insertBefore(found.product, std::move(attention));
        std::vector<StepId> joined{found.product};
        for (StepId const step : program_.order()) {
            bool const listed =
                std::find(found.steps.begin(), found.steps.end(), step) != found.steps.end();
            if (listed && step != found.product && isInner(found, step)) {
                joined.push_back(step);
            }
        }
        rewriter_.join(id, joined, "form_attention");
        deliver(found, result, id);
    }

    /// Makes one mask of several.
    void joinMasks(AttentionMatch const& found, ValueId result) {
        using Operation = nvinfer1::ElementWiseOperation;
        bool const added = program_.value(found.masks[0]).type.type != DataType::kBOOL;
        ValueId mask = found.masks[0];
        for (std::size_t i = 1; i < found.masks.size(); ++i) {
            bool const last = i + 1 == found.masks.size();
            Step step({mask, found.masks[i]},
                      {last ? result : addBroadcast({mask, found.masks[i]})});
            auto op = std::make_unique<graph::ElementWise>();
            op->operation = added                ? Operation::kSUM
                            : found.op.maskDrops ? Operation::kOR
                                                 : Operation::kAND;
            step.op = std::move(op);
            step.name = program_.step(found.product).name + "/mask";
            mask = step.outputs()[0];
            rewriter_.insertBefore(found.product, std::move(step));
        }
    }

    /// Produces an operand that is a value of its own now.
    void reshape(Source const& source, ValueId value) {
        Step const& old = program_.step(source.reshape);
        auto op = std::make_unique<Shuffle>(*old.as<Shuffle>());
        op->secondTranspose = Shuffle::kIdentity;
        Step step(old.inputs(), {value});
        step.name = old.name;
        step.op = std::move(op);
        rewriter_.insertAfter(source.reshape, std::move(step));
    }

    /// The readers of the product, or of the transpose behind it, read the result.
    void deliver(AttentionMatch const& found, ValueId result, StepId attention) {
        ValueId const product = program_.step(found.product).outputs()[0];
        if (found.transpose == StepId::kNone) {
            rewriter_.erase(found.product);
            rewriter_.setOutput(attention, 0, product);
            return;
        }
        Step& transpose = program_.step(found.transpose);
        Shuffle const& old = *transpose.as<Shuffle>();
        if (transpose.inputs().size() == 1 && old.reshape.nbDims < 0) {
            ValueId const output = transpose.outputs()[0];
            rewriter_.join(attention, {&found.transpose, 1}, "form_attention");
            rewriter_.erase(found.transpose);
            rewriter_.setOutput(attention, 0, output);
        } else {
            auto op = std::make_unique<Shuffle>(old);
            op->firstTranspose = Shuffle::kIdentity;
            transpose.op = std::move(op);
            rewriter_.setInput(found.transpose, 0, result);
        }
        rewriter_.erase(found.product);
    }

    Program& program_;
    KernelChooser* chooser_;
    Rewriter rewriter_;
    bool replaced_ = false; ///< some parts, by an Attention
    Extents extents_;
    ElementRules rules_;
};

} // namespace

void formAttention(Program& program, KernelChooser* chooser) {
    AttentionFormer(program, chooser).run();
}

} // namespace kiln::compiler
