// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/product_tail.h"

#include <algorithm>
#include <array>

#include "base/dims.h"
#include "targets/cpu/pointwise/chain.h"

namespace kiln::targets::cpu {

using graph::Region;
using target::OperandType;

std::string ProductTail::prepare(Tail const& tail, target::Workload const& workload) {
    program_.reset();
    inputs_ = tail.inputs;
    if (tail.region == nullptr) {
        return {};
    }
    std::vector<OperandType> types{workload.outputTypes[0]};
    std::vector<Dims> dims{workload.outputs[0]};
    for (int32_t const input : tail.inputs) {
        types.push_back(workload.inputTypes[static_cast<std::size_t>(input)]);
        dims.push_back(workload.inputs[static_cast<std::size_t>(input)]);
    }
    std::vector<Region::KnownValue> values;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        values.push_back({types[i].type, dims[i]});
    }
    for (auto const& known : tail.region->valuesAt(values)) {
        if (volume(known.dims, "value of a region") > volume(dims[0], "output of a region")) {
            return "expected operations that keep the shape of the product";
        }
    }
    target::Workload const behind{types, workload.outputTypes, dims, workload.outputs};
    auto const order = commonOrder(behind);
    if (!order) {
        return "expected operands in the memory order of the product";
    }
    Chain const chain = chainOf(*tail.region, behind, *order);
    if (dims.size() > Chain::kMostOperands ||
        std::ranges::any_of(chain.operands, &Chain::Operand::isSlice)) {
        return fmt::format("expected operations that read at most {} whole tensors",
                           Chain::kMostOperands);
    }
    if (std::string reason = chainRefusal(chain); !reason.empty()) {
        return reason;
    }
    if (!sameDims(chain.domain, order->arranged(workload.outputs[0])) || chain.rowAxes != 0) {
        return "expected pointwise operations of the product's shape";
    }
    if (volume(workload.outputs[0], "output") > 0) {
        program_ = programOf(chain);
    }
    return {};
}

void ProductTail::run(target::KernelCall const& call) const {
    if (!program_.has_value()) {
        return;
    }
    std::array<void const*, Chain::kMostOperands> inputs{call.outputs[0]};
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        inputs[i + 1] = call.inputs[inputs_[i]];
    }
    runProgram(*program_, {inputs.data(), call.outputs, nullptr});
}

} // namespace kiln::targets::cpu
