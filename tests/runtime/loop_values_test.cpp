// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/loop_values.h"

#include <gtest/gtest.h>

namespace kiln::runtime {
namespace {

plan::TensorRecord tensor(plan::TensorRole role, uint64_t offset = 0) {
    plan::TensorRecord record;
    record.role = role;
    record.offset = offset;
    return record;
}

/// Two carried values, tensors 1 and 2, whose next values are 3 and 4. One step reads and writes
/// them.
plan::Document loop() {
    plan::Document document;
    for (auto const role : {plan::TensorRole::kInput, plan::TensorRole::kOutput}) {
        document.tensors.push_back(tensor(role));
    }
    for (uint64_t const offset : {0, 64, 128}) {
        document.tensors.push_back(tensor(plan::TensorRole::kInternal, offset));
    }
    plan::StepRecord control;
    control.inputs = {0, 0};
    control.outputs = {1, 2};
    control.control = {plan::ControlKind::kRepeat, 0, {{1, {1, 2}, {3, 4}}}, {}, 2};
    plan::StepRecord body;
    body.inputs = {1, 2};
    body.outputs = {3, 4};
    document.steps = {control, body};
    return document;
}

/// Memory of the arena and of the network output.
struct Memory {
    alignas(64) std::byte arena[192];
    std::byte y[64];
};

Bindings bound(plan::Document const& document, Memory& memory) {
    Bindings bindings(document, [](auto&&...) { return nullptr; }, nullptr);
    bindings.setArena(memory.arena);
    bindings.set(1, memory.y);
    return bindings;
}

TEST(LoopValues, ExchangeTheirMemory) {
    plan::Document const document = loop();
    Memory memory;
    Bindings bindings = bound(document, memory);
    target::KernelCall const call = bindings.callOf(1);
    {
        LoopValues values(document, document.steps[0], bindings);
        EXPECT_TRUE(values.isExchanged(0) && values.isExchanged(1));
        values.exchange();
        EXPECT_EQ(bindings.address(1), memory.arena + 64);
        EXPECT_EQ(bindings.address(3), memory.y);
        EXPECT_EQ(call.inputs[1], memory.arena + 128); // steps see it
        EXPECT_EQ(call.outputs[1], memory.arena);
        values.exchange();
        EXPECT_EQ(call.outputs[1], memory.arena + 128);
        values.exchange();
    }
    EXPECT_EQ(bindings.address(1), memory.y);
    EXPECT_EQ(call.inputs[1], memory.arena);
}

TEST(LoopValues, WhatSharesMemoryIsCopied) {
    Memory memory;
    plan::Document shared = loop();
    shared.tensors[3].sharesWith = 4;
    plan::Document twice = loop();
    twice.steps[0].control->bodies[0].outputs = {3, 3};
    plan::Document unchanged = loop();
    unchanged.steps[0].control->bodies[0].outputs = {1, 4};
    for (plan::Document const* document : {&shared, &twice, &unchanged}) {
        Bindings bindings = bound(*document, memory);
        LoopValues values(*document, document->steps[0], bindings);
        EXPECT_FALSE(values.isExchanged(0));
        values.exchange();
        EXPECT_EQ(bindings.address(1), memory.y);
    }
}

} // namespace
} // namespace kiln::runtime
