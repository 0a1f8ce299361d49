// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/cast_step.h"

#include <cstring>

#include "graph/ops/cast.h"
#include "graph/ops/identity.h"
#include "graph/ops/reformat.h"

namespace kiln::compiler {

std::string formatName(target::Backend const& backend, target::OperandType const& type) {
    target::Layout const* const layout = target::findLayout(backend.layouts(), type.tag);
    return layout == nullptr ? nameOf(type.format) : layout->name;
}

Step makeCast(Program const& program, ValueId from, ValueId to) {
    Step step({from}, {to});
    DataType const toType = program.value(to).type.type;
    target::OperandType const& source = program.value(from).type;
    target::OperandType const& result = program.value(to).type;
    if (source.format != result.format || source.tag != result.tag) {
        step.name = fmt::format("reformat {} to {}", program.value(from).name,
                                formatName(program.backend, result));
        step.op = std::make_unique<graph::Reformat>();
    } else if (program.value(from).type.type == toType) {
        step.name = fmt::format("copy {}", program.value(from).name);
        step.op = std::make_unique<graph::Identity>();
    } else {
        step.name = fmt::format("cast {} to {}", program.value(from).name, nameOf(toType));
        auto cast = std::make_unique<graph::Cast>();
        cast->toType = toType;
        step.op = std::move(cast);
    }
    step.kernel.inputs = {program.value(from).type};
    step.kernel.outputs = {program.value(to).type};
    return step;
}

ValueId copyOperand(Rewriter& rewriter, StepId step, std::size_t operand, std::string_view suffix) {
    Program& program = rewriter.program();
    ValueId const from = program.step(step).inputs()[operand];
    Value copy;
    copy.name = fmt::format("{} ({})", program.value(from).name, suffix);
    copy.type = program.value(from).type;
    copy.shape = program.value(from).shape;
    copy.origin = program.value(from).origin;
    ValueId const own = program.addValue(std::move(copy));
    rewriter.insertBefore(step, makeCast(program, from, own));
    rewriter.setInput(step, operand, own);
    return own;
}

namespace {

template <typename From, typename To>
Bytes converted(ByteView data) {
    std::size_t const count = data.size() / sizeof(From);
    Bytes result(count * sizeof(To));
    for (std::size_t i = 0; i < count; ++i) {
        From element{};
        std::memcpy(&element, data.data() + i * sizeof(From), sizeof(From));
        auto const to = static_cast<To>(static_cast<float>(element));
        std::memcpy(result.data() + i * sizeof(To), &to, sizeof(To));
    }
    return result;
}

} // namespace

Bytes convertElements(ByteView data, DataType from, DataType to) {
    return dispatchFloat(from, "builder", [&](auto source) {
        return dispatchFloat(to, "builder", [&](auto target) {
            return converted<decltype(source), decltype(target)>(data);
        });
    });
}

} // namespace kiln::compiler
