// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix products. If all batch elements share the right operand, their rows become one matrix, and
// the right operand may be packed. Operands that are transposed or broadcast are described by their
// strides.
#include <algorithm>

#include "target/workload/matrix_product.h"
#include "targets/cpu/onednn/blueprint.h"

namespace kiln::targets::cpu::onednn {
namespace {

using target::MatrixWorkload;
using target::Workload;

graph::MatrixMultiply const& opOf(Fusion const& fusion) {
    return static_cast<graph::MatrixMultiply const&>(*fusion.anchor);
}

MatrixWorkload workloadOf(Fusion const& fusion, Workload const& workload) {
    return target::matrixWorkload(opOf(fusion), workload.inputs[fusion.inputOfAnchor(0)],
                                  workload.inputs[fusion.inputOfAnchor(1)], workload.outputs[0]);
}

/// How the other operand of a pointwise operation repeats over the output.
enum class Spread { kFull, kColumns, kOne, kOther };

/// `columns`: the output has an axis of columns, its last one.
Spread spreadOf(Dims const& dims, Dims const& output, bool columns) {
    if (sameDims(dims, output)) {
        return Spread::kFull;
    }
    for (int32_t axis = 0; axis < dims.nbDims - 1; ++axis) {
        if (dims.d[axis] != 1) {
            return Spread::kOther;
        }
    }
    if (dims.nbDims == 0 || dims.d[dims.nbDims - 1] == 1) {
        return Spread::kOne;
    }
    return columns ? Spread::kColumns : Spread::kOther;
}

bool hasColumns(Fusion const& fusion) {
    return opOf(fusion).operation[1] != nvinfer1::MatrixOperation::kVECTOR;
}

Spread spreadOf(Fusion const& fusion, Workload const& workload, int32_t operand) {
    auto const input = static_cast<std::size_t>(operand);
    if (fusion.isChannelwise(input) && volume(workload.inputs[input], "scale") != 1) {
        return Spread::kColumns;
    }
    if (fusion.isSingle(input) || fusion.isChannelwise(input)) {
        return Spread::kOne;
    }
    return spreadOf(workload.inputs[static_cast<std::size_t>(operand)], workload.outputs[0],
                    hasColumns(fusion));
}

/// Whether the product is one of two matrices: [all rows, inner] x [inner, columns].
bool isFlat(Fusion const& fusion, Workload const& workload, MatrixWorkload const& p) {
    bool const shared =
        p.batch.rank() == 0 || (p.batch.rank() == 1 && p.batch.stride(0, 1) == 0 &&
                                p.left.summed == 1 && p.batch.stride(0, 0) == p.rows * p.inner);
    return shared && std::all_of(fusion.postOps.begin(), fusion.postOps.end(), [&](PostOp op) {
               return op.operand < 0 || spreadOf(fusion, workload, op.operand) != Spread::kOther;
           });
}

class MatrixAnchor final : public Anchor {
public:
    std::string refuse(Fusion const&, Workload const& workload) const override {
        auto const other = [](target::OperandType const& type) {
            return type.format != TensorFormat::kLINEAR;
        };
        return other(workload.outputTypes[0]) ||
                       std::any_of(workload.inputTypes.begin(), workload.inputTypes.end(), other)
                   ? "expected linear operands"
                   : "";
    }

    std::size_t weightsAt(Fusion const& fusion) const override { return fusion.inputOfAnchor(1); }

    bool takesOrder(Fusion const& fusion, Workload const& workload) const override {
        Dims const& right = workload.inputs[weightsAt(fusion)];
        for (int32_t axis = 0; axis < opOf(fusion).axes(1, right.nbDims).batch; ++axis) {
            if (right.d[axis] != 1) {
                return false;
            }
        }
        return hasColumns(fusion) && isFlat(fusion, workload, workloadOf(fusion, workload));
    }

    Weights weightsOf(Fusion const& fusion, std::span<target::OperandType const> inputs,
                      Dims const& dims) const override {
        DataType const type = inputs[weightsAt(fusion)].type;
        auto const axes = opOf(fusion).axes(1, dims.nbDims);
        auto const strides = target::denseStrides(dims);
        return {type,
                {dims.d[axes.summed], axes.kept < 0 ? 1 : dims.d[axes.kept]},
                {strides[static_cast<std::size_t>(axes.summed)],
                 axes.kept < 0 ? 1 : strides[static_cast<std::size_t>(axes.kept)]}};
    }

