// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/shapes.h"

#include <algorithm>

#include "base/checked.h"

namespace kiln::runtime {

InputExtents::InputExtents(plan::Document const& document) {
    for (plan::TensorRecord const& tensor : document.tensors) {
        if (tensor.role != plan::TensorRole::kInput) {
            continue;
        }
        auto const slot = static_cast<std::size_t>(tensor.inputIndex);
        dims_.resize(std::max(dims_.size(), slot + 1), Dims{-1, {}});
        Dims& dims = dims_[slot];
        dims.nbDims = tensor.shape.rank;
        for (int32_t axis = 0; axis < tensor.shape.rank; ++axis) {
            graph::ExprNode const& node =
                document.exprs[static_cast<std::size_t>(tensor.shape[axis])];
            dims.d[axis] = node.op == graph::ExprOp::kConstant ? node.value : -1;
        }
    }
}

int64_t InputExtents::leaf(graph::ExprNode const& node) const {
    auto const slot = static_cast<std::size_t>(node.a);
    if (node.op != graph::ExprOp::kInputExtent || node.a < 0 || slot >= dims_.size() ||
        node.b < 0 || node.b >= dims_[slot].nbDims) {
        fail(ErrorKind::kCorruptData,
             "[plan] expression of kind {} refers to dimension {} of input {}, which the engine "
             "does not have. Build the plan again.",
             static_cast<int32_t>(node.op), node.b, node.a);
    }
    return dims_[slot].d[node.b];
}

void shapesOf(plan::Document const& document, std::span<int64_t const> values,
              std::span<Dims> dims) {
    for (std::size_t i = 0; i < document.tensors.size(); ++i) {
        dims[i] = graph::dimsFrom(document.tensors[i].shape, values);
        for (int32_t axis = 0; axis < dims[i].nbDims; ++axis) {
            if (dims[i].d[axis] < 0) {
                fail(
                    ErrorKind::kInvalidArgument,
                    "[run] tensor '{}': the input shapes give it the negative shape {}. Use larger "
                    "inputs.",
                    document.tensors[i].name, toText(dims[i]));
            }
        }
    }
}

std::vector<Dims> shapesAt(plan::Document const& document, std::size_t profile,
                           ProfileCorner corner) {
    InputExtents extents(document);
    if (profile < document.profiles.size()) {
        for (plan::ProfileRange const& range : document.profiles[profile].ranges) {
            Dims& dims =
                extents.of(document.tensors[static_cast<std::size_t>(range.tensor)].inputIndex);
            dims = corner == ProfileCorner::kMin   ? range.min
                   : corner == ProfileCorner::kOpt ? range.opt
                                                   : range.max;
        }
    }
    std::vector<int64_t> values(document.exprs.size());
    graph::evaluate(document.exprs, extents, values);
    std::vector<Dims> dims(document.tensors.size());
    shapesOf(document, values, dims);
    return dims;
}

std::vector<uint64_t> capacities(plan::Document const& document) {
    std::vector<uint64_t> bytes(document.tensors.size(), 0);
    std::size_t const profiles = std::max<std::size_t>(1, document.profiles.size());
    for (std::size_t profile = 0; profile < profiles; ++profile) {
        for (ProfileCorner const corner :
             {ProfileCorner::kMin, ProfileCorner::kOpt, ProfileCorner::kMax}) {
            std::vector<Dims> const dims = shapesAt(document, profile, corner);
            for (std::size_t i = 0; i < bytes.size(); ++i) {
                plan::TensorRecord const& tensor = document.tensors[i];
                std::size_t const size = bytesFor(tensor.type.type, volume(dims[i], tensor.name));
                bytes[i] = std::max<uint64_t>(bytes[i], size);
            }
        }
    }
    return bytes;
}

} // namespace kiln::runtime
