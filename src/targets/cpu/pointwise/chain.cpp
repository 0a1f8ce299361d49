// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/pointwise/chain.h"

#include <algorithm>

#include "graph/ops/activation.h"
#include "graph/ops/cast.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/identity.h"
#include "graph/ops/quantize.h"
#include "graph/ops/reduce.h"
#include "graph/ops/select.h"
#include "graph/ops/unary.h"

namespace kiln::targets::cpu {
namespace {

bool isFloat(DataType type) {
    return type == DataType::kFLOAT || type == DataType::kHALF || type == DataType::kBF16;
}

bool isWhole(DataType type) {
    return type == DataType::kINT8 || type == DataType::kUINT8 || type == DataType::kINT32 ||
           type == DataType::kINT64;
}

void findDomain(Chain& chain) {
    if (chain.operands.empty()) {
        chain.domain.nbDims = -1;
        return;
    }
    chain.domain = chain.valueAt(chain.operands.front().value).dims;
    for (Chain::Node const& node : chain.nodes) {
        for (int32_t const input : node.inputs) {
            if (input < 0) {
                continue;
            }
            Dims const& dims = chain.valueAt(input).dims;
            if (dims.nbDims != chain.domain.nbDims) {
                chain.domain.nbDims = -1;
                return;
            }
            for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
                // An empty axis is broadcast from 1, too.
                int64_t& extent = chain.domain.d[axis];
                extent = extent == 1 ? dims.d[axis] : extent;
            }
        }
    }
}

void findRows(Chain& chain) {
    for (Chain::Node const& node : chain.nodes) {
        bool const reads = !node.inputs.empty() && node.inputs.front() >= 0;
        if (reads && node.op->kind() == graph::Reduce::kKind) {
            auto const& reduce = static_cast<graph::Reduce const&>(*node.op);
            chain.rowAxes |=
                chain.order.placesOf(reduce.axes, chain.valueAt(node.inputs.front()).dims.nbDims);
        }
    }
}

void addInputs(Chain& chain, target::Workload const& workload) {
    for (std::size_t i = 0; i < workload.inputs.size(); ++i) {
        chain.values.push_back(
            {workload.inputTypes[i].type, chain.order.arranged(workload.inputs[i])});
    }
}

/// The values of the operands must be known.
void addOperands(Chain& chain, std::vector<target::RegionOperand> const& operands) {
    for (target::RegionOperand const& operand : operands) {
        Dims const& dims = chain.valueAt(operand.value).dims;
        Dims const& input = chain.valueAt(static_cast<int32_t>(operand.input)).dims;
        chain.operands.push_back(
            {operand.value, operand.input, target::stridesOf(operand, dims, input)});
    }
}

/// Why a reduction cannot end a row here.
std::string reductionRefusal(Chain const& chain, Chain::Node const& node) {
    auto const& reduce = static_cast<graph::Reduce const&>(*node.op);
    int32_t const rank = chain.domain.nbDims;
    Dims const& input = chain.valueAt(node.inputs.front()).dims;
    uint32_t const axes = chain.order.placesOf(reduce.axes, rank);
    bool inside = false; // an axis that is kept lies inside of one that is reduced
    bool seen = false;
    for (int32_t axis = 0; axis < rank; ++axis) {
        if (chain.domain.d[axis] == 1) {
            continue;
        }
        bool const reduced = (axes >> axis & 1U) != 0;
        inside = inside || (seen && !reduced);
        seen = seen || reduced;
        if (reduced && input.d[axis] != chain.domain.d[axis]) {
            return "expected reductions of tensors with the full extents";
        }
        if (reduced != ((chain.rowAxes >> axis & 1U) != 0)) {
            return "expected reductions along the same axes";
        }
    }
    if (inside) {
        return "expected reductions along the innermost axes in memory";
    }
    if (!reduce.keepsAxes && (chain.readersOf(node.output) > 0 || !chain.order.isLinear())) {
        return "expected reductions that keep their axes";
    }
    return {};
}

std::string castRefusal(Chain const& chain, Chain::Node const& node) {
    DataType const from = chain.valueAt(node.inputs.front()).type;
    DataType const to = chain.valueAt(node.output).type;
    if (isFloat(to) || to == DataType::kBOOL) {
        return isFloat(from) || isWhole(from) || from == DataType::kBOOL
                   ? std::string()
                   : fmt::format("expected casts of numbers or bools, got {}", nameOf(from));
    }
    bool const ends = isWhole(to) && (isFloat(from) || from == DataType::kBOOL) &&
                      chain.readersOf(node.output) == 0;
    return ends ? std::string()
                : fmt::format("expected casts of floating-point numbers that end the chain, got "
                              "{} to {}",
                              nameOf(from), nameOf(to));
}

/// Types that a chain reads and writes as quantized numbers.
bool isReadable(DataType type) {
    return type == DataType::kINT8 || type == DataType::kUINT8 || type == DataType::kFP8;
}

template <typename Op>
std::string quantizationRefusal(Chain const& chain, Chain::Node const& node) {
    auto const& op = static_cast<Op const&>(*node.op);
    Chain::Value const& data = chain.valueAt(node.inputs[0]);
    Chain::Value const& scale = chain.valueAt(node.inputs[1]);
    DataType const quantized =
        Op::kKind == graph::Quantize::kKind ? chain.valueAt(node.output).type : data.type;
    bool const sum = Op::kKind == graph::Dequantize::kKind && quantized == DataType::kINT32;
    if ((!isReadable(quantized) && !sum) || !isFloat(scale.type)) {
        return fmt::format("expected quantized int8, uint8 or fp8 with scales of floating point, "
                           "got {} and {}",
                           nameOf(quantized), nameOf(scale.type));
    }
    Dims const blocks =
        op.blockShape.nbDims == 0 ? op.blockShape : chain.order.arranged(op.blockShape);
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
        if (!graph::isBroadcastScale(data.dims, chain.valueAt(node.inputs[i]).dims, blocks)) {
            return "expected a scale of the rank of the input, without blocks";
        }
    }
    return {};
}

