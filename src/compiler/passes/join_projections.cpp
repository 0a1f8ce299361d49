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
#include "compiler/offer.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "graph/ops/attention.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/shuffle.h"

namespace kiln::compiler {
namespace {

using graph::Attention;
using nvinfer1::MatrixOperation;

/// x W + b, of which an attention reads all channels as heads.
struct Projection {
    std::size_t role = 0; ///< operand of the attention
    ValueId x = ValueId::kNone;
    ValueId weights = ValueId::kNone; ///< [1, inner, width], or [1, width, inner] if transposed
    ValueId bias = ValueId::kNone;    ///< [1, 1, width], or none
    ValueId result = ValueId::kNone;  ///< [batch, length, width]
    bool transposed = false;
    int64_t width = 0;
    std::vector<StepId> steps; ///< reshape, sum, product
};

class ProjectionJoiner {
public:
    explicit ProjectionJoiner(Program& program)
        : program_(program), rewriter_(program), extents_(extentsOf(program)) {}

    void run() {
        for (StepId const id : program_.order()) {
            if (program_.step(id).as<Attention>() == nullptr) {
                continue;
            }
            std::map<ValueId, std::vector<Projection>> byInput;
            for (std::size_t role = 0; role < 3; ++role) {
                if (std::optional<Projection> found = projection(id, role)) {
                    byInput[found->x].push_back(std::move(*found));
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
        found.result = *result;
        ValueId value = *result;
        if (std::optional<ValueId> const sum = biased(value, found)) {
            value = *sum;
        }
        Step const* const product = inner(value);
        auto const* op = product == nullptr ? nullptr : product->as<graph::MatrixMultiply>();
        if (op == nullptr || op->operation[0] != MatrixOperation::kNONE ||
            op->operation[1] == MatrixOperation::kVECTOR) {
            return std::nullopt;
        }
        found.steps.push_back(program_.value(value).producer());
        found.x = product->inputs()[0];
        found.weights = product->inputs()[1];
        found.transposed = op->operation[1] == MatrixOperation::kTRANSPOSE;
        Dims const dims = dimsOf(found.weights);
        bool const fits = isFloatConstant(program_.value(found.weights)) && dims.nbDims == 3 &&
                          dims.d[0] == 1 && dims.d[found.transposed ? 1 : 2] == found.width;
        return fits ? std::optional(std::move(found)) : std::nullopt;
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
                found.steps.push_back(program_.value(value).producer());
                return step->inputs()[1 - side];
            }
        }
        return std::nullopt;
    }

    bool match(std::vector<Projection> const& parts) const {
        auto const typeOf = [&](ValueId value) { return program_.value(value).type; };
        return std::all_of(parts.begin(), parts.end(), [&](Projection const& part) {
            return part.transposed == parts[0].transposed &&
                   typeOf(part.weights) == typeOf(parts[0].weights) &&
                   (part.bias == ValueId::kNone || typeOf(part.bias) == typeOf(parts[0].weights));
        });
    }

    void join(StepId attention, std::vector<Projection> const& parts) {
        int64_t width = 0;
        auto op = std::make_unique<Attention>(*program_.step(attention).as<Attention>());
        for (Projection const& part : parts) {
            op->layouts[part.role] = Attention::Layout::kJoined;
            op->offsets[part.role] = width;
            width += part.width;
        }
        StepId const place = firstOf(parts);
        Step whole = product(parts, width);
        ValueId result = whole.outputs()[0];
        if (!isFaster(parts, whole) || !isOffered(attention, *op, parts, result)) {
            return;
        }
        insert(std::move(whole), parts, place);
        if (std::any_of(parts.begin(), parts.end(),
                        [](Projection const& part) { return part.bias != ValueId::kNone; })) {
            result = sum(parts, width, result, place);
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

    /// The first product in the order of execution.
    StepId firstOf(std::vector<Projection> const& parts) const {
        for (StepId const id : program_.order()) {
            for (Projection const& part : parts) {
                if (part.steps.back() == id) {
                    return id;
                }
            }
        }
        return parts[0].steps.back();
    }

    /// The joined product; its weights have no data yet.
    Step product(std::vector<Projection> const& parts, int64_t width) {
        Dims dims = dimsOf(parts[0].weights);
        dims.d[parts[0].transposed ? 1 : 2] = width;
        ValueId const joined = add(constantLike(parts[0].weights, dims), dims);
        Step step({parts[0].x, joined}, {addResult(parts[0], width)});
        step.name = program_.step(parts[0].steps.back()).name;
        step.op = program_.step(parts[0].steps.back()).op->clone();
        return step;
    }

    bool isFaster(std::vector<Projection> const& parts, Step const& whole) const {
        constexpr double kWorth = 0.95; // of the estimate of the parts
        Offer const offer = offerFor(program_, extents_, whole);
        double seconds = 0.0;
        for (Projection const& part : parts) {
            Step const& step = program_.step(part.steps.back());
            seconds += offerFor(program_, extents_, step).seconds;
        }
        return offer.isThere() && offer.seconds < kWorth * seconds;
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

    void insert(Step step, std::vector<Projection> const& parts, StepId place) {
        std::vector<StepId> products;
        std::vector<ValueId> weights;
        for (Projection const& part : parts) {
            products.push_back(part.steps.back());
            weights.push_back(part.weights);
        }
        // Estimates may have asked for the weights in another type, before they had data.
        std::erase_if(program_.converted,
                      [&](auto const& entry) { return entry.first.first == step.inputs()[1]; });
        // Transposed weights are rows of outputs: those of one part follow those of another.
        program_.value(step.inputs()[1]).data = joined(weights, parts[0].transposed ? 1 : 2);
        step.name.clear();
        StepId const id = rewriter_.insertBefore(place, std::move(step));
        rewriter_.join(id, products, "join_projections");
    }

    ValueId sum(std::vector<Projection> const& parts, int64_t width, ValueId product,
                StepId place) {
        std::vector<ValueId> biases;
        std::vector<StepId> sums;
        for (Projection const& part : parts) {
            if (part.bias != ValueId::kNone) {
                sums.push_back(part.steps[part.steps.size() - 2]);
                biases.push_back(part.bias);
                continue;
            }
            Dims const dims = makeDims({1, 1, part.width});
            std::vector<float> const zeros(static_cast<std::size_t>(part.width), 0.0F);
            DataType const type = program_.value(part.weights).type.type;
            biases.push_back(
                program_.addValue(floatConstant(program_, "no bias", type, dims, zeros)));
        }
        ValueId const result = addResult(parts[0], width);
        Value bias = constantLike(biases[0], makeDims({1, 1, width}));
        bias.data = joined(biases, 2);
        Step step({product, program_.addValue(std::move(bias))}, {result});
        auto op = std::make_unique<graph::ElementWise>();
        op->operation = nvinfer1::ElementWiseOperation::kSUM;
        step.op = std::move(op);
        StepId const id = rewriter_.insertBefore(place, std::move(step));
        rewriter_.join(id, sums, "join_projections");
        return result;
    }

    /// A value like the result of a part, with this width.
    ValueId addResult(Projection const& part, int64_t width) {
        Value const& like = program_.value(part.result);
        Value value;
        value.name = like.name;
        value.type = like.type;
        value.shape = like.shape;
        value.shape[2] = program_.pool.constant(width);
        ValueId const id = program_.addValue(std::move(value));
        for (Table<ValueId, Dims>* const bound : {&extents_.min, &extents_.opt, &extents_.max}) {
            Dims dims = (*bound)[part.result];
            dims.d[2] = width;
            bound->resize(program_.values().size());
            (*bound)[id] = dims;
        }
        return id;
    }

    ValueId add(Value constant, Dims const& dims) {
        ValueId const id = program_.addValue(std::move(constant));
        for (Table<ValueId, Dims>* const bound : {&extents_.min, &extents_.opt, &extents_.max}) {
            bound->resize(program_.values().size());
            (*bound)[id] = dims;
        }
        return id;
    }

    Value constantLike(ValueId like, Dims const& dims) {
        Value value;
        value.name = program_.value(like).name;
        value.origin = program_.value(like).origin;
        value.role = plan::TensorRole::kConstant;
        value.type = program_.value(like).type;
        value.shape = graph::constantShape(program_.pool, dims);
        return value;
    }

    /// The bytes of constants [1, n, m] side by side along an axis.
    ConstantBytes joined(std::vector<ValueId> const& parts, int32_t axis) const {
        auto const rows = static_cast<std::size_t>(axis == 1 ? 1 : dimsOf(parts[0]).d[1]);
        Bytes bytes;
        for (std::size_t row = 0; row < rows; ++row) {
            for (ValueId const part : parts) {
                ByteView const all = program_.value(part).data.view;
                ByteView const own = all.subspan(row * (all.size() / rows), all.size() / rows);
                bytes.insert(bytes.end(), own.begin(), own.end());
            }
        }
        return ConstantBytes(std::move(bytes));
    }

    Program& program_;
    Rewriter rewriter_;
    Extents extents_;
};

} // namespace

void joinProjections(Program& program) {
    ProjectionJoiner(program).run();
}

} // namespace kiln::compiler
