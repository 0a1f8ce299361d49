// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/shapes.h"

#include <algorithm>

#include "base/tensor_layout.h"
#include "graph/real_values.h"
#include "runtime/host_values.h"

namespace kiln::runtime {
namespace {

bool hasOpenExtent(Dims const& dims) {
    return std::any_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent < 0; });
}

/// The shapes that a profile allows for an input.
struct Range {
    Dims lowest{};
    Dims highest{};

    bool contains(Dims const& dims) const {
        bool inside = dims.nbDims == lowest.nbDims;
        for (int32_t axis = 0; inside && axis < dims.nbDims; ++axis) {
            inside = dims.d[axis] >= lowest.d[axis] && dims.d[axis] <= highest.d[axis];
        }
        return inside;
    }
};

Range rangeOf(plan::Document const& document, int32_t profile, plan::TensorId tensor) {
    plan::TensorRecord const& record = document.tensors[tensor];
    Range range;
    range.lowest.nbDims = range.highest.nbDims = record.shape.rank;
    for (int32_t axis = 0; axis < record.shape.rank; ++axis) {
        range.lowest.d[axis] = range.highest.d[axis] =
            document.exprs[static_cast<std::size_t>(record.shape[axis])].value;
    }
    if (!document.profiles.empty()) {
        for (plan::ProfileRange const& entry :
             document.profiles[static_cast<std::size_t>(profile)].ranges) {
            if (entry.tensor == tensor) {
                range = {entry.min, entry.max};
            }
        }
    }
    return range;
}

} // namespace

Shapes::Shapes(plan::Document const& document, SizePoints const& points,
               Table<plan::TensorId, uint64_t> const& capacity)
    : document_(document), points_(points), capacity_(&capacity), leaves_(document),
      values_(document.exprs.size()), dims_(document.tensors.size()) {
    std::vector<int32_t> const numbers = valueInputs(document);
    for (plan::TensorId const i : document.tensors.ids()) {
        if (document.tensors[i].role == plan::TensorRole::kInput &&
            std::binary_search(numbers.begin(), numbers.end(), document.tensors[i].inputIndex)) {
            byValue_.push_back(i);
        }
    }
}

void Shapes::checkProfile(int32_t profile) const {
    auto const count = static_cast<int32_t>(std::max<std::size_t>(1, document_.profiles.size()));
    if (profile < 0 || profile >= count) {
        fail(ErrorKind::kInvalidArgument, "[run] optimization profile: expected 0 to {}, got {}.",
             count - 1, profile);
    }
}

void Shapes::setProfile(int32_t profile) noexcept {
    leaves_.reset(document_);
    known_ = SizePoints::kAlways;
    profile_ = profile;
}

bool Shapes::setInput(plan::TensorId tensor, Dims const& dims) {
    plan::TensorRecord const& input = record(tensor);
    if (input.role != plan::TensorRole::kInput) {
        fail(ErrorKind::kInvalidArgument,
             "[run] tensor '{}', set input shape: expected an input, got an output.", input.name);
    }
    checkDims(dims, 0, fmt::format("input '{}'", input.name));
    if (Range const range = rangeOf(document_, profile_, tensor); !range.contains(dims)) {
        fail(ErrorKind::kInvalidArgument,
             "[run] input '{}': expected a shape from {} to {} (optimization profile {}), got {}. "
             "Use a shape in that range or build with a wider profile.",
             input.name, toText(range.lowest), toText(range.highest), profile_, toText(dims));
    }
    Dims& current = leaves_.of(input.inputIndex);
    if (sameDims(current, dims)) {
        return false;
    }
    current = dims;
    forgetSizes();
    return true;
}

bool Shapes::inputKnown(plan::TensorId tensor) const {
    return !hasOpenExtent(leaves_.of(record(tensor).inputIndex));
}

bool Shapes::inputsKnown() const {
    return std::all_of(document_.tensors.begin(), document_.tensors.end(), [&](auto const& tensor) {
        return tensor.role != plan::TensorRole::kInput ||
               !hasOpenExtent(leaves_.of(tensor.inputIndex));
    });
}

