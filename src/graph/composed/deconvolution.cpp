// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/deconvolution.h"

#include <algorithm>

#include "base/checked.h"
#include "graph/kernel_operands.h"
#include "graph/ops/convolution.h"
#include "graph/ops/interleave.h"
#include "graph/ops/phase_kernel.h"
#include "graph/ops/slice.h"

namespace kiln::graph {

using nvinfer1::PaddingMode;

std::string Deconvolution::problem() const {
    std::string const text = mapsProblem(maps, groups);
    return text.empty() ? window.problem() : text;
}

Dims Deconvolution::kernelDims(int64_t channels) const {
    Dims dims{2 + window.size.nbDims, {channels, maps / groups}};
    std::copy_n(window.size.d, window.size.nbDims, dims.d + 2);
    return dims;
}

/// What padding removes; computed padding does not depend on the extents.
Window::Padding Deconvolution::paddingOf(int32_t axis) const {
    if (!window.computesPadding()) {
        return {window.prePadding.d[axis], window.postPadding.d[axis]};
    }
    int64_t const total = std::max<int64_t>(window.span(axis) - window.stride.d[axis], 0);
    int64_t const less = total / 2;
    return window.paddingMode == PaddingMode::kSAME_UPPER ? Window::Padding{less, total - less}
                                                          : Window::Padding{total - less, less};
}

void Deconvolution::checkKernel(InferContext const& context, int64_t channels) const {
    if (kernel.count > 0) {
        int64_t const perChannel = checkedMul(maps / groups, window.area(), "kernel weights");
        bool const fits = kernel.count % perChannel == 0 &&
                          (channels < 0 || kernel.count / perChannel == channels);
        if (!fits || kernel.values == nullptr) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, kernel weights: expected {} values for each of {} input channels, got {}. "
                 "Pass weights that match the layer.",
                 where(context, kKind), perChannel,
                 channels < 0 ? std::string("the") : fmt::format("{}", channels),
                 kernel.values == nullptr ? "none" : fmt::format("{}", kernel.count));
        }
        return;
    }
    Dims const got = knownDims(context.pool, context.inputs[1].shape);
    Dims const wanted = kernelDims(channels);
    bool fits = got.nbDims == wanted.nbDims;
    for (int32_t i = 0; fits && i < wanted.nbDims; ++i) {
        fits = got.d[i] == wanted.d[i] || (i == 0 && (got.d[i] < 0 || wanted.d[i] < 0));
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument,
             "{}, kernel (input 1): expected {}, got {}. Pass a kernel that matches the layer.",
             where(context, kKind), toText(wanted), toText(got));
    }
}

void Deconvolution::checkExtents(InferContext const& context) const {
    for (int32_t axis = 0; axis < window.size.nbDims; ++axis) {
        int64_t const input = context.pool.constantOr(context.inputs[0].shape[2 + axis]);
        Window::Padding const padding = paddingOf(axis);
        int64_t const most =
            checkedAdd(checkedMul<int64_t>(input - 1, window.stride.d[axis], "deconvolution"),
                       window.span(axis), "deconvolution");
        if (input == 0 || (input > 0 && most - padding.before - padding.after < 1)) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, spatial axis {}: expected elements that padding leaves, got {} - {} - {} for "
                 "an input extent of {}. Pad less.",
                 where(context, kKind), axis, input == 0 ? 0 : most, padding.before, padding.after,
                 input);
        }
    }
}

void Deconvolution::check(InferContext const& context) const {
    expectKernelOperands(context, kKind, kernel.count > 0, bias.count > 0);
    ShapeExpr const& input = context.inputs[0].shape;
    if (input.rank != 2 + window.size.nbDims) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected input 0 of rank {} (batch, channels and {} spatial axes), got {}. "
             "Reshape it.",
             where(context, kKind), 2 + window.size.nbDims, window.size.nbDims,
             toText(knownDims(context.pool, input)));
    }
    checkKernel(context, expectGroups(context, kKind, maps, groups));
    expectBias(context, kKind, bias, maps);
    checkExtents(context);
}

