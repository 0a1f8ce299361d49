// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plan/check.h"
#include "plan/decode_values.h"

namespace kiln::plan {
namespace {

/// Number of dimensions. Throws if they do not fit into the fixed arrays of Dims and ShapeExpr.
template <typename T>
std::size_t rankOf(flatbuffers::Vector<T> const* extents, std::string_view object) {
    std::size_t const rank = extents == nullptr ? 0 : extents->size();
    if (rank > static_cast<std::size_t>(Dims::MAX_DIMS)) {
        fail(ErrorKind::kCorruptData,
             "[plan] '{}': expected 0 to {} dimensions, got {}. Build the plan again.", object,
             static_cast<int32_t>(Dims::MAX_DIMS), rank);
    }
    return rank;
}

graph::ShapeExpr decodeShape(flatbuffers::Vector<int32_t> const* extents, std::string_view object) {
    graph::ShapeExpr shape;
    shape.rank = static_cast<int32_t>(rankOf(extents, object));
    if (extents != nullptr) {
        std::copy(extents->begin(), extents->end(), shape.extent.begin());
    }
    return shape;
}

std::vector<int64_t> decodeValues(flatbuffers::Vector<int64_t> const* values, Budget& budget) {
    if (values != nullptr) {
        expectAligned(values, alignof(int64_t));
    }
    return decodeNumbers(values, budget);
}

} // namespace

Dims decodeDims(flatbuffers::Vector<int64_t> const* extents, std::string_view object) {
    Dims dims{};
    dims.nbDims = static_cast<int32_t>(rankOf(extents, object));
    if (extents != nullptr) {
        expectAligned(extents, alignof(int64_t));
        std::copy(extents->begin(), extents->end(), dims.d);
    }
    return dims;
}

ByteView decodeConstant(uint64_t offset, uint64_t bytes, ByteView weights, std::string_view name) {
    if (bytes == 0) {
        return {};
    }
    if (!fitsAligned(offset, bytes, weights.size())) {
        fail(ErrorKind::kCorruptData,
             "[plan] section 'weights', constant '{}': expected an aligned place within {} bytes, "
             "got {} bytes at offset {}. Build the plan again.",
             name, weights.size(), bytes, offset);
    }
    return weights.subspan(offset, bytes);
}

namespace {

std::optional<target::Layout> decodeLayout(fb::Tensor const& tensor, Budget& budget) {
    if (tensor.layout() == nullptr) {
        return std::nullopt;
    }
    fb::Layout const& layout = *tensor.layout();
    return target::Layout{
        tensor.tag(), decodeText(layout.name(), budget), static_cast<TensorFormat>(tensor.format()),
        FormatTraits{layout.channels_from_end(), layout.channels_last(), layout.vector()}};
}

} // namespace

void decodeTensors(fb::Plan const& plan, ByteView weights, Budget& budget, Document& document) {
    decodeAll(plan.tensors(), budget, document.tensors, [&](fb::Tensor const& tensor) {
        TensorRecord record;
        record.name = decodeText(tensor.name(), budget);
        record.role = static_cast<TensorRole>(tensor.role());
        record.type = {static_cast<DataType>(tensor.type()),
                       static_cast<TensorFormat>(tensor.format()), tensor.tag()};
        record.layout = decodeLayout(tensor, budget);
        record.shape = decodeShape(tensor.shape(), record.name);
        if (tensor.stripped()) {
            record.strippedBytes = tensor.bytes();
        } else if (record.role == TensorRole::kConstant) {
            record.data = decodeConstant(tensor.offset(), tensor.bytes(), weights, record.name);
        } else {
            record.offset = tensor.offset();
        }
        record.inputIndex = tensor.input();
        record.origin = decodeText(tensor.origin(), budget);
        record.values = decodeNumbers(tensor.values(), budget);
        record.sharesWith = TensorId::of(tensor.shares_with());
        record.begin = tensor.begin();
        record.debug = tensor.debug();
        record.unfused = tensor.unfused();
        record.shapeOutput = tensor.shape_output();
        record.folded = tensor.folded();
        record.weight = WeightId::of(tensor.weight());
        return record;
    });
}

void decodeProfiles(fb::Plan const& plan, Budget& budget, Document& document) {
    decodeAll(plan.profiles(), budget, document.profiles, [&](fb::Profile const& profile) {
        ProfileRecord record;
        decodeAll(profile.ranges(), budget, record.ranges, [](fb::Range const& range) {
            return ProfileRange{TensorId::of(range.tensor()), decodeDims(range.min(), "profile"),
                                decodeDims(range.opt(), "profile"),
                                decodeDims(range.max(), "profile")};
        });
        decodeAll(profile.values(), budget, record.values, [&](fb::Values const& range) {
            return ValueRange{TensorId::of(range.tensor()), decodeValues(range.min(), budget),
                              decodeValues(range.opt(), budget), decodeValues(range.max(), budget)};
        });
        return record;
    });
}

} // namespace kiln::plan
