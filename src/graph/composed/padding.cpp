// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/padding.h"

#include <algorithm>
#include <cstdlib>

#include "graph/ops/slice.h"

namespace kiln::graph {

using nvinfer1::ElementWiseOperation;

std::string Padding::problem() const {
    constexpr int64_t kMost = int64_t{1} << 40; // keeps sums of extents and paddings in range
    for (Dims const* const padding : {&before, &after}) {
        if (padding->nbDims != 2) {
            return fmt::format("expected paddings of 2 axes, the last ones, got {}.",
                               padding->nbDims);
        }
        if (std::any_of(padding->d, padding->d + 2,
                        [](int64_t d) { return d < -kMost || d > kMost; })) {
            return fmt::format("expected paddings of -2^40 to 2^40, got {} and {}.", padding->d[0],
                               padding->d[1]);
        }
    }
    return {};
}

void Padding::check(InferContext const& context) const {
    expectInputs(context, kKind, 1, 1);
    ShapeExpr const& shape = context.inputs[0].shape;
    if (shape.rank < 2) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an input of rank 2 or more, got rank {}. Reshape it.",
             where(context, kKind), shape.rank);
    }
    for (int32_t i = 0; i < 2; ++i) {
        int64_t const extent = context.pool.constantOr(shape[shape.rank - 2 + i]);
        if (extent >= 0 && extent + before.d[i] + after.d[i] < 0) {
            fail(ErrorKind::kInvalidArgument,
                 "{}: expected paddings that leave axis {} an extent of 0 or more, got {} and {} "
                 "around {}. Cut fewer elements off.",
                 where(context, kKind), shape.rank - 2 + i, before.d[i], after.d[i], extent);
        }
    }
}

std::unique_ptr<Region> Padding::parts(InferContext const& context) const {
    Parts parts(context);
    int32_t const rank = parts.rank(0);
    Slice slice;
    slice.axes = {2, {rank - 2, rank - 1}};
    slice.start = {2, {-before.d[0], -before.d[1]}};
    slice.stride = {2, {1, 1}};
    slice.mode = nvinfer1::SampleMode::kFILL;
    int64_t const more[] = {before.d[0] + after.d[0], before.d[1] + after.d[1]};
    Dims const known = knownDims(context.pool, parts.facts(0).shape);
    if (known.d[rank - 2] >= 0 && known.d[rank - 1] >= 0) {
        slice.size = {2, {known.d[rank - 2] + more[0], known.d[rank - 1] + more[1]}};
        return parts.finish({parts.add(slice, {0})});
    }
    slice.size = {2, {0, 0}}; // not used: the size is an operand
    std::vector<Parts::Extent> const last = {Parts::Extent::ofAxis(rank - 2),
                                             Parts::Extent::ofAxis(rank - 1)};
    int32_t const size =
        parts.elementWise(ElementWiseOperation::kSUM, parts.extents(0, last),
                          parts.range(more[0], more[1] - more[0], 2, DataType::kINT64));
    return parts.finish({parts.add(slice, {0, Region::kAbsent, size})});
}

} // namespace kiln::graph
