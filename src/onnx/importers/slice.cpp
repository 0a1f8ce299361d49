// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Slice: starts, ends, axes and steps are attributes up to opset 9, inputs from opset 10. Bounds
// are computed here if extents and all operands are known, else by shape arithmetic in the
// network; with computed axes or steps, for all axes of the input. Bounds that only data give, as
// the number of a loop's pass does, select elements.
// Layer: slice. All operands may be computed; from data, with positive steps.

#include "onnx/computed_axes.h"
#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <kiln/known_values.h>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::ElementWiseOperation;
using nvinfer1::ITensor;

namespace {

using Numbers = std::vector<int64_t>;

struct Bounds {
    std::vector<int32_t> axes; // not sorted: in the order of the other entries
    Numbers steps;
    std::optional<Numbers> starts; // nullopt: computed
    std::optional<Numbers> ends;
};

std::optional<Numbers> known(NodeContext& context, size_t index, std::string_view role) {
    Value const& value = context.input(index);
    return value.isConstant ? std::optional(context.integers(index, role, Dims::MAX_DIMS))
                            : std::nullopt;
}

Bounds boundsOf(NodeContext& context, int32_t rank) {
    Bounds bounds;
    Numbers axes;
    int64_t count = 0;
    if (context.opset() >= 10) {
        bounds.starts = known(context, 1, "starts");
        bounds.ends = known(context, 2, "ends");
        Dims const dims = context.dims(context.input(1));
        count = dims.nbDims == 1 ? dims.d[0] : -1;
        axes = context.hasInput(3) ? context.integers(3, "axes", Dims::MAX_DIMS) : axes;
        bounds.steps =
            context.hasInput(4) ? context.integers(4, "steps", Dims::MAX_DIMS) : bounds.steps;
    } else {
        bounds.starts = context.attributes().integers("starts", {});
        bounds.ends = context.attributes().integers("ends", {});
        axes = context.attributes().integers("axes", {});
        count = static_cast<int64_t>(bounds.starts->size());
    }
    if (axes.empty() && count > 0) {
        axes.resize(static_cast<size_t>(toRank(count, "starts")));
        std::iota(axes.begin(), axes.end(), 0);
    }
    if (bounds.steps.empty()) {
        bounds.steps.resize(axes.size(), 1);
    }
    auto const fits = [&](std::optional<Numbers> const& numbers) {
        return !numbers || numbers->size() == axes.size();
    };
    for (int64_t& step : bounds.steps) {
        step = std::clamp(step, -kFarthest, kFarthest); // same result, and can be negated
    }
    bool const zero = std::count(bounds.steps.begin(), bounds.steps.end(), 0) != 0;
    if (count != static_cast<int64_t>(axes.size()) || bounds.steps.size() != axes.size() || zero ||
        !fits(bounds.starts) || !fits(bounds.ends)) {
        context.fail(
            ErrorCode::kINVALID_NODE,
            text("expected starts, ends, axes and steps of one length, and no step of 0, got axes ",
                 axes, " and steps ", bounds.steps, "."));
    }
    bounds.axes = toAxes(axes, rank);
    return bounds;
}

// Clamps a start or an end to an axis, as Python does.
int64_t clamped(int64_t bound, int64_t extent, int64_t step, bool isEnd) {
    bound = bound < 0 ? bound + extent : bound;
    return step > 0 ? std::clamp<int64_t>(bound, 0, extent)
                    : std::clamp<int64_t>(bound, isEnd || extent == 0 ? -1 : 0, extent - 1);
}

void addKnown(NodeContext& context, Bounds const& bounds, Dims const& dims) {
    Dims start = repeatedDims(dims.nbDims, 0, "starts");
    Dims size = dims;
    Dims stride = repeatedDims(dims.nbDims, 1, "steps");
    for (size_t i = 0; i < bounds.axes.size(); ++i) {
        int32_t const axis = bounds.axes[i];
        int64_t const step = bounds.steps[i];
        int64_t const extent = dims.d[axis];
        int64_t const first = clamped((*bounds.starts)[i], extent, step, false);
        int64_t const end = clamped((*bounds.ends)[i], extent, step, true);
        int64_t const span = step > 0 ? end - first : first - end;
        int64_t const stepSize = step > 0 ? step : -step;
        size.d[axis] = std::max<int64_t>(0, span / stepSize + (span % stepSize > 0 ? 1 : 0));
        start.d[axis] = first;
        stride.d[axis] = step;
    }
    context.setOutput(
        context.named(context.network().addSlice(context.tensor(0), start, size, stride)));
}

// The same if extents, starts or ends are known only at run time.
void addComputed(NodeContext& context, Bounds const& bounds) {
    ShapeMath math(context);
    using Operation = ElementWiseOperation;
    Numbers backwards;
    Numbers roundings;
    for (int64_t const step : bounds.steps) {
        backwards.push_back(step < 0 ? -1 : 0);
        roundings.push_back(step < 0 ? step + 1 : step - 1);
    }
    ITensor& zeros = math.vector(Numbers(bounds.axes.size(), 0));
    ITensor& lowestEnd = math.vector(backwards);
    ITensor& steps = math.vector(bounds.steps);
    ITensor& extents = math.extents(context.tensor(0), bounds.axes);
    ITensor& highest = math.combine(extents, Operation::kSUM, lowestEnd);
    auto const within = [&](ITensor& bound, ITensor& lowest) -> ITensor& {
        ITensor& isNegative = math.combine(bound, Operation::kLESS, zeros);
        ITensor& fromBack = math.combine(bound, Operation::kSUM, extents);
        ITensor& position = math.choose(isNegative, fromBack, bound);
        return math.combine(math.combine(position, Operation::kMAX, lowest), Operation::kMIN,
                            highest);
    };
    ITensor& start = within(math.operand(1), zeros);
    ITensor& end = within(math.operand(2), lowestEnd);
    ITensor& span = math.combine(end, Operation::kSUB, start);
    ITensor& rounded = math.combine(span, Operation::kSUM, math.vector(roundings));
    ITensor& count = math.combine(rounded, Operation::kFLOOR_DIV, steps);

    Numbers const sliced(bounds.axes.begin(), bounds.axes.end());
    Dims const axes = toDims(sliced, "axes");
    Dims const none = repeatedDims(axes.nbDims, 0, "axes");
    auto& layer = context.named(context.network().addSlice(context.tensor(0), none, none, none));
    layer.setAxes(axes);
    layer.setInput(1, start);
    layer.setInput(2, math.combine(count, Operation::kMAX, zeros));
    layer.setInput(3, steps);
    context.setOutput(layer);
}

// Whether starts or ends are known only when the layers in front have run.
bool areData(NodeContext& context, Bounds const& bounds) {
    auto const isData = [&](size_t index, std::optional<Numbers> const& numbers) {
        return !numbers && !kiln::hasShapeValues(context.tensor(index));
    };
    return isData(1, bounds.starts) || isData(2, bounds.ends);
}

// Whether the slice is x[i:i + 1] or, for example, x[i + 1:i + 2].
bool takesOne(NodeContext& context, Bounds const& bounds) {
    Value const& start = context.input(1);
    Value const& end = context.input(2);
    ITensor const* const base = start.base != nullptr ? start.base : start.tensor;
    return bounds.axes.size() == 1 && bounds.steps.front() == 1 && base != nullptr &&
           end.base == base && end.offset - start.offset == 1;
}

// Bounds that are data. One element is gathered: it is for the model to stay within the axis.
// Otherwise the elements between the bounds are found, and their number is an extent that is known
// when they are.
void addFound(NodeContext& context, Bounds const& bounds) {
    bool const one = takesOne(context, bounds);
    Term x = Term::input(context, 0);
    Term const starts = vectorInput(context, 1);
    Term const ends = vectorInput(context, 2);
    for (size_t i = 0; i < bounds.axes.size(); ++i) {
        int64_t const step = bounds.steps[i];
        if (step < 0) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_DYNAMIC,
                         text("steps: expected positive ones with bounds that are data, got ", step,
                              ". Reverse the tensor after the slice."));
        }
        auto const at = static_cast<int64_t>(i);
        Term const extent = x.extent(bounds.axes[i]);
        auto const fromFront = [&](Term bounds) {
            Term const bound = bounds.sliced(0, at, 1);
            return (bound < 0.0).choose(bound + extent, bound).max(0.0);
        };
        Term const start = fromFront(starts);
        if (one) {
            x = x.gathered(start, bounds.axes[i]);
            continue;
        }
        Term const index = Term::range(extent);
        Term const behind = index - start;
        Term chosen = behind >= 0.0 && index < fromFront(ends);
        if (step > 1) {
            auto const by = static_cast<double>(step);
            chosen = chosen && behind.floorDiv(by) * by == behind;
        }
        auto* const found = context.network().addNonZero(chosen.tensor(), DataType::kINT64);
        x = x.gathered(x.of(found).removed({0}), bounds.axes[i]);
    }
    context.setOutput(0, x.value());
}

