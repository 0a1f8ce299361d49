// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The products that give an attention its queries, keys and values read one tensor, each with
// weights of its own. Where the target expects that to be faster, they become one product with the
// weights side by side, of which the attention reads slices. On a GPU this saves launches; on the
// CPU one product of 128 x 768 x 2304 takes as long as three of 128 x 768 x 768.
#include <algorithm>
#include <map>

#include "compiler/constants.h"
#include "compiler/joined_product.h"
#include "compiler/passes/passes.h"
#include "compiler/whole_or_parts.h"
#include "graph/ops/attention.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/shuffle.h"

namespace kiln::compiler {
namespace {

using graph::Attention;

/// x W + b, of which an attention reads all channels as heads.
struct Projection {
    std::size_t role = 0; ///< operand of the attention
    WeightProduct product;
    ValueId bias = ValueId::kNone; ///< [1, 1, width], or none
    StepId sum = StepId::kNone;    ///< adds the bias
    int64_t width = 0;
    std::vector<StepId> steps; ///< reshape, sum, product
};

class ProjectionJoiner {
public:
    ProjectionJoiner(Program& program, KernelChooser* chooser)
        : program_(program), chooser_(chooser), rewriter_(program), extents_(extentsOf(program)) {}

    void run() {
        for (StepId const id : program_.order()) {
            if (program_.step(id).as<Attention>() == nullptr) {
                continue;
            }
            std::map<ValueId, std::vector<Projection>> byInput;
            for (std::size_t role = 0; role < 3; ++role) {
                if (std::optional<Projection> found = projection(id, role)) {
                    byInput[found->product.x].push_back(std::move(*found));
                }
            }
            for (auto const& [x, parts] : byInput) {
                if (parts.size() > 1 && match(parts)) {
                    join(id, parts);
                }
            }
        }
        rewriter_.eraseUnused();
    }

private:
    /// The producer of a value that only one operand of one step reads.
    Step const* inner(ValueId value) const {
        Value const& at = program_.value(value);
        return at.isPrivate() && at.users().size() == 1 ? program_.producerOf(value) : nullptr;
    }

    Dims dimsOf(ValueId value) const {
        return graph::knownDims(program_.pool, program_.value(value).shape);
    }

    std::optional<Projection> projection(StepId attention, std::size_t role) const {
        Step const& step = program_.step(attention);
        Projection found;
        found.role = role;
        std::optional<ValueId> const result = unsplit(*step.as<Attention>(), step, found);
        if (!result.has_value()) {
            return std::nullopt;
        }
        ValueId value = *result;
        if (std::optional<ValueId> const sum = biased(value, found)) {
            value = *sum;
        }
        std::optional<WeightProduct> const product = weightProductOf(program_, value);
        if (!product.has_value() || program_.value(value).users().size() != 1 ||
            product->width != found.width || dimsOf(product->weights).nbDims != 3) {
            return std::nullopt;
        }
        found.product = *product;
        found.steps.push_back(product->step);
        return found;
    }

    /// The [batch, length, width] behind an operand, all of whose channels are heads.
    std::optional<ValueId> unsplit(Attention const& op, Step const& step, Projection& found) const {
        ValueId value = step.inputs()[found.role];
        found.width = op.headsOf(found.role) * op.sizeOf(found.role);
        if (op.layouts[found.role] == Attention::Layout::kLengthFirst) {
            Step const* const split = inner(value);
            auto const* shuffle = split == nullptr ? nullptr : split->as<graph::Shuffle>();
            if (shuffle == nullptr || shuffle->firstTranspose != graph::Shuffle::kIdentity ||
                shuffle->secondTranspose != graph::Shuffle::kIdentity) {
                return std::nullopt;
            }
            graph::ShapeExpr const& parts = program_.value(value).shape;
            graph::ShapeExpr const& whole = program_.value(split->inputs()[0]).shape;
            if (whole.rank != 3 || whole[0] != parts[0] || whole[1] != parts[1]) {
                return std::nullopt;
            }
            found.steps.push_back(program_.value(value).producer());
            return split->inputs()[0];
        }
        bool const isWhole = op.layouts[found.role] == Attention::Layout::kJoined &&
                             dimsOf(value).d[2] == found.width;
        return isWhole ? std::optional(value) : std::nullopt;
    }

    /// The product in x W + b, with b of one element for each channel.
    std::optional<ValueId> biased(ValueId value, Projection& found) const {
        Step const* const step = inner(value);
        auto const* op = step == nullptr ? nullptr : step->as<graph::ElementWise>();
        if (op == nullptr || op->operation != nvinfer1::ElementWiseOperation::kSUM) {
            return std::nullopt;
        }
        for (std::size_t side = 0; side < 2; ++side) {
            ValueId const bias = step->inputs()[side];
            Dims const dims = dimsOf(bias);
            if (isFloatConstant(program_.value(bias)) && dims.nbDims == 3 && dims.d[0] == 1 &&
                dims.d[1] == 1 && dims.d[2] == found.width) {
                found.bias = bias;
                found.sum = program_.value(value).producer();
                found.steps.push_back(found.sum);
                return step->inputs()[1 - side];
            }
        }
        return std::nullopt;
    }