std::string kindRefusal(Chain::Node const& node) {
    std::string_view const kind = node.op->kind();
    bool const known = kind == graph::Activation::kKind || kind == graph::Unary::kKind ||
                       kind == graph::ElementWise::kKind || kind == graph::Select::kKind ||
                       kind == graph::Identity::kKind || kind == graph::Reduce::kKind ||
                       kind == graph::Cast::kKind || kind == graph::Quantize::kKind ||
                       kind == graph::Dequantize::kKind;
    if (!known) {
        return fmt::format("expected pointwise operations and reductions, got {}", kind);
    }
    bool const complete =
        std::ranges::none_of(node.inputs, [](int32_t input) { return input < 0; });
    return complete ? std::string() : fmt::format("expected all operands of {}", kind);
}

std::string nodeRefusal(Chain const& chain, Chain::Node const& node) {
    std::string_view const kind = node.op->kind();
    if (kind == graph::Cast::kKind) {
        return castRefusal(chain, node);
    }
    if (kind == graph::Quantize::kKind) {
        return quantizationRefusal<graph::Quantize>(chain, node);
    }
    if (kind == graph::Dequantize::kKind) {
        return quantizationRefusal<graph::Dequantize>(chain, node);
    }
    for (int32_t const input : node.inputs) {
        DataType const type = chain.valueAt(input).type;
        if (!isFloat(type) && type != DataType::kBOOL) {
            return fmt::format("expected floating-point numbers and bools, got {}", nameOf(type));
        }
    }
    return kind == graph::Reduce::kKind ? reductionRefusal(chain, node) : std::string();
}

/// A result covers the domain, or has one element for each row.
std::string resultRefusal(Chain const& chain, int32_t result) {
    Chain::Value const& value = chain.valueAt(result);
    if (sameDims(value.dims, chain.domain)) {
        return {};
    }
    if (std::ranges::find(chain.operands, result, &Chain::Operand::value) != chain.operands.end()) {
        return "expected results that operations make";
    }
    int64_t rows = 1;
    int64_t elements = 1;
    for (int32_t axis = 0; axis < chain.domain.nbDims; ++axis) {
        rows *= (chain.rowAxes >> axis & 1U) != 0 ? 1 : chain.domain.d[axis];
    }
    bool onePerRow = chain.rowAxes != 0;
    for (int32_t axis = 0; axis < value.dims.nbDims; ++axis) {
        elements *= value.dims.d[axis];
        bool const sameRank = value.dims.nbDims == chain.domain.nbDims;
        onePerRow = onePerRow &&
                    (!sameRank || (chain.rowAxes >> axis & 1U) == 0 || value.dims.d[axis] == 1);
    }
    return onePerRow && elements == rows ? std::string()
                                         : fmt::format("expected results of {}, got {}",
                                                       toText(chain.domain), toText(value.dims));
}

/// Nanoseconds for one element on one core with AVX2, besides memory.
double costOf(graph::Op const& op) {
    using nvinfer1::ActivationType;
    if (op.kind() == graph::Activation::kKind) {
        switch (static_cast<graph::Activation const&>(op).type) {
        case ActivationType::kRELU:
        case ActivationType::kLEAKY_RELU:
        case ActivationType::kCLIP:
        case ActivationType::kHARD_SIGMOID:
        case ActivationType::kTHRESHOLDED_RELU: return 0.1;
        case ActivationType::kSOFTSIGN: return 0.3;
        default: return 0.8;
        }
    }
    if (op.kind() == graph::Unary::kKind) {
        using nvinfer1::UnaryOperation;
        switch (static_cast<graph::Unary const&>(op).operation) {
        case UnaryOperation::kEXP:
        case UnaryOperation::kLOG:
        case UnaryOperation::kERF: return 0.8;
        case UnaryOperation::kSIN:
        case UnaryOperation::kCOS: return 2.0;
        case UnaryOperation::kTAN:
        case UnaryOperation::kSINH:
        case UnaryOperation::kCOSH:
        case UnaryOperation::kASIN:
        case UnaryOperation::kACOS:
        case UnaryOperation::kATAN:
        case UnaryOperation::kASINH:
        case UnaryOperation::kACOSH:
        case UnaryOperation::kATANH: return 8.0; // element by element
        default: return 0.2;
        }
    }
    return op.kind() == graph::Quantize::kKind ? 0.5 : 0.15;
}

} // namespace