void Shapes::expectInputs() const {
    for (plan::TensorRecord const& tensor : document_.tensors) {
        if (tensor.role == plan::TensorRole::kInput &&
            hasOpenExtent(leaves_.of(tensor.inputIndex))) {
            fail(ErrorKind::kInvalidState,
                 "[run] input '{}': its shape {} has unknown extents. Set the shape of the input "
                 "before the engine runs.",
                 tensor.name, toText(leaves_.of(tensor.inputIndex)));
        }
    }
}

bool Shapes::isByValue(plan::TensorId tensor) const {
    return std::binary_search(byValue_.begin(), byValue_.end(), tensor);
}

std::size_t Shapes::valueCount(plan::TensorId tensor) const {
    Dims const& dims = leaves_.of(record(tensor).inputIndex);
    return dims.nbDims == 0 ? 1 : static_cast<std::size_t>(dims.d[0]);
}

bool Shapes::readInput(plan::TensorId tensor, void const* data) {
    plan::TensorRecord const& input = record(tensor);
    scratch_.resize(valueCount(tensor));
    readValues(input.type.type, data, scratch_);
    std::vector<int64_t>& last = leaves_.valuesOf(input.inputIndex);
    if (last == scratch_) {
        return false;
    }
    checkValues(tensor, scratch_);
    last = scratch_;
    return true;
}

void Shapes::checkValues(plan::TensorId tensor, std::span<int64_t const> values) const {
    for (plan::ValueRange const& range :
         document_.profiles[static_cast<std::size_t>(profile_)].values) {
        bool const real = record(tensor).type.type == DataType::kFLOAT;
        for (std::size_t i = 0; range.tensor == tensor && i < values.size(); ++i) {
            double const value =
                real ? graph::realFromFixed(values[i]) : static_cast<double>(values[i]);
            bool const inside = real ? value >= static_cast<double>(range.min[i]) &&
                                           value <= static_cast<double>(range.max[i])
                                     : values[i] >= range.min[i] && values[i] <= range.max[i];
            if (!inside) {
                fail(ErrorKind::kInvalidArgument,
                     "[run] shape input '{}', element {}: expected a value from {} to {} "
                     "(optimization profile {}), got {}. Use a value in that range or build with a "
                     "wider profile.",
                     record(tensor).name, i, range.min[i], range.max[i], profile_, value);
            }
        }
    }
}

bool Shapes::valuesKnown() const {
    return std::all_of(byValue_.begin(), byValue_.end(), [&](plan::TensorId tensor) {
        plan::TensorRecord const& input = record(tensor);
        bool const empty = input.shape.rank == 1 && leaves_.of(input.inputIndex).d[0] == 0;
        return empty || !leaves_.valuesOf(input.inputIndex).empty();
    });
}

Dims Shapes::upTo(plan::TensorId tensor, int32_t known) const {
    plan::TensorRecord const& wanted = record(tensor);
    if (wanted.role == plan::TensorRole::kInput) {
        return leaves_.of(wanted.inputIndex);
    }
    bool const evaluated = inputsKnown() && valuesKnown();
    std::vector<int64_t> values(document_.exprs.size());
    if (evaluated) {
        graph::evaluate(document_.exprs, leaves_, values);
    }
    Dims dims{};
    dims.nbDims = wanted.shape.rank;
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        graph::ExprRef const ref = wanted.shape[axis];
        graph::ExprNode const& node = document_.exprs[static_cast<std::size_t>(ref)];
        bool const resolved = evaluated && points_.knownAfter(ref) <= known;
        dims.d[axis] = node.op == graph::ExprOp::kConstant ? node.value
                       : resolved                          ? values[static_cast<std::size_t>(ref)]
                                                           : -1;
    }
    return dims;
}

void Shapes::forgetSizes() noexcept {
    known_ = SizePoints::kAlways;
    leaves_.forgetSizes();
}

