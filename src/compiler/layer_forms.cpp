// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/layer_forms.h"

#include <algorithm>

#include "compiler/constants.h"
#include "graph/ops/control.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/quantize.h"
#include "graph/ops/region.h"

namespace kiln::compiler {
namespace {

Combination declared(Program const& program, Step const& step) {
    Combination types;
    for (std::size_t i = 0; i < step.inputs().size() + step.outputs().size(); ++i) {
        types.push_back({program.value(operandOf(step, i)).type.type, TensorFormat::kLINEAR});
    }
    return types;
}

/// The form in which the layer computes in `type` instead of float32.
Combination computedIn(DataType type, Step const& step, Combination types) {
    auto const inputs = static_cast<int32_t>(step.inputs().size());
    for (std::size_t i = 0; i < types.size(); ++i) {
        bool const free =
            step.op->typeRule(static_cast<int32_t>(i), inputs) == graph::TypeRule::kCompute;
        if (free && types[i].type == DataType::kFLOAT) {
            types[i].type = type;
        }
    }
    return types;
}

/// Whether the operations of a region take these types, casts inside included.
bool areTypesConsistent(Program const& program, Step const& step, Combination const& form) {
    auto const* region = step.as<graph::Region>();
    if (region == nullptr) {
        return true;
    }
    std::vector<graph::TensorFacts> inputs;
    for (std::size_t i = 0; i < step.inputs().size(); ++i) {
        inputs.push_back({form[i].type, program.value(step.inputs()[i]).shape});
    }
    try {
        auto const values = region->facts(program.pool, step.name, inputs);
        for (std::size_t i = 0; i < region->results().size(); ++i) {
            auto const result = static_cast<std::size_t>(region->results()[i]);
            if (values[result].type != form[step.inputs().size() + i].type) {
                return false;
            }
        }
    } catch (Error const&) {
        return false; // an operation has operands of two types
    }
    return true;
}

bool reads(graph::Region::Node const& node, int32_t value) {
    return std::find(node.inputs.begin(), node.inputs.end(), value) != node.inputs.end();
}

/// Whether an anchor reads an input as quantized weights, or as their scale.
bool readsDequantized(graph::Region const& region, graph::Region::Node const& anchor,
                      int32_t input) {
    int32_t const producer = anchor.inputs.size() < 2 ? -1 : region.producerOf(anchor.inputs[1]);
    if (producer < 0) {
        return false;
    }
    graph::Region::Node const& node = region.nodes()[static_cast<std::size_t>(producer)];
    return node.op->kind() == graph::Dequantize::kKind && reads(node, input);
}

/// Whether an operand of an anchor holds its weights, which have an order of their own.
bool isWeight(Program const& program, Step const& step, std::size_t input) {
    if (program.value(step.inputs()[input]).role != plan::TensorRole::kConstant) {
        return false;
    }
    auto const* region = step.as<graph::Region>();
    if (region == nullptr) {
        return step.op->opClass() == graph::OpClass::kAnchor;
    }
    return std::any_of(region->nodes().begin(), region->nodes().end(),
                       [&](graph::Region::Node const& node) {
                           return node.op->opClass() == graph::OpClass::kAnchor &&
                                  (reads(node, static_cast<int32_t>(input)) ||
                                   readsDequantized(*region, node, static_cast<int32_t>(input)));
                       });
}

/// Whether an operand is a scale or a zero point, which has one order however the data lies.
bool isFactor(Step const& step, std::size_t operand) {
    bool const quantizes =
        step.as<graph::Quantize>() != nullptr || step.as<graph::Dequantize>() != nullptr;
    return quantizes && operand > 0 && operand < step.inputs().size();
}

/// All feature maps with channels last; unchanged if there are none.
Combination withChannelsLast(Program const& program, Step const& step, Combination form) {
    for (std::size_t i = 0; i < form.size(); ++i) {
        int32_t const rank = program.value(operandOf(step, i)).shape.rank;
        if (isFactor(step, i) || (i < step.inputs().size() && isWeight(program, step, i))) {
            continue;
        }
        form[i].format = rank == 4   ? TensorFormat::kHWC
                         : rank == 5 ? TensorFormat::kDHWC
                                     : form[i].format;
    }
    return form;
}

/// Whether the operands may have the layouts of a form: users and listeners see none, and constants
/// are packed for their kernels.
bool mayHaveLayouts(Program const& program, Step const& step, Combination const& form) {
    for (std::size_t i = 0; i < form.size(); ++i) {
        Value const& value = program.value(operandOf(step, i));
        bool const output = i >= step.inputs().size();
        bool const open = value.role == plan::TensorRole::kConstant ||
                          value.role == plan::TensorRole::kValues || value.debug ||
                          (output && !value.isPrivate());
        if (form[i].tag != 0 && open) {
            return false;
        }
    }
    return true;
}

/// Whether a debug tensor would be made in another type or format than the network declares.
bool hidesFromListeners(Program const& program, Step const& step, Combination const& plain,
                        Combination const& form) {
    for (std::size_t i = step.inputs().size(); i < form.size(); ++i) {
        Value const& value = program.value(operandOf(step, i));
        if (value.debug && value.role == plan::TensorRole::kInternal && form[i] != plain[i]) {
            return true;
        }
    }
    return false;
}

/// Adds the forms with layouts of the target's own in which it may run these forms.
void appendOwnForms(Program const& program, Extents const& extents, Step const& step,
                    std::vector<Combination>& forms) {
    if (program.backend.layouts().empty()) {
        return;
    }
    std::size_t const open = forms.size();
    for (std::size_t i = 0; i < open; ++i) {
        std::vector<target::OperandSpec> const specs = specsIn(program, extents, step, forms[i]);
        std::span<target::OperandSpec const> const all(specs);
        for (Combination& form :
             program.backend.ownForms({*step.op, step.name, all.first(step.inputs().size()),
                                       all.subspan(step.inputs().size())})) {
            if (mayHaveLayouts(program, step, form)) {
                forms.push_back(std::move(form));
            }
        }
    }
}

} // namespace

std::vector<Combination> layerForms(Program const& program, Extents const& extents,
                                    Step const& step) {
    Combination const plain = declared(program, step);
    std::vector<Combination> forms{plain};
    if (graph::isControl(*step.op)) {
        return forms; // values enter and leave bodies as the network declares them
    }
    bool const free = !program.stronglyTyped && !step.pinned;
    for (auto const& [type, allowed] :
         {std::pair(DataType::kHALF, program.options.allowHalf),
          std::pair(DataType::kBF16, program.options.allowBfloat16)}) {
        Combination const narrow = computedIn(type, step, plain);
        if (allowed && free && narrow != plain && areTypesConsistent(program, step, narrow)) {
            forms.push_back(narrow);
        }
    }
    std::size_t const linear = forms.size();
    for (std::size_t i = 0; i < linear; ++i) {
        Combination const last = withChannelsLast(program, step, forms[i]);
        if (last != forms[i]) {
            forms.push_back(last);
        }
    }
    appendOwnForms(program, extents, step, forms);
    std::erase_if(forms, [&](Combination const& form) {
        return hidesFromListeners(program, step, plain, form);
    });
    return forms;
}

std::vector<target::OperandSpec> specsIn(Program const& program, Extents const& extents,
                                         Step const& step, Combination const& form) {
    std::vector<target::OperandSpec> specs;
    for (std::size_t i = 0; i < form.size(); ++i) {
        ValueId const value = operandOf(step, i);
        specs.push_back(i < step.inputs().size() ? specOf(program, extents, value)
                                                 : outputSpecOf(program, extents, step, value));
        if (specs.back().constant && form[i].format == TensorFormat::kLINEAR) {
            specs.back().recipe = constantAs(program, value, form[i].type);
            specs.back().data =
                specs.back().recipe == nullptr ? ByteView() : specs.back().recipe->known().view;
        } else if (specs.back().type != form[i]) {
            specs.back().constant = false; // its data still has the old order
        }
        specs.back().type = form[i];
    }
    return specs;
}

} // namespace kiln::compiler