int32_t Chain::readersOf(int32_t value) const {
    std::ptrdiff_t count = 0;
    for (Node const& node : nodes) {
        count += std::count(node.inputs.begin(), node.inputs.end(), value);
    }
    return static_cast<int32_t>(count);
}

Chain chainOf(graph::Op const& op, target::Workload const& workload, MemoryOrder order) {
    Chain chain;
    chain.order = order;
    addInputs(chain, workload);
    auto const count = static_cast<int32_t>(workload.inputs.size());
    std::vector<int32_t> inputs;
    std::vector<target::RegionOperand> operands;
    for (int32_t i = 0; i < count; ++i) {
        inputs.push_back(i);
        operands.push_back({i, static_cast<std::size_t>(i)});
    }
    addOperands(chain, operands);
    chain.nodes.push_back({&op, std::move(inputs), count});
    chain.values.push_back({workload.outputTypes[0].type, order.arranged(workload.outputs[0])});
    chain.results.push_back(count);
    findDomain(chain);
    findRows(chain);
    return chain;
}

Chain chainOf(graph::Region const& region, target::Workload const& workload, MemoryOrder order) {
    Chain chain;
    chain.order = order;
    addInputs(chain, workload);
    std::vector<graph::Region::KnownValue> inputs;
    for (std::size_t i = 0; i < workload.inputs.size(); ++i) {
        inputs.push_back({workload.inputTypes[i].type, workload.inputs[i]});
    }
    auto const known = region.valuesAt(inputs);
    for (std::size_t i = inputs.size(); i < known.size(); ++i) {
        chain.values.push_back({known[i].type, order.arranged(known[i].dims)});
    }
    for (std::size_t i = 0; i < region.nodes().size(); ++i) {
        graph::Region::Node const& node = region.nodes()[i];
        if (!target::isOperandSlice(region, node)) {
            chain.nodes.push_back({node.op.get(), node.inputs, region.firstOutput(i)});
        }
    }
    addOperands(chain, target::regionOperands(region));
    chain.results = region.results();
    findDomain(chain);
    findRows(chain);
    return chain;
}

std::string chainRefusal(Chain const& chain) {
    std::size_t const operands = chain.operands.size();
    if (operands < 1 || operands > Chain::kMostOperands || chain.nodes.size() > Chain::kMostNodes ||
        chain.values.size() > Chain::kMostValues) {
        return fmt::format("expected 1 to {} operands, at most {} operations and at most {} "
                           "values, got {}, {} and {}",
                           Chain::kMostOperands, Chain::kMostNodes, Chain::kMostValues, operands,
                           chain.nodes.size(), chain.values.size());
    }
    if (!chain.order.isLinear() && std::ranges::any_of(chain.operands, &Chain::Operand::isSlice)) {
        return "expected linear operands, since some are slices";
    }
    for (Chain::Node const& node : chain.nodes) {
        if (std::string reason = kindRefusal(node); !reason.empty()) {
            return reason;
        }
    }
    if (chain.domain.nbDims < 0) {
        return "expected operands of one rank";
    }
    for (Chain::Node const& node : chain.nodes) {
        if (std::string reason = nodeRefusal(chain, node); !reason.empty()) {
            return reason;
        }
    }
    if (chain.results.empty()) {
        return "expected a result or more";
    }
    for (int32_t const result : chain.results) {
        if (std::string reason = resultRefusal(chain, result); !reason.empty()) {
            return reason;
        }
    }
    return {};
}

double chainSeconds(Chain const& chain) {
    double elements = 1.0;
    for (int32_t axis = 0; axis < chain.domain.nbDims; ++axis) {
        elements *= static_cast<double>(chain.domain.d[axis]);
    }
    double nanoseconds = 0.0;
    for (Chain::Node const& node : chain.nodes) {
        nanoseconds += costOf(*node.op);
    }
    double bytes = 0.0;
    auto const add = [&](int32_t number) {
        Chain::Value const& value = chain.valueAt(number);
        double count = 1.0;
        for (int32_t axis = 0; axis < value.dims.nbDims; ++axis) {
            count *= static_cast<double>(value.dims.d[axis]);
        }
        bytes += count * bitsOf(value.type) / 8.0;
    };
    for (Chain::Operand const& operand : chain.operands) {
        add(operand.value);
    }
    std::ranges::for_each(chain.results, add);
    constexpr double kBytesPerSecond = 2e10; // of one core, in its caches
    return elements * nanoseconds * 1e-9 + bytes / kBytesPerSecond;
}

} // namespace kiln::targets::cpu
