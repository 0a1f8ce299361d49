// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/bindings.h"

#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "plugin/spare_tensors.h"
#include "target/backend_registry.h"

namespace kiln::runtime {
namespace {

using test::errorOf;
using testing::HasSubstr;

plan::TensorRecord tensorOf(plan::TensorRole role, uint64_t offset = 0,
                            plan::TensorId sharesWith = -1) {
    plan::TensorRecord record;
    record.name = "t";
    record.role = role;
    record.offset = offset;
    record.sharesWith = sharesWith;
    return record;
}

/// Input 0 -> step 0 -> 1 in the arena, shared by 2 -> step 1 with workspace -> output 3.
plan::Document chain() {
    plan::Document document;
    document.arenaBytes = 256;
    document.tensors = {
        tensorOf(plan::TensorRole::kInput), tensorOf(plan::TensorRole::kInternal, 64),
        tensorOf(plan::TensorRole::kInternal, 0, 1), tensorOf(plan::TensorRole::kOutput)};
    document.steps.resize(2);
    document.steps[0].inputs = {0};
    document.steps[0].outputs = {1};
    document.steps[1].inputs = {2, 0};
    document.steps[1].outputs = {3};
    document.steps[1].workspaceBytes = 8;
    document.steps[1].workspaceOffset = 128;
    return document;
}

void* none(plan::StepRecord const&, std::size_t) {
    return nullptr;
}

TEST(Bindings, KernelsOfOtherProfilesHaveOperandsOfTheirOwn) {
    plan::Document document = chain();
    plan::TensorId const packed = document.tensors.add(tensorOf(plan::TensorRole::kConstant));
    plan::TensorId const other = document.tensors.add(tensorOf(plan::TensorRole::kConstant));
    document.steps[1].inputs = {2, packed};
    document.steps[1].otherKernels = {{{}, {2, other}}};
    document.steps[1].profileKernels = {0, 1};
    Bindings bindings(document, none, nullptr);
    int memory[3]{};
    bindings.setAlone(packed, &memory[0]);
    bindings.setAlone(other, &memory[1]);
    bindings.set(3, &memory[2]);
    EXPECT_EQ(bindings.callOf(1, 0).inputs[1], &memory[0]);
    EXPECT_EQ(bindings.callOf(1, 1).inputs[1], &memory[1]);
    EXPECT_EQ(bindings.callOf(1, 0).outputs[0], &memory[2]);
    EXPECT_EQ(bindings.callOf(1, 1).outputs[0], &memory[2]);
}

TEST(Bindings, RewriteThePointersOfAllUsers) {
    plan::Document const document = chain();
    Bindings bindings(document, none, nullptr);
    target::KernelCall const first = bindings.callOf(0);
    target::KernelCall const second = bindings.callOf(1);
    int memory = 0;
    bindings.set(0, &memory);
    EXPECT_EQ(bindings.address(0), &memory);
    EXPECT_EQ(first.inputs[0], &memory);
    EXPECT_EQ(second.inputs[1], &memory);
    EXPECT_EQ(second.outputs[0], nullptr);
    bindings.set(0, nullptr);
    EXPECT_EQ(first.inputs[0], nullptr);
}

TEST(Bindings, PlaceTheArenaWithItsSharers) {
    plan::Document const document = chain();
    Bindings bindings(document, none, nullptr);
    EXPECT_EQ(bindings.address(1), nullptr);
    EXPECT_EQ(bindings.callOf(1).workspace, nullptr);
    std::byte arena[256];
    bindings.setArena(arena);
    EXPECT_EQ(bindings.arena(), arena);
    EXPECT_EQ(bindings.callOf(0).outputs[0], arena + 64);
    EXPECT_EQ(bindings.callOf(1).inputs[0], arena + 64);
    EXPECT_EQ(bindings.callOf(0).workspace, nullptr);
    EXPECT_EQ(bindings.callOf(1).workspace, arena + 128);
}

TEST(Bindings, PlaceViewsBehindTheBeginningOfTheirMemory) {
    plan::Document document = chain();
    document.exprs = {{graph::ExprOp::kConstant, 0, 0, 16}};
    document.tensors[2].begin = 0;
    Bindings bindings(document, none, nullptr);
    bindings.setBeginnings(std::vector<int64_t>{16});
    EXPECT_EQ(bindings.address(2), nullptr);
    std::byte arena[256];
    bindings.setArena(arena);
    EXPECT_EQ(bindings.callOf(0).outputs[0], arena + 64);
    EXPECT_EQ(bindings.callOf(1).inputs[0], arena + 128); // 16 floats
    bindings.setBeginnings(std::vector<int64_t>{32});
    EXPECT_EQ(bindings.callOf(1).inputs[0], arena + 192);
    EXPECT_EQ(bindings.address(1), arena + 64);
}

TEST(Bindings, LeaveFixedInputsAlone) {
    plan::Document const document = chain();
    int copy = 0;
    auto const secondOfLast = [&](plan::StepRecord const& step, std::size_t input) -> void* {
        return step.inputs.size() == 2 && input == 1 ? &copy : nullptr;
    };
    Bindings bindings(document, secondOfLast, nullptr);
    int memory = 0;
    bindings.set(0, &memory);
    EXPECT_EQ(bindings.callOf(0).inputs[0], &memory);
    EXPECT_EQ(bindings.callOf(1).inputs[1], &copy);
}

TEST(Bindings, EndWithSpareAddresses) {
    plan::Document const document = chain();
    int spare = 0;
    Bindings const bindings(document, none, &spare);
    for (std::size_t i = 1; i <= plugin::kSpareTensors; ++i) {
        EXPECT_EQ(bindings.callOf(1).outputs[i], &spare);
    }
}

TEST(Bindings, RefuseAnArenaThatIsTooSmall) {
    target::Device const& cpu = *target::BackendRegistry::instance().open("cpu").device();
    plan::Document const document = chain();
    std::byte arena[256];
    checkArena(cpu, document.arenaBytes, arena, 256);
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument,
                        [&] { checkArena(cpu, document.arenaBytes, arena, 255); }),
                HasSubstr("expected 256 bytes or more, got 255."));
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument,
                        [&] { checkArena(cpu, document.arenaBytes, nullptr, 256); }),
                HasSubstr("got 256 at a null address"));
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument,
                        [&] { checkAddress(cpu, document.tensors[0], false, nullptr); }),
                HasSubstr("[run] tensor 't', address"));
}

} // namespace
} // namespace kiln::runtime
