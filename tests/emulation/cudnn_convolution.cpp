// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Computes the graph of a convolution, term by term.
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

} // namespace

bool understand(CudnnDescriptor const& graph, CudnnConvolution& c) {
    auto const operations = graph.all<CudnnDescriptor*>(CUDNN_ATTR_OPERATIONGRAPH_OPS);
    if (operations.empty() || operations.size() > 2 || !operations[0]->finalized ||
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
    if (operations.size() == 2) {
        CudnnDescriptor const& addition = *operations[1];
        bool const follows =
            c.y.isVirtual &&
            tensorOf(addition.part(CUDNN_ATTR_OPERATION_POINTWISE_XDESC)).id == c.y.id;
        c.bias = tensorOf(addition.part(CUDNN_ATTR_OPERATION_POINTWISE_BDESC));
        c.y = tensorOf(addition.part(CUDNN_ATTR_OPERATION_POINTWISE_YDESC));
        if (!follows || c.bias.dims[1] != c.y.dims[1]) {
            return refuse("no addition of a bias to the convolution");
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
        int64_t to = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            to += at[i] * c.y.strides[i];
        }
        float result = sumAt(c, x, w, at);
        result += c.bias.dims.empty()
                      ? 0.0F
                      : load(pointers.at(c.bias.id), at[1] * c.bias.strides[1], c.bias.number);
        result += c.beta == 0.0F ? 0.0F : c.beta * load(y, to, c.y.number);
        store(y, to, c.y.number, result);
    } while (advance(at, c.y.dims));
}

} // namespace kiln::emulation
