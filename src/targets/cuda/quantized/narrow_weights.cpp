// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/quantized/narrow_weights.h"

#include <algorithm>

#include "graph/op_registry.h"
#include "graph/ops/dequantize.h"
#include "graph/quantization.h"
#include "target/workload/node_at.h"
#include "targets/cuda/blaslt/matrix_product.h"
#include "targets/cuda/code_archive.h"
#include "targets/cuda/kernel_launch.h"
#include "targets/cuda/kernel_source.h"
#include "targets/cuda/kernels.h"
#include "targets/cuda/loaded_code.h"
#include "targets/cuda/quantized/narrow_order.h"
#include "targets/cuda/quantized/quantized_source.h"
#include "targets/cuda/quantized/quantized_weights.h"
#include "targets/cuda/region_entry.h"

namespace kiln::targets::cuda {
namespace {

using graph::Region;
using target::ConstantOperand;
using target::KernelRecord;
using target::NodeAt;
using target::NodeSpec;
using target::OperandSpec;
using target::Workload;

// As in kernels/narrow_weights.cuh.
constexpr int32_t kThreads = 256;
constexpr int64_t kBlockColumns = 32;
constexpr int64_t kGroup = 8; ///< terms with one scale at least

struct Arguments {
    int64_t rows;
    int64_t scaleBlock;
    int64_t scaleColumn;
    int32_t columns;
    int32_t terms;
    int32_t steps;
    int32_t blockTerms;
    int32_t wideLeft;
    int64_t rowStrides[QuantizedRegion::kMostOperands];
    int32_t columnStrides[QuantizedRegion::kMostOperands];
};

constexpr char const* kArguments = R"(/// Same layout as in quantized/narrow_weights.cpp.
struct Arguments {
    int64_t rows;
    int64_t scaleBlock;  ///< of scales, from block to block of a column
    int64_t scaleColumn; ///< from column to column
    int32_t columns;
    int32_t terms;
    int32_t steps;
    int32_t blockTerms; ///< with one scale
    int32_t wideLeft;   ///< eight neighbours of a row may be loaded at once if it is aligned
    int64_t rowStrides[8];
    int32_t columnStrides[8];
};

)";

QuantizedRegion regionOf(graph::Op const& op) {
    return QuantizedRegion(static_cast<Region const&>(op), QuantizedRegion::Sources::kWeights);
}

bool isNarrow(DataType type) {
    return type == DataType::kINT4 || type == DataType::kFP4 || type == DataType::kFP8 ||
           isInteger8(type);
}

NarrowOrder orderOf(QuantizedRegion const& region, Dims const& weights, DataType type) {
    WeightOrder const order = weightOrder(region, weights);
    return {order.columns, order.terms, static_cast<int64_t>(bitsOf(type))};
}

[[noreturn]] void failScales(Dims const& scale, Dims const& weights) {
    fail(
        ErrorKind::kUnsupported,
        "[cuda] Region: expected scales for blocks of a multiple of {} terms of weights of {}, got "
        "{}. Build the plan for this shape.",
        kGroup, toText(weights), toText(scale));
}

/// Sets how the scales of blocks lie.
void describeScales(QuantizedRegion const& region, Dims const& weights, Dims const& scale,
                    Arguments& arguments) {
    arguments.blockTerms = std::max(arguments.terms, 1);
    if (volume(scale, "scale") == 1) {
        return;
    }
    int32_t const column = region.columnAxis(weights.nbDims);
    int32_t const term = 2 * weights.nbDims - 3 - column;
    if (scale.nbDims != weights.nbDims) {
        arguments.scaleColumn = region.scaleStride(weights, scale, arguments.columns);
        return;
    }
    auto const strides = target::denseStrides(scale);
    auto const stride = [&](int32_t axis) {
        return scale.d[axis] == 1 ? 0 : strides[static_cast<std::size_t>(axis)];
    };
    arguments.scaleColumn = stride(column);
    arguments.scaleBlock = stride(term);
    bool const columns = scale.d[column] == 1 || scale.d[column] == weights.d[column];
    int64_t const blocks = scale.d[term];
    bool const whole = blocks > 0 && weights.d[term] % blocks == 0 &&
                       (blocks == 1 || weights.d[term] / blocks % kGroup == 0);
    if (!columns || !whole) {
        failScales(scale, weights);
    }
    arguments.blockTerms = static_cast<int32_t>(std::max<int64_t>(weights.d[term] / blocks, 1));
}

/// Throws kInvalidArgument for shapes that the op does not give, kUnsupported for others.
Arguments describe(QuantizedRegion const& region, Workload const& workload) {
    constexpr int64_t kMost = int64_t{1} << 30;
    target::checkWorkload(region.region(), workload);
    Dims const& result = workload.outputs[0];
    Dims const& weights = workload.inputs[region.right()];
    target::MatrixWorkload const product =
        target::matrixWorkload(region.multiply(), workload.inputs[region.left()], weights, result);
    std::vector<BatchLoop> loops = batchLoops(product);
    Arguments arguments{};
    arguments.rows = foldRows(product, loops);
    bool const dense = product.left.summed == 1 || product.inner == 1;
    if (!loops.empty() || !dense || arguments.rows >= kMost || product.columns >= kMost ||
        product.inner >= kMost || (arguments.rows > 1 && product.left.kept != product.inner)) {
        fail(ErrorKind::kUnsupported,
             "[cuda] Region: expected rows by one matrix of less than 2^30 rows and columns, got "
             "{} and {}. Build the plan for this shape.",
             toText(workload.inputs[region.left()]), toText(weights));
    }
    arguments.columns = static_cast<int32_t>(product.columns);
    arguments.terms = static_cast<int32_t>(product.inner);
    arguments.wideLeft = arguments.terms % kGroup == 0 ? 1 : 0;
    arguments.steps = static_cast<int32_t>(
        orderOf(region, weights, workload.inputTypes[region.right()].type).steps());
    describeScales(region, weights, workload.inputs[region.rightScale()], arguments);
    for (std::size_t i = 0; i < region.operands().size(); ++i) {
        std::size_t const input = region.operands()[i];
        QuantizedRegion::Strides const strides =
            region.stridesOf(workload.inputs[input], workload.inputTypes[input].format, result);
        arguments.rowStrides[i] = strides.row;
        arguments.columnStrides[i] = static_cast<int32_t>(strides.column);
    }
    return arguments;
}

std::string refuseTypes(QuantizedRegion const& region, NodeSpec const& node) {
    DataType const left = node.inputs[region.left()].type.type;
    OperandSpec const& weights = node.inputs[region.right()];
    if (left != DataType::kHALF && left != DataType::kBF16) {
        return fmt::format("expected rows of float16 or bfloat16, got {}", nameOf(left));
    }
    if (!weights.constant || !isNarrow(weights.type.type)) {
        return fmt::format("expected constant weights of int4, fp4, int8, uint8 or fp8, got {}",
                           nameOf(weights.type.type));
    }
    if (!isOneMatrix(region, weights.opt)) {
        return "expected one matrix of weights";
    }
    return isFloating(node.inputs[region.rightScale()].type.type)
               ? target::refuseFormats(node)
               : "expected scales of float32, float16 or bfloat16";
}

std::string refuse(NodeSpec const& node) {
    constexpr int64_t kMostRows = 64;
    QuantizedRegion const region = regionOf(node.op);
    std::string reason = region.problem();
    reason = reason.empty() ? refuseTypes(region, node) : reason;
    reason = reason.empty() ? region.chainProblem(node) : reason;
    if (!reason.empty()) {
        return reason;
    }
    try {
        for (auto const corner : NodeAt::kPoints) {
            NodeAt const at(node, corner);
            Workload const workload = at.workload();
            Arguments const arguments = describe(region, workload);
            if (corner == NodeAt::Point::kOptimum && arguments.rows > kMostRows) {
                return fmt::format("expected at most {} rows, got {}: of more, a product by "
                                   "dequantized weights is faster",
                                   kMostRows, arguments.rows);
            }
        }
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

SourceText narrowSource(QuantizedRegion const& region, NodeSpec const& node) {
    auto const typeOf = [&](std::size_t input) {
        return kernelTypeName(node.inputs[input].type.type);
    };
    std::string parameters;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        parameters += fmt::format("{} const* in{}, ", typeOf(i), i);
    }
    std::string places;
    for (std::size_t const operand : region.operands()) {
        places += fmt::format("in{}, ", operand);
    }
    std::string text = fmt::format(
        "// Generated by narrow_weights.cpp for one region.\n#include \"numbers.cuh\"\n\n{}"
        "typedef {} Element;\ntypedef {} Weight;\ntypedef {} Scale;\ntypedef {} Output;\n\n"
        "struct Operands {{\n{}}};\n\n{}#include \"narrow_weights.cuh\"\n\n",
        kArguments, typeOf(region.left()), typeOf(region.right()), typeOf(region.rightScale()),
        kernelTypeName(node.outputs[0].type.type), operandMembers(region, node),
        resultSource(region, node));
    for (auto const& [name, tiles] :
         {std::pair("rows_16", 1), std::pair("rows_32", 2), std::pair("rows_64", 4)}) {
        text += fmt::format("KILN_KERNEL void __launch_bounds__(kWarps * 32)\n"
                            "    {}({}Output* to, KILN_IN_PLACE Arguments arguments) {{\n"
                            "    Operands const operands{{{}}};\n"
                            "    narrowProduct<{}>(in{}, in{}, in{}, operands, to, "
                            "arguments);\n}}\n\n",
                            name, parameters, places, tiles, region.left(), region.right(),
                            region.rightScale());
    }
    return {"narrow_weights_region.cuh", std::move(text), {}};
}

double estimate(NodeSpec const& node) {
    constexpr double kLaunch = 3e-6;
    constexpr double kPerSecond = 1e14;
    return kLaunch + std::max(target::bytesMoved(node) / kBytesPerSecond,
                              regionOf(node.op).operations(node) / kPerSecond);
}

/// What a kernel loads from a plan.
struct LoadedRegion {
    LoadedRegion(KernelRecord const& plan, std::span<ConstantOperand const> constants)
        : record(plan), op(graph::OpRegistry::instance().load(Region::kKind, plan.parameters)),
          region(regionOf(*op)), code(plan.code) {
        if (!region.problem().empty()) {
            fail(ErrorKind::kCorruptData, "[plan] kernel '{}': {}. Build the plan again.",
                 plan.kernel, region.problem());
        }
        ConstantOperand const& weights = constants[region.right()];
        NarrowOrder const order =
            orderOf(region, weights.dims, record.inputs.at(region.right()).type);
        if (weights.bytes != static_cast<std::size_t>(order.bytes())) {
            fail(ErrorKind::kCorruptData,
                 "[plan] narrow weights: expected {} bytes, got {}. Build the plan again.",
                 order.bytes(), weights.bytes);
        }
    }

    KernelRecord record;
    std::unique_ptr<graph::Op> op;
    QuantizedRegion region;
    LoadedCode code;
};

class NarrowInstance final : public target::KernelInstance {
public:
    explicit NarrowInstance(LoadedRegion const& loaded) : loaded_(loaded) {}

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        Workload const workload{loaded_.record.inputs, loaded_.record.outputs, inputs, outputs};
        target::checkLinear(*loaded_.op, workload);
        arguments_ = describe(loaded_.region, workload);
        int64_t const rows = arguments_.rows;
        int64_t const tile = rows <= 16 ? 16 : rows <= 32 ? 32 : 64;
        char const* const function = rows <= 16 ? "rows_16" : rows <= 32 ? "rows_32" : "rows_64";
        int64_t const across = (arguments_.columns + kBlockColumns - 1) / kBlockColumns;
        int64_t const down = (rows + tile - 1) / tile;
        constexpr int64_t kMostDown = 65535;
        if (down > kMostDown) {
            fail(ErrorKind::kUnsupported,
                 "[cuda] Region: expected at most {} rows of a product with narrow weights, got "
                 "{}. Build the plan for this shape.",
                 kMostDown * tile, rows);
        }
        launch_.set(loaded_.code, {{function, down == 0 ? 0 : across, down, 1, kThreads}});
        launch_.describe({inputs.size(), outputs.size(), false, nullptr, &arguments_});
    }

    target::Launch launch() override { return {&KernelLaunch::run, &launch_}; }
    std::string failureText() const override { return launch_.failureText(); }

private:
    LoadedRegion const& loaded_;
    Arguments arguments_{};
    KernelLaunch launch_;
};

std::vector<target::PackedOperand> packs(KernelRecord const& record) {
    constexpr uint16_t kByColumns = 1;
    auto const op = graph::OpRegistry::instance().load(Region::kKind, record.parameters);
    return {{regionOf(*op).right(), kByColumns}};
}

Bytes pack(KernelRecord const& record, std::size_t operand, ConstantOperand const& original) {
    auto const op = graph::OpRegistry::instance().load(Region::kKind, record.parameters);
    QuantizedRegion const region = regionOf(*op);
    int32_t const rank = original.dims.nbDims;
    return packNarrow(orderOf(region, original.dims, record.inputs.at(operand).type),
                      {static_cast<std::byte const*>(original.host), original.bytes},
                      region.columnAxis(rank) == rank - 1);
}

} // namespace

target::KernelEntry regionNarrowWeights() {
    target::KernelEntry entry =
        regionEntry<LoadedRegion, NarrowInstance>("region_narrow_weights", &refuse, &estimate);
    entry.compile = [](NodeSpec const& node, std::span<std::string const> architectures) {
        return compileFor(narrowSource(regionOf(node.op), node), architectures);
    };
    entry.packs = &packs;
    entry.pack = &pack;
    return entry;
}

} // namespace kiln::targets::cuda
