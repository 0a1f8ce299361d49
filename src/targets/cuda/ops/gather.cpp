// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// gather: copies the parts of the data that the indices select. kDEFAULT: data [shared, outer,
// axis, inner], indices [shared, count], output [shared, outer, count, inner]. kND: data [shared,
// axes..., inner], indices [shared, count, axes], output [shared, count, inner]. kELEMENT: element
// by element. Negative indices count from the end; an index outside its axis gives zeros. Any type
// of whole bytes; int32 and int64 indices.
#include "graph/ops/gather.h"

#include "targets/cuda/element_rows.h"
#include "targets/cuda/indexed_axes.h"
#include "targets/cuda/op_kernel.h"
#include "targets/cuda/row_pieces.h"
#include "targets/cuda/words.h"

namespace kiln::targets::cuda {
namespace {

using nvinfer1::GatherMode;

struct GatherMove {
    using Op = graph::Gather;
    struct Arguments {
        int64_t total = 0;
        int64_t size = 0;
        FastDivide inner;
        FastDivide count;
        FastDivide outer;
        int64_t sharedStep = 0;
        int64_t outerStep = 0;
        int64_t plain = 0;
        IndexedAxes indexed;
        RowPieces pieces;
        ElementRows rows;
    };

    static std::string refuse(Op const&, NodeSpec const& node) {
        return refuseSubByte(node.inputs[0].type.type);
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        DataType const type = node.inputs[0].type.type;
        return sourceOf("gather", {{"WIDE", needsWide(node) ? "1" : "0"},
                                   {"T", moverTypeName(type)},
                                   {"EIGHT_BYTES", bitsOf(type) > 32 ? "1" : "0"},
                                   {"INDEX", kernelTypeName(node.inputs[1].type.type)},
                                   {"ELEMENTWISE", op.mode == GatherMode::kELEMENT ? "1" : "0"}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& data = workload.inputs[0];
        Dims const& indices = workload.inputs[1];
        arguments.total = volume(data, "gather data");
        arguments.size = volume(workload.outputs[0], "gather");
        int64_t const indexCount = volume(indices, "gather indices");
        std::size_t const wide =
            fitsNarrow(arguments.total) && fitsNarrow(arguments.size) && fitsNarrow(indexCount) ? 0
                                                                                                : 1;
        constexpr char const* kElements[] = {"gather_elements", "gather_elements_wide"};
        if (op.mode == GatherMode::kELEMENT) {
            GridLaunch const rows =
                arguments.rows.launch("gather_rows", data, indices, op.axis,
                                      static_cast<int64_t>(bytesFor(workload.type(), 1)), true);
            if (rows.gridX > 0) {
                return {rows};
            }
            arguments.indexed.setElements(data, indices, op.axis);
            return {launchElements(kElements[wide], arguments.size)};
        }
        prepareRows(op, data, indices, arguments);
        constexpr char const* kWords[] = {"gather_words", "gather_words_wide"};
        constexpr char const* kAligned[] = {"gather_aligned", "gather_aligned_wide"};
        constexpr int64_t kLeastRowBytes = 32; // shorter rows are rarely within one word
        auto const bytes = static_cast<int64_t>(bytesFor(workload.type(), 1));
        if (arguments.inner.divisor * bytes % 16 == 0) {
            return {launchWords(kAligned[wide], arguments.size, bytes)};
        }
        int64_t const rowBytes = arguments.inner.divisor * bytes;
        if (wide == 0 && rowBytes >= kLeastRowBytes) {
            int64_t const rows = arguments.size / arguments.inner.divisor;
            if (int64_t const unit = arguments.pieces.set(rows, rowBytes, bytes); unit > 0) {
                return {arguments.pieces.launch(unit == 8 ? "gather_pieces_of_8"
                                                          : "gather_pieces_of_4")};
            }
        }
        return {rowBytes >= kLeastRowBytes ? launchWords(kWords[wide], arguments.size, bytes)
                                           : launchElements(kElements[wide], arguments.size)};
    }

private:
    static void prepareRows(Op const& op, Dims const& data, Dims const& indices,
                            Arguments& arguments) {
        int32_t const shared = op.sharedAxes;
        bool const tuples = op.mode == GatherMode::kND;
        int32_t const first = tuples ? shared : op.axis;
        arguments.indexed.setTuples(
            data, first, tuples ? static_cast<int32_t>(indices.d[indices.nbDims - 1]) : 1);
        int32_t const inner = first + arguments.indexed.tuple;
        arguments.count = fastDivide(extentOf(indices, shared, indices.nbDims - (tuples ? 1 : 0)));
        arguments.outer = fastDivide(extentOf(data, shared, first));
        arguments.inner = fastDivide(extentOf(data, inner, data.nbDims));
        arguments.plain = extentOf(data, 0, first) == 1 ? 1 : 0;
        arguments.sharedStep = extentOf(data, shared, data.nbDims);
        arguments.outerStep = extentOf(data, first, data.nbDims);
    }
};

} // namespace

void registerKernel_gather(KernelRegistry& registry) {
    registry.add(entryOf<GatherMove>("gather_words"));
}

} // namespace kiln::targets::cuda