// Input `index` for each axis of the input; `otherwise` for axes that are not given.
Term forEachAxis(NodeContext& context, size_t index, std::optional<ComputedAxes> const& axes,
                 double otherwise, int32_t rank) {
    Term const given = vectorInput(context, index)
                           .clamp(-static_cast<double>(kFarthest), static_cast<double>(kFarthest));
    if (axes) {
        return axes->spread(given, otherwise);
    }
    std::vector<int64_t> const rest(
        static_cast<size_t>(std::max<int64_t>(rank - given.dims().d[0], 0)),
        static_cast<int64_t>(otherwise));
    return rest.empty() ? given : Term::joined({given, Term::vector(context, rest)}, 0);
}

// Axes or steps are known only at run time. Bounds of all axes are computed, so that the direction
// of each is a matter of arithmetic.
void addForAllAxes(NodeContext& context) {
    Term const x = Term::input(context, 0);
    int32_t const rank = x.rank();
    std::optional<ComputedAxes> axes;
    if (context.hasInput(3)) {
        axes.emplace(context, 3, rank);
    }
    Term const extents = x.shape();
    Term const steps = context.hasInput(4) ? forEachAxis(context, 4, axes, 1, rank)
                                           : Term::vector(context, Numbers(rank, 1));
    Term const isBackwards = steps < 0.0;
    Term const lowestEnd = isBackwards.choose(steps.like(-1), steps.like(0));
    Term const highest = extents + lowestEnd;
    auto const within = [&](size_t index, double otherwise, Term lowest) {
        Term const bound = forEachAxis(context, index, axes, otherwise, rank);
        return (bound < 0.0).choose(bound + extents, bound).max(lowest).min(highest);
    };
    Term const start = within(1, 0, steps.like(0));
    Term const span = within(2, static_cast<double>(kFarthest), lowestEnd) - start;
    Term const rounding = isBackwards.choose(steps + 1.0, steps - 1.0);
    Dims const none = repeatedDims(rank, 0, "axes");
    auto& layer = context.named(context.network().addSlice(x.tensor(), none, none, none));
    layer.setInput(1, start.tensor());
    layer.setInput(2, (span + rounding).floorDiv(steps).max(0.0).tensor());
    layer.setInput(3, steps.tensor());
    context.setOutput(layer);
}

bool isComputed(NodeContext& context, size_t index) {
    return context.opset() >= 10 && context.hasInput(index) && !context.isKnown(index);
}

void importSlice(NodeContext& context) {
    if (isComputed(context, 3) || isComputed(context, 4)) {
        addForAllAxes(context);
        return;
    }
    Dims const dims = context.dims(context.input(0));
    Bounds const bounds = boundsOf(context, dims.nbDims);
    bool const extentsKnown =
        std::all_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent >= 0; });
    if (extentsKnown && bounds.starts && bounds.ends) {
        addKnown(context, bounds, dims);
    } else if (context.opset() >= 10 && areData(context, bounds)) {
        addFound(context, bounds);
    } else if (context.opset() >= 10) {
        addComputed(context, bounds);
    } else {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_DYNAMIC,
                     text("expected known extents before operator set 10, got ", dims,
                          ". Convert the model with onnx.version_converter."));
    }
}

} // namespace

void registerImporter_slice(ImporterRegistry& registry) {
    registry.add("Slice", importSlice);
}

} // namespace kiln::onnx
