// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Networks build circular padding and tiling from standard layers: concatenations of slices of one
// tensor. If the pieces follow each other modulo the tensor's extent, the concatenation becomes one
// slice that wraps around, and the steps that become unused are removed. The tensor is then read
// once and written once, for any number of padded axes.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "graph/ops/concatenation.h"
#include "graph/ops/slice.h"

namespace kiln::compiler {
namespace {

using graph::Concatenation;
using graph::Slice;
using nvinfer1::SampleMode;

/// A value as a part of another value: `size` coordinates from `start` on along each axis, modulo
/// the extent. An axis of unknown extent is taken whole.
struct View {
    ValueId root = ValueId::kNone;
    Dims start{};
    Dims size{};
};

class SliceFolder {
public:
    explicit SliceFolder(Program& program) : program_(program), rewriter_(program) {}

    void run() {
        bool folded = false;
        for (StepId const id : program_.order()) {
            Step& step = program_.step(id);
            if (auto const* slice = step.as<Slice>()) {
                remember(step, viewOf(*slice, step));
            } else if (auto const* joined = step.as<Concatenation>()) {
                std::optional<View> const view = viewOf(*joined, step);
                remember(step, view);
                folded = (view.has_value() && replace(id, *view)) || folded;
            }
        }
        if (folded) {
            rewriter_.eraseUnused();
        }
    }

private:
    Dims dimsOf(ValueId value) const {
        return graph::knownDims(program_.pool, program_.value(value).shape);
    }

    bool plain(ValueId value) const {
        Value const& own = program_.value(value);
        return own.role != plan::TensorRole::kValues && own.type.format == TensorFormat::kLINEAR;
    }

    /// A value that is not a view of another value is a view of itself.
    View known(ValueId value) const {
        if (auto const found = views_.find(value); found != views_.end()) {
            return found->second;
        }
        View view;
        view.root = value;
        view.size = dimsOf(value);
        view.start.nbDims = view.size.nbDims;
        return view;
    }

    void remember(Step const& step, std::optional<View> const& view) {
        if (view.has_value() && plain(step.outputs()[0])) {
            views_.emplace(step.outputs()[0], *view);
        }
    }

    std::optional<View> viewOf(Slice const& op, Step const& step) const {
        if (step.inputs().size() > 1 || op.mode != SampleMode::kSTRICT_BOUNDS ||
            !plain(step.inputs()[0])) {
            return std::nullopt;
        }
        View view = known(step.inputs()[0]);
        Dims const root = dimsOf(view.root);
        int32_t const listed = op.axes.nbDims < 0 ? root.nbDims : op.axes.nbDims;
        for (int32_t i = 0; i < listed; ++i) {
            int64_t const given = op.axes.nbDims < 0 ? i : op.axes.d[i];
            int64_t const axis = given < 0 ? given + root.nbDims : given;
            if (root.d[axis] <= 0 || (op.stride.d[i] != 1 && op.size.d[i] != 1)) {
                return std::nullopt;
            }
            view.start.d[axis] = (view.start.d[axis] + op.start.d[i]) % root.d[axis];
            view.size.d[axis] = op.size.d[i];
        }
        return view;
    }

    std::optional<View> viewOf(Concatenation const& op, Step const& step) const {
        if (step.inputs().size() < 2 || !std::all_of(step.inputs().begin(), step.inputs().end(),
                                                     [&](ValueId input) { return plain(input); })) {
            return std::nullopt;
        }
        View view = known(step.inputs()[0]);
        Dims const root = dimsOf(view.root);
        int32_t const joined = op.axisFor(root.nbDims);
        if (root.d[joined] <= 0 || view.size.d[joined] < 0) {
            return std::nullopt;
        }
        for (std::size_t i = 1; i < step.inputs().size(); ++i) {
            View const next = known(step.inputs()[i]);
            if (next.root != view.root) {
                return std::nullopt;
            }
            for (int32_t axis = 0; axis < root.nbDims; ++axis) {
                int64_t const expected =
                    view.start.d[axis] + (axis == joined ? view.size.d[axis] % root.d[axis] : 0);
                bool const follows =
                    next.start.d[axis] == (root.d[axis] > 0 ? expected % root.d[axis] : expected);
                if (!follows || (axis != joined && next.size.d[axis] != view.size.d[axis])) {
                    return std::nullopt;
                }
            }
            view.size.d[joined] += next.size.d[joined];
        }
        return view;
    }

    /// Turns the step into a slice of the view's root. False if that is a copy or changes the type.
    bool replace(StepId id, View const& view) {
        Step& step = program_.step(id);
        Dims const root = dimsOf(view.root);
        auto slice = std::make_unique<Slice>();
        slice->mode = SampleMode::kWRAP;
        int32_t count = 0;
        for (int32_t axis = 0; axis < root.nbDims; ++axis) {
            int64_t const start = view.start.d[axis];
            int64_t const size = view.size.d[axis];
            if (start == 0 && size == root.d[axis]) {
                continue;
            }
            // A slice that wraps starts at a negative coordinate: most coordinates then need no
            // division.
            bool const wraps = start > 0 && start + size > root.d[axis];
            slice->axes.d[count] = axis;
            slice->start.d[count] = wraps ? start - root.d[axis] : start;
            slice->size.d[count] = size;
            slice->stride.d[count] = 1;
            ++count;
        }
        for (Dims* dims : {&slice->axes, &slice->start, &slice->size, &slice->stride}) {
            dims->nbDims = count;
        }
        bool const sameType =
            program_.value(view.root).type == program_.value(step.outputs()[0]).type;
        if (count == 0 || !sameType) {
            return false;
        }
        step.op = std::move(slice);
        rewriter_.setInputs(id, {view.root});
        step.kernel.inputs = {program_.value(view.root).type};
        return true;
    }

    Program& program_;
    Rewriter rewriter_;
    std::unordered_map<ValueId, View> views_; ///< of values that are views of others
};

} // namespace

void foldSlices(Program& program) {
    SliceFolder(program).run();
}

} // namespace kiln::compiler
