// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/anchor/anchored_region.h"

#include <algorithm>

namespace kiln::targets::cuda {

using graph::Region;

std::string refuseUnlessAnchored(Region const& region) {
    Region::Node const& anchor = region.nodes().front();
    if (anchor.op->opClass() != graph::OpClass::kAnchor || anchor.op->outputCount() != 1) {
        return fmt::format("expected a region that begins with a product or a window, got {}",
                           anchor.op->kind());
    }
    bool const ready = std::all_of(anchor.inputs.begin(), anchor.inputs.end(), [&](int32_t input) {
        return input >= 0 && input < region.inputCount();
    });
    if (!ready || region.nodes().size() < 2 || region.results().size() != 1 ||
        region.results()[0] != region.valueCount() - 1) {
        return "expected one result, of the last operation behind the first";
    }
    for (std::size_t i = 1; i < region.nodes().size(); ++i) {
        graph::Op const& op = *region.nodes()[i].op;
        if (op.opClass() != graph::OpClass::kPointwise) {
            return fmt::format("expected pointwise operations behind the first, got {}", op.kind());
        }
    }
    return {};
}

std::string refuseUnlessUniform(Region const& region, target::NodeSpec const& node) {
    std::vector<Region::KnownValue> inputs;
    for (target::OperandSpec const& input : node.inputs) {
        inputs.push_back({input.type.type, input.opt});
    }
    target::OperandSpec const& output = node.outputs[0];
    std::vector<Region::KnownValue> const values = region.valuesAt(inputs);
    for (auto i = static_cast<std::size_t>(region.inputCount()); i < values.size(); ++i) {
        if (values[i].type != output.type.type || !sameDims(values[i].dims, output.opt)) {
            return fmt::format("expected operations with results of {} {}, got {} {}",
                               nameOf(output.type.type), toText(output.opt), nameOf(values[i].type),
                               toText(values[i].dims));
        }
    }
    return {};
}

std::unique_ptr<Region> behindAnchor(Region const& region) {
    auto chain = std::make_unique<Region>(region.inputCount() + 1);
    for (std::size_t i = 1; i < region.nodes().size(); ++i) {
        chain->add(region.nodes()[i].op->clone(), region.nodes()[i].inputs);
    }
    chain->setResults(region.results());
    return chain;
}

std::vector<ChainStep> stepsBehindAnchor(Region const& region) {
    std::vector<ChainStep> steps;
    for (std::size_t i = 1; i < region.nodes().size(); ++i) {
        Region::Node const& node = region.nodes()[i];
        int32_t const before = region.firstOutput(i - 1);
        auto const uses = std::count(node.inputs.begin(), node.inputs.end(), before);
        auto const own = static_cast<std::size_t>(uses);
        if (node.inputs.empty() || node.inputs.size() > 2 || uses == 0 ||
            region.readersOf(before) != uses) {
            return {};
        }
        ChainStep step{node.op.get(), -1, false, uses == 2};
        if (node.inputs.size() > own) {
            step.operandFirst = node.inputs[0] != before;
            step.operand = node.inputs[step.operandFirst ? 0 : 1];
            if (step.operand < 0 || step.operand >= region.inputCount()) {
                return {};
            }
        }
        steps.push_back(step);
    }
    return steps;
}

} // namespace kiln::targets::cuda
