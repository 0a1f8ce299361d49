// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan_shapes.h"

#include <algorithm>
#include <map>

#include "base/tensor_layout.h"
#include "graph/interval.h"
#include "graph/real_values.h"

namespace kiln::runtime {

Leaves::Leaves(plan::Document const& document) : sizes_(document.tensors.size(), -1) {
    for (plan::TensorRecord const& tensor : document.tensors) {
        if (tensor.role == plan::TensorRole::kInput) {
            auto const slot = static_cast<std::size_t>(tensor.inputIndex);
            dims_.resize(std::max(dims_.size(), slot + 1), Dims{-1, {}});
        }
    }
    values_.resize(dims_.size());
    reset(document);
}

void Leaves::reset(plan::Document const& document) noexcept {
    forgetSizes();
    for (plan::TensorRecord const& tensor : document.tensors) {
        if (tensor.role != plan::TensorRole::kInput) {
            continue;
        }
        auto const slot = static_cast<std::size_t>(tensor.inputIndex);
        values_[slot].clear();
        Dims& dims = dims_[slot];
        dims.nbDims = tensor.shape.rank;
        for (int32_t axis = 0; axis < tensor.shape.rank; ++axis) {
            graph::ExprNode const& node =
                document.exprs[static_cast<std::size_t>(tensor.shape[axis])];
            dims.d[axis] = node.op == graph::ExprOp::kConstant ? node.value : -1;
        }
    }
}

void Leaves::forgetSizes() noexcept {
    std::fill(sizes_.begin(), sizes_.end(), -1);
}

int64_t Leaves::leaf(graph::ExprNode const& node) const {
    auto const slot = static_cast<std::size_t>(node.a);
    bool const known = node.a >= 0 && slot < dims_.size() && node.b >= 0;
    if (known && node.op == graph::ExprOp::kInputExtent && node.b < dims_[slot].nbDims) {
        return dims_[slot].d[node.b];
    }
    auto const element = static_cast<std::size_t>(node.b);
    if (known && node.op == graph::ExprOp::kShapeValue) {
        return element < values_[slot].size() ? values_[slot][element] : -1;
    }
    fail(ErrorKind::kCorruptData,
         "[plan] expression of kind {} refers to dimension {} of input {}, which the engine "
         "does not have. Build the plan again.",
         static_cast<int32_t>(node.op), node.b, node.a);
}

int64_t Leaves::sizeTensor(int32_t tensor, int64_t optimum, int64_t upperBound) const {
    int64_t const size = sizes_[plan::TensorId::of(tensor)];
    if (size >= 0) {
        return size;
    }
    return optimum_ ? optimum : upperBound;
}

std::vector<int32_t> valueInputs(plan::Document const& document) {
    std::vector<int32_t> numbers;
    for (graph::ExprNode const& node : document.exprs) {
        if (node.op == graph::ExprOp::kShapeValue) {
            numbers.push_back(node.a);
        }
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

Dims shapeOf(plan::TensorRecord const& tensor, std::span<int64_t const> values) {
    Dims const dims = graph::dimsFrom(tensor.shape, values);
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        if (dims.d[axis] < 0) {
            fail(ErrorKind::kInvalidArgument,
                 "[run] tensor '{}': the input shapes give it the negative shape {}. Use larger "
                 "inputs.",
                 tensor.name, toText(dims));
        }
    }
    return dims;
}

void checkReshape(plan::Document const& document, plan::TensorId view, Dims const& dims,
                  Dims const& memory) {
    plan::TensorRecord const& own = document.tensors[view];
    int64_t const elements = volume(memory, own.name);
    if (own.begin < 0 && volume(dims, own.name) != elements) {
        fail(ErrorKind::kInvalidArgument,
             "[run] tensor '{}': expected a shape for the {} elements of '{}' of shape {}, got {}. "
             "Use input shapes that the reshape allows.",
             own.name, elements, document.tensors[own.sharesWith].name, toText(memory),
             toText(dims));
    }
}

void checkView(plan::Document const& document, plan::TensorId view, Dims const& dims,
               Dims const& memory, std::span<int64_t const> values) {
    plan::TensorRecord const& own = document.tensors[view];
    int64_t const begin = own.begin < 0 ? 0 : values[static_cast<std::size_t>(own.begin)];
    int64_t const most = volume(memory, own.name);
    constexpr auto kBits = static_cast<int64_t>(8 * plan::kViewAlignment);
    bool const inside = begin >= 0 && begin <= most && volume(dims, own.name) <= most - begin;
    if (!inside) {
        checkReshape(document, view, dims, memory);
    }
    if (!inside || begin % kBits * bitsOf(own.type.type) % kBits != 0) {
        fail(ErrorKind::kCorruptData,
             "[plan] tensor '{}': expected a part of '{}', whose memory it uses, from a multiple "
             "of {} bytes on, got {} from element {} of {} on. Build the plan again.",
             own.name, document.tensors[own.sharesWith].name, plan::kViewAlignment, toText(dims),
             begin, toText(memory));
    }
}

void shapesOf(plan::Document const& document, std::span<int64_t const> values,
              Table<plan::TensorId, Dims>& dims) {
    for (plan::TensorId const i : document.tensors.ids()) {
        dims[i] = shapeOf(document.tensors[i], values);
    }
    for (plan::TensorId const i : document.tensors.ids()) {
        plan::TensorId const memory = document.tensors[i].sharesWith;
        if (!memory.isNone()) {
            checkView(document, i, dims[i], dims[memory], values);
        }
    }
}

namespace {

/// The leaves at one end of a profile's ranges, or at its optimum.
Leaves leavesAt(plan::Document const& document, plan::ProfileRecord const& profile,
                Dims plan::ProfileRange::* dims,
                std::vector<int64_t> plan::ValueRange::* elements) {
    Leaves leaves(document);
    auto const inputOf = [&](plan::TensorId tensor) { return document.tensors[tensor].inputIndex; };
    for (plan::ValueRange const& range : profile.values) {
        std::vector<int64_t>& values = leaves.valuesOf(inputOf(range.tensor));
        values = range.*elements;
        if (document.tensors[range.tensor].type.type == DataType::kFLOAT) {
            for (int64_t& value : values) {
                value = graph::fixedFromReal(static_cast<double>(value));
            }
        }
    }
    for (plan::ProfileRange const& range : profile.ranges) {
        leaves.of(inputOf(range.tensor)) = range.*dims;
    }
    return leaves;
}

class ProfileRanges final : public graph::LeafRanges {
public:
    ProfileRanges(plan::Document const& document, plan::ProfileRecord const& profile)
        : low_(leavesAt(document, profile, &plan::ProfileRange::min, &plan::ValueRange::min)),
          high_(leavesAt(document, profile, &plan::ProfileRange::max, &plan::ValueRange::max)) {}

    graph::Interval leaf(graph::ExprNode const& node) const override {
        return {low_.leaf(node), high_.leaf(node)};
    }

private:
    Leaves low_;
    Leaves high_;
};

/// Bytes that suffice for a tensor in all shapes of a profile.
uint64_t capacityOf(plan::TensorRecord const& tensor, graph::Intervals const& intervals) {
    Dims most{tensor.shape.rank, {}};
    for (int32_t axis = 0; axis < tensor.shape.rank; ++axis) {
        most.d[axis] = intervals.of(tensor.shape[axis]).high;
        if (most.d[axis] < 0) {
            fail(ErrorKind::kInvalidArgument,
                 "[plan] tensor '{}', dimension {}: all shapes in the profile give it a negative "
                 "extent, at most {}. Widen the profile's shapes.",
                 tensor.name, axis, most.d[axis]);
        }
    }
    if (tensor.type.format == TensorFormat::kLINEAR) {
        most = Dims{1, {intervals.mostElements(tensor.shape)}};
    }
    return tensor.bytesAt(most);
}

} // namespace

ProfileShapes shapesOver(plan::Document const& document, plan::ProfileRecord const& profile) {
    Leaves optimum = leavesAt(document, profile, &plan::ProfileRange::opt, &plan::ValueRange::opt);
    optimum.useOptimum();
    std::vector<int64_t> values(document.exprs.size());
    graph::evaluate(document.exprs, optimum, values);
    ProfileShapes shapes;
    shapes.opt.resize(document.tensors.size());
    shapesOf(document, values, shapes.opt);
    shapes.min = shapes.max = shapes.opt;
    graph::LinearForms const forms(document.exprs);
    graph::Intervals const intervals(document.exprs, forms, ProfileRanges(document, profile));
    for (plan::TensorId const i : document.tensors.ids()) {
        graph::ShapeExpr const& shape = document.tensors[i].shape;
        for (int32_t axis = 0; axis < shape.rank; ++axis) {
            graph::Interval const extent = intervals.of(shape[axis]);
            shapes.min[i].d[axis] = std::max<int64_t>(extent.low, 0); // negative ones fail in a run
            shapes.max[i].d[axis] = extent.high;
        }
    }
    return shapes;
}

plan::ProfileRecord unitedProfile(plan::Document const& document) {
    if (document.profiles.empty()) {
        return {};
    }
    std::map<plan::TensorId, plan::ProfileRange> ranges;
    std::map<plan::TensorId, plan::ValueRange> values;
    for (plan::ProfileRecord const& profile : document.profiles) {
        for (plan::ProfileRange const& range : profile.ranges) {
            plan::ProfileRange& all = ranges.try_emplace(range.tensor, range).first->second;
            for (int32_t axis = 0; axis < all.min.nbDims; ++axis) {
                all.min.d[axis] = std::min(all.min.d[axis], range.min.d[axis]);
                all.max.d[axis] = std::max(all.max.d[axis], range.max.d[axis]);
            }
        }
        for (plan::ValueRange const& range : profile.values) {
            plan::ValueRange& all = values.try_emplace(range.tensor, range).first->second;
            for (std::size_t i = 0; i < all.min.size(); ++i) {
                all.min[i] = std::min(all.min[i], range.min[i]);
                all.max[i] = std::max(all.max[i], range.max[i]);
            }
        }
    }
    plan::ProfileRecord united;
    for (auto const& [tensor, range] : ranges) {
        united.ranges.push_back(range);
    }
    for (auto const& [tensor, range] : values) {
        united.values.push_back(range);
    }
    return united;
}

namespace {

/// Calls visit(intervals) for each profile.
template <typename Visit>
void overProfiles(plan::Document const& document, Visit&& visit) {
    graph::LinearForms const forms(document.exprs);
    std::size_t const profiles = std::max<std::size_t>(1, document.profiles.size());
    for (std::size_t profile = 0; profile < profiles; ++profile) {
        ProfileRanges const ranges(document, document.profiles.empty()
                                                 ? plan::ProfileRecord{}
                                                 : document.profiles[profile]);
        visit(graph::Intervals(document.exprs, forms, ranges));
    }
}

} // namespace

std::vector<int64_t> largestValues(plan::Document const& document) {
    std::vector<int64_t> largest(document.exprs.size(), INT64_MIN);
    overProfiles(document, [&](graph::Intervals const& intervals) {
        for (std::size_t i = 0; i < largest.size(); ++i) {
            largest[i] = std::max(largest[i], intervals.of(static_cast<graph::ExprRef>(i)).high);
        }
    });
    return largest;
}

Table<plan::TensorId, uint64_t> capacities(plan::Document const& document) {
    Table<plan::TensorId, uint64_t> bytes(document.tensors.size(), 0);
    overProfiles(document, [&](graph::Intervals const& intervals) {
        for (plan::TensorId const i : bytes.ids()) {
            bytes[i] = std::max(bytes[i], capacityOf(document.tensors[i], intervals));
        }
    });
    return bytes;
}

Table<plan::TensorId, uint64_t> capacities(plan::Document const& document, std::size_t profile) {
    plan::ProfileRecord const own =
        document.profiles.empty() ? plan::ProfileRecord{} : document.profiles.at(profile);
    graph::LinearForms const forms(document.exprs);
    graph::Intervals const intervals(document.exprs, forms, ProfileRanges(document, own));
    Table<plan::TensorId, uint64_t> bytes(document.tensors.size(), 0);
    for (plan::TensorId const i : bytes.ids()) {
        bytes[i] = capacityOf(document.tensors[i], intervals);
    }
    return bytes;
}

} // namespace kiln::runtime