void Shapes::resolve() {
    forgetSizes();
    graph::evaluate(document_.exprs, leaves_, values_);
    shapesOf(document_, values_, dims_);
    if (points_.any()) {
        bounds_ = dims_;
    }
    for (plan::TensorId const i : dims_.ids()) {
        checkResolved(i);
        plan::TensorId const memory = record(i).sharesWith;
        if (!memory.isNone() && points_.knownAfter(record(i)) == SizePoints::kAlways &&
            points_.knownAfter(record(memory)) == SizePoints::kAlways) {
            checkReshape(document_, i, dims_[i], dims_[memory]);
        }
        hideUnknown(i);
    }
}

void Shapes::setSize(std::size_t step, plan::TensorId sizeTensor, int64_t size) {
    int64_t const bound = values_[static_cast<std::size_t>(points_.nodeOf(sizeTensor).b)];
    if (size < 0 || size > bound) {
        fail(ErrorKind::kPlugin,
             "[run] layer '{}', size tensor '{}': expected enqueue to write a size from 0 to {}, "
             "the bound that the plugin declared, got {}. Write at most that many, or declare a "
             "larger bound.",
             document_.steps[step].name, record(sizeTensor).name, bound, size);
    }
    leaves_.setSize(sizeTensor, size);
    known_ = static_cast<int32_t>(step);
}

void Shapes::settle(std::size_t step) {
    SizePoints::Settled const& settled = points_.settledBy(step);
    graph::evaluate(document_.exprs, leaves_, values_, settled.exprs);
    for (plan::TensorId const tensor : settled.tensors) {
        Dims& dims = dims_[tensor];
        dims = shapeOf(record(tensor), values_);
        checkResolved(tensor);
        if (plan::TensorId const memory = record(tensor).sharesWith; !memory.isNone()) {
            checkView(document_, tensor, dims, bounds_[memory], values_);
        }
        hideUnknown(tensor);
    }
}

Table<plan::TensorId, uint64_t> Shapes::bytes() const {
    Table<plan::TensorId, uint64_t> bytes = *capacity_;
    for (plan::TensorId const i : bytes.ids()) {
        // A tensor may be larger where a size is smaller: its capacity covers that.
        if (points_.knownAfter(record(i)) == SizePoints::kAlways &&
            record(i).role == plan::TensorRole::kInternal) {
            bytes[i] = record(i).bytesAt(dims_[i]);
        }
    }
    return bytes;
}

/// Checks a tensor's shape. Sizes that are not known yet are at their upper bound here.
void Shapes::checkResolved(plan::TensorId tensor) const {
    plan::TensorRecord const& resolved = record(tensor);
    Dims const& dims = dims_[tensor];
    if (resolved.role == plan::TensorRole::kInput &&
        !sameDims(dims, leaves_.of(resolved.inputIndex))) {
        fail(ErrorKind::kInvalidArgument,
             "[run] input '{}': expected shape {}, because dimensions of one name are equal, "
             "got {}. Give all inputs with that dimension name the same extent.",
             resolved.name, toText(dims), toText(leaves_.of(resolved.inputIndex)));
    }
    std::size_t const bytes = resolved.bytesAt(dims);
    if (resolved.role == plan::TensorRole::kInternal && bytes > (*capacity_)[tensor]) {
        fail(ErrorKind::kInvalidState,
             "[run] tensor '{}' of shape {}: expected at most {} bytes, got {}. Its shape does "
             "not grow with the inputs; build with a profile whose corners include this case.",
             resolved.name, toText(dims), (*capacity_)[tensor], bytes);
    }
}

/// Sets the extents of a tensor that depend on unknown sizes to -1.
void Shapes::hideUnknown(plan::TensorId tensor) {
    plan::TensorRecord const& hidden = record(tensor);
    for (int32_t axis = 0; axis < hidden.shape.rank; ++axis) {
        if (points_.knownAfter(hidden.shape[axis]) > known_) {
            dims_[tensor].d[axis] = -1;
        }
    }
}

} // namespace kiln::runtime