    static std::vector<WeightProduct> productsOf(std::vector<Projection> const& parts) {
        std::vector<WeightProduct> products;
        for (Projection const& part : parts) {
            products.push_back(part.product);
        }
        return products;
    }

    bool match(std::vector<Projection> const& parts) const {
        auto const typeOf = [&](ValueId value) { return program_.value(value).type; };
        return JoinedProduct::fits(program_, productsOf(parts)) &&
               std::all_of(parts.begin(), parts.end(), [&](Projection const& part) {
                   return part.bias == ValueId::kNone ||
                          typeOf(part.bias) == typeOf(parts[0].product.weights);
               });
    }

    void join(StepId attention, std::vector<Projection> const& parts) {
        JoinedProduct whole(program_, extents_, productsOf(parts));
        auto op = std::make_unique<Attention>(*program_.step(attention).as<Attention>());
        for (std::size_t i = 0; i < parts.size(); ++i) {
            op->layouts[parts[i].role] = Attention::Layout::kJoined;
            op->offsets[parts[i].role] = whole.beginOf(i);
        }
        ValueId result = whole.result();
        if (!isFaster(parts, whole.step()) || !isOffered(attention, *op, parts, result)) {
            return;
        }
        StepId const product = whole.insert(rewriter_, "join_projections");
        if (std::any_of(parts.begin(), parts.end(),
                        [](Projection const& part) { return part.bias != ValueId::kNone; })) {
            result = sum(parts, whole, product);
        }
        program_.step(attention).op = std::move(op);
        for (Projection const& part : parts) {
            rewriter_.setInput(attention, part.role, result);
        }
        for (Projection const& part : parts) {
            for (StepId const step : part.steps) {
                rewriter_.erase(step);
            }
        }
    }

    /// The type in which a GPU probably runs the products: estimates in float32, where the work
    /// takes ten times as long, would hide what a launch costs. Nullopt: the declared one.
    std::optional<DataType> likelyType() const {
        Options const& options = program_.options;
        bool const onHost = program_.device != nullptr && program_.device->isHost();
        if (onHost || program_.stronglyTyped) {
            return std::nullopt;
        }
        return options.allowHalf       ? std::optional(DataType::kHALF)
               : options.allowBfloat16 ? std::optional(DataType::kBF16)
                                       : std::nullopt;
    }

    bool isFaster(std::vector<Projection> const& parts, Step const& whole) const {
        constexpr double kWorth = 0.95; // of the time of the parts
        std::optional<DataType> const type = likelyType();
        Offer const offer = offerFor(program_, extents_, whole, type);
        std::vector<OfferedStep> apart;
        for (Projection const& part : parts) {
            Step const& step = program_.step(part.product.step);
            apart.push_back({&step, offerFor(program_, extents_, step, type)});
        }
        bool const all = offer.isThere() &&
                         std::all_of(apart.begin(), apart.end(),
                                     [](OfferedStep const& one) { return one.offer.isThere(); });
        WholeOrParts const times =
            compare(program_, extents_, all ? chooser_ : nullptr, {&whole, offer}, apart);
        return offer.isThere() && times.whole < kWorth * times.parts;
    }

    /// Whether the target has a kernel for an attention that reads slices.
    bool isOffered(StepId attention, Attention const& op, std::vector<Projection> const& parts,
                   ValueId joined) const {
        Step const& old = program_.step(attention);
        std::vector<ValueId> inputs = old.inputs();
        for (Projection const& part : parts) {
            inputs[part.role] = joined;
        }
        Step step(std::move(inputs), old.outputs());
        step.name = old.name;
        step.op = op.clone();
        return offerFor(program_, extents_, step).isThere();
    }

    /// Adds the biases of the parts to the product.
    ValueId sum(std::vector<Projection> const& parts, JoinedProduct const& whole, StepId product) {
        std::vector<ValueId> biases;
        std::vector<StepId> sums;
        for (Projection const& part : parts) {
            if (part.bias != ValueId::kNone) {
                sums.push_back(part.sum);
                biases.push_back(part.bias);
                continue;
            }
            Dims const dims = makeDims({1, 1, part.width});
            std::vector<float> const zeros(static_cast<std::size_t>(part.width), 0.0F);
            DataType const type = program_.value(part.product.weights).type.type;
            biases.push_back(
                program_.addValue(floatConstant(program_, "no bias", type, dims, zeros)));
        }
        ValueId const bias =
            addConstantLike(program_, extents_, biases[0], makeDims({1, 1, whole.width()}));
        program_.value(bias).recipe = sideBySide(program_, biases, true);
        ValueId const result = addWithWidth(program_, extents_, whole.result(), whole.width());
        Step step({whole.result(), bias}, {result});
        auto op = std::make_unique<graph::ElementWise>();
        op->operation = nvinfer1::ElementWiseOperation::kSUM;
        step.op = std::move(op);
        StepId const id = rewriter_.insertAfter(product, std::move(step));
        rewriter_.join(id, sums, "join_projections");
        return result;
    }

    Program& program_;
    KernelChooser* chooser_;
    Rewriter rewriter_;
    Extents extents_;
};

} // namespace

void joinProjections(Program& program, KernelChooser* chooser) {
    ProjectionJoiner(program, chooser).run();
}

} // namespace kiln::compiler
