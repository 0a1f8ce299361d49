// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Computes the graph of a convolution, term by term, and the pointwise operations behind it.
#include <algorithm>
#include <cmath>

#include "emulation/cudnn_descriptors.h"

namespace kiln::emulation {
namespace {

bool refuse(char const* why) {
    tell(kNotSupported, why);
    return false;
}

CudnnTensor tensorOf(CudnnDescriptor const& descriptor) {
    auto const type = descriptor.one<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE);
    return {descriptor.one<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID),
            descriptor.one<bool>(CUDNN_ATTR_TENSOR_IS_VIRTUAL),
            type == CUDNN_DATA_FLOAT  ? Number::kFloat
            : type == CUDNN_DATA_HALF ? Number::kHalf
                                      : Number::kBfloat16,
            descriptor.all<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS),
            descriptor.all<int64_t>(CUDNN_ATTR_TENSOR_STRIDES)};
}

/// Whether the extents of input, kernel and output match along each axis.
bool slides(CudnnConvolution const& c, std::vector<int64_t> const& after) {
    std::size_t const rank = c.x.dims.size();
    if (c.w.dims.size() != rank || c.y.dims.size() != rank || c.stride.size() != rank - 2 ||
        c.dilation.size() != rank - 2 || c.before.size() != rank - 2 || after.size() != rank - 2) {
        return false;
    }
    bool sound = c.y.dims[0] == c.x.dims[0] && c.y.dims[1] == c.w.dims[0] &&
                 c.x.dims[1] % c.w.dims[1] == 0 && c.w.dims[0] % (c.x.dims[1] / c.w.dims[1]) == 0;
    for (std::size_t i = 2; i < rank; ++i) {
        int64_t const span = 1 + c.dilation[i - 2] * (c.w.dims[i] - 1);
        sound = sound && c.y.dims[i] == 1 + (c.x.dims[i] + c.before[i - 2] + after[i - 2] - span) /
                                                c.stride[i - 2];
    }
    return sound;
}

/// Advances the index of a loop nest; false at the end.
bool advance(std::vector<int64_t>& index, std::vector<int64_t> const& extents) {
    for (std::size_t i = index.size(); i-- > 0;) {
        if (++index[i] < extents[i]) {
            return true;
        }
        index[i] = 0;
    }
    return false;
}

float sumAt(CudnnConvolution const& c, void const* x, void const* w,
            std::vector<int64_t> const& at) {
    int64_t const maps = c.w.dims[0] / (c.x.dims[1] / c.w.dims[1]); // per group
    float sum = 0.0F;
    std::vector<int64_t> const taps(c.w.dims.begin() + 1, c.w.dims.end());
    std::vector<int64_t> tap(taps.size());
    do {
        int64_t fromX =
            at[0] * c.x.strides[0] + (at[1] / maps * c.w.dims[1] + tap[0]) * c.x.strides[1];
        int64_t fromW = at[1] * c.w.strides[0] + tap[0] * c.w.strides[1];
        bool inside = true;
        for (std::size_t i = 1; i < tap.size(); ++i) {
            int64_t const position =
                at[i + 1] * c.stride[i - 1] - c.before[i - 1] + tap[i] * c.dilation[i - 1];
            inside = inside && position >= 0 && position < c.x.dims[i + 1];
            fromX += position * c.x.strides[i + 1];
            fromW += tap[i] * c.w.strides[i + 1];
        }
        sum += inside ? load(x, fromX, c.x.number) * load(w, fromW, c.w.number) : 0.0F;
    } while (advance(tap, taps));
    return sum;
}

/// Whether the tensor has the extents of `whole`, or 1 where it repeats.
bool repeats(CudnnTensor const& tensor, CudnnTensor const& whole) {
    bool fits = tensor.dims.size() == whole.dims.size();
    for (std::size_t i = 0; fits && i < tensor.dims.size(); ++i) {
        fits = tensor.dims[i] == whole.dims[i] || tensor.dims[i] == 1;
    }
    return fits;
}

CudnnStep stepOf(CudnnDescriptor const& operation) {
    CudnnDescriptor const& pointwise = operation.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
    CudnnStep step;
    step.mode = pointwise.one<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE);
    auto const number = [&](cudnnBackendAttributeName_t name, double& value) {
        value = pointwise.has(name) ? pointwise.one<double>(name) : value;
    };
    number(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, step.low);
    number(CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, step.high);
    number(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, step.slope);
    number(CUDNN_ATTR_POINTWISE_ELU_ALPHA, step.alpha);
    step.x = tensorOf(operation.part(CUDNN_ATTR_OPERATION_POINTWISE_XDESC));
    step.y = tensorOf(operation.part(CUDNN_ATTR_OPERATION_POINTWISE_YDESC));
    if (operation.has(CUDNN_ATTR_OPERATION_POINTWISE_BDESC)) {
        step.b = tensorOf(operation.part(CUDNN_ATTR_OPERATION_POINTWISE_BDESC));
    }
    return step;
}

