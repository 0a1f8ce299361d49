// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/hash.h"
#include "plan/plan_fixture.h"

namespace kiln::plan::testing {
namespace {

std::string typesText(std::vector<target::OperandType> const& types) {
    std::string text;
    for (target::OperandType const& type : types) {
        text += fmt::format(" {}:{}", nameOf(type.type), nameOf(type.format));
    }
    return text;
}

std::string content(ByteView bytes) {
    return fmt::format("{} bytes {:x}", bytes.size(), hashBytes(bytes));
}

std::string tensorText(TensorRecord const& tensor) {
    std::string shape;
    for (int32_t axis = 0; axis < tensor.shape.rank; ++axis) {
        shape += fmt::format(" e{}", tensor.shape[axis]);
    }
    return fmt::format("tensor {} role {}{} shape{} offset {} input {} {} origin {}\n", tensor.name,
                       static_cast<int>(tensor.role), typesText({tensor.type}), shape,
                       tensor.offset, tensor.inputIndex, content(tensor.data), tensor.origin) +
           fmt::format("  values {} shares {} debug {} folded {} weight {}\n", tensor.values,
                       tensor.sharesWith, tensor.debug, tensor.folded, tensor.weight);
}

std::string weightText(WeightRecord const& weight) {
    std::string text =
        fmt::format("weights {} ({}){} {} {} op {} {} dims {}\n", weight.name, weight.label,
                    typesText({weight.type}), weight.sourceBytes, content(weight.data), weight.op,
                    content(weight.parameters), toText(weight.dims));
    for (WeightOperand const& operand : weight.operands) {
        text += fmt::format("  operand {} {}\n", operand.weight, toText(operand.dims));
    }
    return text;
}

std::string pluginText(plugin::PluginRecord const& record) {
    std::string text = fmt::format("plugin {} {} {} {} python {} layer {} tactic {} {}\n",
                                   static_cast<int>(record.style), record.id.name,
                                   record.id.version, record.id.space, record.needsPython,
                                   record.layer, record.tactic, content(record.blob));
    for (plugin::FieldValue const& field : record.fields) {
        text += fmt::format("  field {} type {} length {} {}\n", field.name, field.type,
                            field.length, content(field.data));
    }
    for (plugin::AotVariant const& variant : record.code) {
        text += fmt::format("  variant {} {}\n", variant.target, variant.architecture);
        for (plugin::AotKernel const& kernel : variant.kernels) {
            text += fmt::format("    kernel {} grid {} block {} shared {} null {}\n", kernel.entry,
                                kernel.grid, kernel.block, kernel.sharedBytes, kernel.nullPointers);
            for (plugin::CodeScalar const& scalar : kernel.scalars) {
                text += fmt::format("      scalar {} {} {}\n", static_cast<int>(scalar.type),
                                    scalar.value, scalar.real);
            }
            for (plugin::CodeImage const& image : kernel.images) {
                text += fmt::format("      image {} {} {} {}\n", static_cast<int>(image.kind),
                                    image.architecture, image.ptxVersion, content(image.bytes));
            }
        }
    }
    return text;
}

std::string stepText(StepRecord const& step) {
    std::string text =
        fmt::format("step {} in {} out {} workspace {} at {} plugin {}\n", step.name, step.inputs,
                    step.outputs, step.workspaceBytes, step.workspaceOffset, step.plugin);
    text += fmt::format("  workspaces by profile {}\n", step.profileWorkspaces);
    std::vector<int32_t> types;
    for (DataType const type : step.declared) {
        types.push_back(static_cast<int32_t>(type));
    }
    text += fmt::format("  by profile {} declared {}\n", step.profilePlugins, types);
    for (std::size_t i = 0; i < step.kernelCount(); ++i) {
        target::KernelRecord const& kernel = step.kernelAt(i);
        text += fmt::format("  kernel {} op {} {} code {} in{} out{}\n", kernel.kernel, kernel.op,
                            content(kernel.parameters), content(kernel.code),
                            typesText(kernel.inputs), typesText(kernel.outputs));
        text += fmt::format("    reads {}\n", step.inputsAt(i));
    }
    text += fmt::format("  kernels by profile {}\n", step.profileKernels);
    if (step.control.has_value()) {
        ControlRecord const& control = *step.control;
        text += fmt::format("  control {} {} by {} carried {} slices {} {} reversed {} {}\n",
                            static_cast<int>(control.kind), control.value, control.decider,
                            control.carried, control.slices, control.backward, control.reversed,
                            control.message);
        for (FoundExtent const& extent : control.extents) {
            text += fmt::format("  extent {} {} {}\n", extent.size, extent.output, extent.axis);
        }
        for (Body const& body : control.bodies) {
            text += fmt::format("  body {} {} {} tested {} {}\n", body.steps, body.inputs,
                                body.outputs, body.condition, body.testedAfter);
        }
    }
    for (CandidateRecord const& one : step.candidates) {
        text += fmt::format("  candidate {} {} {} {}\n", one.kernel, one.seconds, one.timed,
                            one.refusal);
    }
    return text + fmt::format("  reasons {} rewrites {} metadata {}\n", step.reasons, step.rewrites,
                              step.metadata);
}

} // namespace

std::string describe(Document const& document) {
    std::string text = fmt::format("{} target {} architecture {} typed {} arena {}\n",
                                   document.name, document.target, document.architecture,
                                   document.stronglyTyped, document.arenaBytes);
    for (graph::ExprNode const& node : document.exprs) {
        text += fmt::format("expr {} {} {} {}\n", static_cast<int>(node.op), node.a, node.b,
                            node.value);
    }
    for (TensorRecord const& tensor : document.tensors) {
        text += tensorText(tensor);
    }
    for (ProfileRecord const& profile : document.profiles) {
        text += "profile\n";
        for (ProfileRange const& range : profile.ranges) {
            text += fmt::format("  range {} {} {} {}\n", range.tensor, toText(range.min),
                                toText(range.opt), toText(range.max));
        }
        for (ValueRange const& range : profile.values) {
            text += fmt::format("  values {} {} {} {}\n", range.tensor, range.min, range.opt,
                                range.max);
        }
    }
    for (plugin::PluginRecord const& record : document.plugins) {
        text += pluginText(record);
    }
    for (StepRecord const& step : document.steps) {
        text += stepText(step);
    }
    for (SourceRecord const& source : document.sources) {
        text += fmt::format("source {} {}\n", source.name, content(source.text));
        for (plugin::PluginId const& id : source.plugins) {
            text += fmt::format("  plugin {}\n", id.text());
        }
    }
    text += fmt::format("refittable {}\n", document.refittable);
    for (WeightRecord const& weight : document.weights) {
        text += weightText(weight);
    }
    for (FixedWeights const& own : document.fixedWeights) {
        text += fmt::format("fixed {} ({}) {} {} {}\n", own.name, own.label, nameOf(own.type),
                            own.bytes, own.hash);
    }
    for (LibraryRecord const& library : document.libraries) {
        text += fmt::format("library {} {}\n", library.name, content(library.data));
    }
    return text;
}

} // namespace kiln::plan::testing