    Blueprint describe(Fusion const& fusion, Workload const& workload, Order order) const override {
        MatrixWorkload const p = workloadOf(fusion, workload);
        bool const flat = isFlat(fusion, workload, p);
        if (order.tag != Order::kPlain && !flat) {
            fail(ErrorKind::kUnsupported,
                 "[shape] {}: expected operands that repeat as in the profiles for which the right "
                 "one was packed. Build the engine with a profile for these shapes.",
                 opOf(fusion).kind());
        }
        DataType const written = workload.outputTypes[0].type;
        DataType const type = fusion.quantized ? DataType::kFLOAT : written;
        DataType const read = workload.inputTypes[fusion.inputOfAnchor(0)].type;
        // Batch axes of the primitive, and the output with the axes that a vector lacks.
        Layout const layout = layoutOf(fusion, workload, p, flat);
        BlueprintMaker maker(fusion, workload);
        auto const from = maker.input(DNNL_ARG_SRC, fusion.inputOfAnchor(0),
                                      strided(read, layout.left, layout.leftStrides));
        std::size_t const rightAt = weightsAt(fusion);
        auto const weights = maker.input(
            DNNL_ARG_WEIGHTS, rightAt,
            flat ? weightsOf(fusion, workload.inputTypes, workload.inputs[rightAt]).in(order)
                 : strided(read, layout.right, layout.rightStrides));
        auto const to = maker.output(dense(written, layout.output));
        const_dnnl_memory_desc_t bias = nullptr;
        // In float16, oneDNN has no fast product with a bias, but one with an operation behind it.
        if (PostOp const* const sum = maker.firstSum();
            sum != nullptr && type != DataType::kHALF &&
            spreadOf(fusion, workload, sum->operand) == Spread::kColumns) {
            Extents extents(layout.output.size(), 1);
            extents.back() = p.columns;
            bias = maker.input(DNNL_ARG_BIAS, static_cast<std::size_t>(sum->operand),
                               dense(type, extents));
            maker.skipFirst();
        }
        auto const attributes = maker.attributes([&](std::size_t operand) {
            return dense(type, otherOf(fusion, workload, layout, operand));
        });
        return maker.finish([&](dnnl_primitive_desc_t* desc, dnnl_engine_t engine) {
            return Library::instance().matmul_primitive_desc_create(desc, engine, from, weights,
                                                                    bias, to, attributes.get());
        });
    }

    double operations(Fusion const& fusion, Workload const& workload) const override {
        MatrixWorkload const p = workloadOf(fusion, workload);
        return 2.0 * static_cast<double>(p.batch.count()) * static_cast<double>(p.rows) *
               static_cast<double>(p.columns) * static_cast<double>(p.inner);
    }

private:
    struct Layout {
        Extents left, leftStrides;
        Extents right, rightStrides;
        Extents output;
    };

    /// Strides of a matrix axis of extent 1 are free; oneDNN wants them not to be 0.
    static dnnl_dim_t strideOf(int64_t stride, int64_t extent) {
        return extent == 1 ? std::max<int64_t>(stride, 1) : stride;
    }

    static Layout layoutOf(Fusion const& fusion, Workload const& workload, MatrixWorkload const& p,
                           bool flat) {
        Layout layout;
        if (flat) {
            int64_t const rows = p.batch.count() * p.rows;
            layout.left = {rows, p.inner};
            layout.leftStrides = {p.batch.count() == 1 ? rowStride(p) : p.inner, p.left.summed};
            layout.output = {rows, p.columns};
            return layout;
        }
        // Every batch axis for itself, because the other operands may repeat along any of them.
        Dims const& left = workload.inputs[fusion.inputOfAnchor(0)];
        Dims const& right = workload.inputs[fusion.inputOfAnchor(1)];
        auto const leftStrides = target::denseStrides(left);
        auto const rightStrides = target::denseStrides(right);
        int32_t const batch = opOf(fusion).axes(0, left.nbDims).batch;
        for (int32_t axis = 0; axis < batch; ++axis) {
            layout.left.push_back(left.d[axis]);
            layout.right.push_back(right.d[axis]);
            layout.leftStrides.push_back(leftStrides[static_cast<std::size_t>(axis)]);
            layout.rightStrides.push_back(rightStrides[static_cast<std::size_t>(axis)]);
            layout.output.push_back(workload.outputs[0].d[axis]);
        }
        layout.left.insert(layout.left.end(), {p.rows, p.inner});
        layout.leftStrides.insert(layout.leftStrides.end(), {rowStride(p), p.left.summed});
        layout.right.insert(layout.right.end(), {p.inner, p.columns});
        layout.rightStrides.insert(layout.rightStrides.end(), {strideOf(p.right.summed, p.inner),
                                                               strideOf(p.right.kept, p.columns)});
        layout.output.insert(layout.output.end(), {p.rows, p.columns});
        return layout;
    }

    static dnnl_dim_t rowStride(MatrixWorkload const& p) {
        return p.left.kept == 0 ? p.inner : p.left.kept;
    }

    /// Extents of the other operand of a pointwise operation.
    static Extents otherOf(Fusion const& fusion, Workload const& workload, Layout const& layout,
                           std::size_t operand) {
        Extents ones(layout.output.size(), 1);
        switch (spreadOf(fusion, workload, static_cast<int32_t>(operand))) {
        case Spread::kFull: return layout.output;
        case Spread::kOne: return ones;
        case Spread::kColumns: ones.back() = layout.output.back(); return ones;
        case Spread::kOther: break;
        }
        // The product is not flat: the operand's own axes, and those that a vector lacks.
        Dims const& dims = workload.inputs[operand];
        Extents extents(dims.d, dims.d + dims.nbDims);
        if (opOf(fusion).operation[0] == nvinfer1::MatrixOperation::kVECTOR) {
            extents.insert(extents.end() - (hasColumns(fusion) ? 1 : 0), 1);
        }
        if (!hasColumns(fusion)) {
            extents.push_back(1);
        }
        return extents;
    }
};

} // namespace

Anchor const& matrixAnchor() {
    static MatrixAnchor const anchor;
    return anchor;
}

} // namespace kiln::targets::cpu::onednn