double computed(CudnnStep const& step, double x, double b) {
    switch (step.mode) {
    case CUDNN_POINTWISE_ADD: return x + b;
    case CUDNN_POINTWISE_MUL: return x * b;
    case CUDNN_POINTWISE_MIN: return std::min(x, b);
    case CUDNN_POINTWISE_MAX: return std::max(x, b);
    case CUDNN_POINTWISE_DIV: return x / b;
    case CUDNN_POINTWISE_SUB: return x - b;
    case CUDNN_POINTWISE_RELU_FWD:
        return x < step.low ? step.low + step.slope * (x - step.low) : std::min(x, step.high);
    case CUDNN_POINTWISE_TANH_FWD: return std::tanh(x);
    case CUDNN_POINTWISE_SIGMOID_FWD: return 1.0 / (1.0 + std::exp(-x));
    case CUDNN_POINTWISE_ELU_FWD: return x < 0.0 ? step.alpha * std::expm1(x) : x;
    case CUDNN_POINTWISE_GELU_FWD: return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0)));
    case CUDNN_POINTWISE_GELU_APPROX_TANH_FWD:
        return 0.5 * x *
               (1.0 + std::tanh(std::sqrt(2.0 / 3.14159265358979) * (x + 0.044715 * x * x * x)));
    }
    return 0.0;
}

int64_t placeOf(CudnnTensor const& tensor, std::vector<int64_t> const& at) {
    int64_t place = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
        place += tensor.dims[i] == 1 ? 0 : at[i] * tensor.strides[i];
    }
    return place;
}

} // namespace

bool understand(CudnnDescriptor const& graph, CudnnConvolution& c) {
    auto const operations = graph.all<CudnnDescriptor*>(CUDNN_ATTR_OPERATIONGRAPH_OPS);
    if (operations.empty() || !operations[0]->finalized ||
        operations[0]->type != CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR) {
        return refuse("the first operation is no convolution");
    }
    CudnnDescriptor const& forward = *operations[0];
    CudnnDescriptor const& sliding =
        forward.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
    c.x = tensorOf(forward.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X));
    c.w = tensorOf(forward.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W));
    c.y = tensorOf(forward.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y));
    c.beta = forward.one<float>(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA);
    c.before = sliding.all<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
    c.stride = sliding.all<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
    c.dilation = sliding.all<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS);
    auto const after = sliding.all<int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
    if (!slides(c, after) || c.before != after) {
        return refuse("extents or paddings that no engine has");
    }
    if (sliding.one<int>(CUDNN_ATTR_CONVOLUTION_CONV_MODE) != CUDNN_CROSS_CORRELATION ||
        sliding.one<int>(CUDNN_ATTR_CONVOLUTION_COMP_TYPE) != CUDNN_DATA_FLOAT ||
        forward.one<float>(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA) != 1.0F) {
        return refuse("another mode, type or factor");
    }
    c.sum = c.y;
    c.steps.clear();
    for (std::size_t i = 1; i < operations.size(); ++i) {
        CudnnTensor const before = c.y;
        CudnnStep& step = c.steps.emplace_back(stepOf(*operations[i]));
        c.y = step.y;
        bool const follows = before.isVirtual && (step.x.id == before.id || step.b.id == before.id);
        if (!follows || step.y.dims != before.dims || !repeats(step.x, step.y) ||
            !(step.b.dims.empty() || repeats(step.b, step.y))) {
            return refuse("operations that are no chain behind the convolution");
        }
    }
    return !c.y.isVirtual || refuse("a result that is nowhere");
}

void run(CudnnConvolution const& c, std::map<int64_t, void*> const& pointers) {
    void const* x = pointers.at(c.x.id);
    void const* w = pointers.at(c.w.id);
    void* const y = pointers.at(c.y.id);
    std::vector<int64_t> at(c.y.dims.size());
    do {
        int64_t const to = placeOf(c.y, at);
        std::map<int64_t, float> values;
        float result = sumAt(c, x, w, at);
        result += c.beta == 0.0F ? 0.0F : c.beta * load(y, to, c.y.number);
        values[c.sum.id] = result;
        auto const valueOf = [&](CudnnTensor const& tensor) {
            auto const known = values.find(tensor.id);
            return tensor.dims.empty() ? 0.0F
                   : known != values.end()
                       ? known->second
                       : load(pointers.at(tensor.id), placeOf(tensor, at), tensor.number);
        };
        for (CudnnStep const& step : c.steps) {
            result = static_cast<float>(computed(step, valueOf(step.x), valueOf(step.b)));
            values[step.y.id] = result;
        }
        store(y, to, c.y.number, result);
    } while (advance(at, c.y.dims));
}

} // namespace kiln::emulation