std::vector<WeightSlot> Deconvolution::weights(int32_t inputCount) const {
    static_cast<void>(inputCount);
    std::vector<WeightSlot> slots;
    if (kernel.count > 0 && problem().empty()) {
        int64_t const perChannel =
            std::max<int64_t>(checkedMul(maps / groups, window.area(), "kernel weights"), 1);
        slots.push_back({"kernel", kernel, kernelDims(kernel.count / perChannel)});
    }
    if (bias.count > 0) {
        slots.push_back({"bias", bias, Dims{1, {bias.count}}});
    }
    return slots;
}

namespace {

/// The convolution of phases, and what of them is the output.
struct Phases {
    PhaseKernel kernel;
    Convolution convolution;
    Interleave interleave;
    bool interleaves = false;
};

/// One axis. An output o of the deconvolution without padding is the sum of input[q - t] *
/// kernel[t * stride + r] over t, with o = q * stride + r. So the convolution needs the positions q
/// from that of the first output that is left to that of the last one.
void setAxis(Phases& phases, int32_t axis, Window const& window, Window::Padding const& padding) {
    int64_t const stride = window.stride.d[axis];
    int64_t const span = window.span(axis);
    // Without phases, a convolution can be dilated itself.
    int64_t const dilation = stride == 1 ? window.dilation.d[axis] : 1;
    phases.kernel.dilation.d[axis] = stride == 1 ? 1 : window.dilation.d[axis];
    int64_t const taps = phases.kernel.taps(axis, window.size.d[axis]);
    int64_t const reach = dilation * (taps - 1);
    int64_t const first = std::min(padding.before / stride, reach);
    int64_t const before = reach - first;
    int64_t const after = std::max<int64_t>(span - padding.after - 1, 0) / stride;
    Window& own = phases.convolution.window;
    own.size.d[axis] = taps;
    own.dilation.d[axis] = dilation;
    own.prePadding.d[axis] = before;
    own.postPadding.d[axis] = after;
    int64_t const dropped = padding.before - first * stride;
    // Positions times stride, less the extent of the output; the input's extent cancels out.
    int64_t const rest =
        (before + after - reach + 1) * stride + padding.before + padding.after - span;
    phases.interleave.before.d[axis] = dropped;
    phases.interleave.after.d[axis] = rest - dropped;
    phases.interleaves = phases.interleaves || stride > 1 || rest != 0;
}

} // namespace

std::unique_ptr<Region> Deconvolution::parts(InferContext const& context) const {
    int32_t const axes = window.size.nbDims;
    Phases phases;
    phases.kernel.groups = groups;
    phases.kernel.stride = window.stride;
    phases.kernel.dilation = window.dilation;
    phases.convolution.groups = groups;
    phases.convolution.window = Window::ofSize(window.size);
    phases.interleave.groups = groups;
    phases.interleave.stride = window.stride;
    phases.interleave.before = Dims{axes, {}};
    phases.interleave.after = Dims{axes, {}};
    for (int32_t axis = 0; axis < axes; ++axis) {
        setAxis(phases, axis, window, paddingOf(axis));
    }
    int64_t const count = phases.kernel.phases();
    phases.convolution.maps = checkedMul(maps, count, "deconvolution");

    Parts parts(context);
    DataType const type = context.inputs[0].type;
    std::vector<int32_t> operands{0, parts.add(phases.kernel, {parts.cast(1, type)})};
    if (parts.has(2)) {
        int32_t bias = parts.cast(2, type);
        if (count > 1) {
            Slice copies; // of each group's maps, one for each phase
            copies.size = Dims{3, {groups, count, maps / groups}};
            copies.start = Dims{3, {}};
            copies.stride = Dims{3, {1, 0, 1}};
            using Extent = Parts::Extent;
            bias =
                parts.reshape(bias, {Extent::of(groups), Extent::of(1), Extent::of(maps / groups)});
            bias = parts.reshape(parts.add(copies, {bias}), {Extent::of(maps * count)});
        }
        operands.push_back(bias);
    }
    int32_t const result = parts.add(phases.convolution, operands);
    return parts.finish({phases.interleaves ? parts.add(phases.interleave, {result}) : result});
}

} // namespace kiln::graph
