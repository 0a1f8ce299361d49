// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Plans that the reader accepts, because only the shapes of a run reveal what is wrong.
#include <numeric>

#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/shuffle.h"
#include "plan/writer.h"
#include "runtime/context.h"

namespace kiln::runtime {
namespace {

using graph::ExprOp;
using test::errorOf;

plan::TensorRecord tensor(std::string name, plan::TensorRole role, std::vector<int32_t> shape) {
    plan::TensorRecord record;
    record.name = std::move(name);
    record.role = role;
    record.shape.rank = static_cast<int32_t>(shape.size());
    std::copy(shape.begin(), shape.end(), record.shape.extent.begin());
    return record;
}

template <typename Op>
plan::StepRecord step(std::string kernel, Op const& op, std::vector<plan::TensorId> inputs,
                      plan::TensorId output) {
    plan::StepRecord record;
    record.name = std::string(Op::kKind);
    record.kernel.kernel = std::move(kernel);
    record.kernel.op = Op::kKind;
    ByteWriter writer;
    op.save(writer);
    record.kernel.parameters = writer.take();
    record.kernel.inputs.resize(inputs.size());
    record.kernel.outputs.resize(1);
    record.inputs = std::move(inputs);
    record.outputs = {output};
    return record;
}

/// y = (a + b) + a with [n] elements, 1 <= n <= 100; a and b share the dimension n.
plan::Document sumOfTwo() {
    plan::Document document;
    document.target = "cpu";
    document.architecture = "any";
    document.exprs = {{ExprOp::kInputExtent, 0, 0, 0}};
    document.tensors = {tensor("a", plan::TensorRole::kInput, {0}),
                        tensor("b", plan::TensorRole::kInput, {0}),
                        tensor("y", plan::TensorRole::kOutput, {0}),
                        tensor("sum", plan::TensorRole::kInternal, {0})};
    document.tensors[0].inputIndex = 0;
    document.tensors[1].inputIndex = 1;
    document.arenaBytes = 448;
    plan::ProfileRecord profile;
    for (plan::TensorId const input : {plan::TensorId(0), plan::TensorId(1)}) {
        profile.ranges.push_back({input, makeDims({1}), makeDims({10}), makeDims({100})});
    }
    document.profiles = {profile};
    graph::ElementWise const add;
    document.steps = {step("elementwise_reference", add, {0, 1}, 3),
                      step("elementwise_reference", add, {3, 0}, 2)};
    return document;
}

/// y = transpose, reshape, transpose of x: needs room for 6 numbers in between.
plan::Document twoTransposes() {
    plan::Document document;
    document.target = "cpu";
    document.architecture = "any";
    document.exprs = {{ExprOp::kConstant, 0, 0, 2}, {ExprOp::kConstant, 0, 0, 3}};
    document.tensors = {tensor("x", plan::TensorRole::kInput, {0, 1}),
                        tensor("y", plan::TensorRole::kOutput, {1, 0})};
    document.tensors[0].inputIndex = 0;
    document.arenaBytes = 64;
    graph::Shuffle shuffle;
    shuffle.firstTranspose = shuffle.secondTranspose = {1, 0};
    shuffle.reshape = makeDims({2, 3});
    document.steps = {step("shuffle_reference", shuffle, {0}, 1)};
    document.steps[0].workspaceBytes = 24;
    return document;
}

std::shared_ptr<PlanBytes const> bytesOf(plan::Document const& document) {
    return copyOfPlan(plan::write(document));
}

/// Binds every input and output to the same memory, which is large enough for all of these plans.
void runAnywhere(Engine const& engine, std::vector<int64_t> const& extents) {
    static std::array<float, 256> memory{};
    Context context(engine, {}, MemoryStrategy::kOnce);
    for (std::size_t i = 0; i < extents.size(); ++i) {
        context.setInputShape(plan::TensorId(i), makeDims({extents[i]}));
    }
    for (plan::TensorId const index : engine.io()) {
        context.setAddress(index, memory.data());
    }
    context.run(nullptr);
}

TEST(PlanTrust, SoundPlansRun) {
    runAnywhere(Engine(bytesOf(sumOfTwo()), Log()), {7, 7});
    runAnywhere(Engine(bytesOf(twoTransposes()), Log()), {});
}

/// y = x[m:] + x[m:] with x of [n] elements, n up to 100, and a view of n - m; m comes from
/// input 1.
plan::Document partOfInput() {
    plan::Document document = sumOfTwo();
    document.exprs.push_back({ExprOp::kInputExtent, 1, 0, 0});
    document.exprs.push_back({ExprOp::kSub, 0, 1, 0});
    document.tensors[1].shape[0] = 1;
    document.tensors[2].shape[0] = 2;
    document.tensors[3].shape[0] = 2;
    document.tensors[3].sharesWith = 0;
    document.tensors[3].begin = 1;
    document.arenaBytes = 0;
    graph::ElementWise const add;
    document.steps = {step("elementwise_reference", add, {3, 3}, 2)};
    return document;
}

TEST(PlanTrust, PartsOfMemoryRun) {
    Engine const engine(bytesOf(partOfInput()), Log());
    Context context(engine, {}, MemoryStrategy::kOnce);
    std::array<float, 100> x{};
    std::array<float, 100> y{};
    std::iota(x.begin(), x.end(), 0.0F);
    context.setAddress(0, x.data());
    context.setAddress(1, y.data());
    context.setAddress(2, y.data());
    for (int64_t const start : {16, 64, 32}) {
        context.setInputShape(0, makeDims({90}));
        context.setInputShape(1, makeDims({start}));
        y.fill(-1.0F);
        context.run(nullptr);
        EXPECT_EQ(y[0], 2.0F * static_cast<float>(start));
        EXPECT_EQ(y[static_cast<std::size_t>(89 - start)], 178.0F);
        EXPECT_EQ(y[static_cast<std::size_t>(90 - start)], -1.0F);
    }
}

TEST(PlanTrust, RefusesPartsOutsideOfTheirMemory) {
    plan::Document document = partOfInput();
    document.tensors[3].shape[0] = document.tensors[2].shape[0] = 0;
    Engine const larger(bytesOf(document), Log());
    EXPECT_EQ(errorOf(ErrorKind::kCorruptData, [&] { runAnywhere(larger, {90, 16}); }),
              "[plan] tensor 'sum': expected a part of 'a', whose memory it uses, from a multiple "
              "of 64 bytes on, got [90] from element 16 of [90] on. Build the plan again.");
    document = partOfInput();
    document.tensors[3].begin = 2; // n - m, which may be negative
    document.tensors[3].shape[0] = document.tensors[2].shape[0] = 1;
    Engine const before(bytesOf(document), Log());
    EXPECT_EQ(errorOf(ErrorKind::kCorruptData, [&] { runAnywhere(before, {16, 80}); }),
              "[plan] tensor 'sum': expected a part of 'a', whose memory it uses, from a multiple "
              "of 64 bytes on, got [80] from element -64 of [16] on. Build the plan again.");
}

TEST(PlanTrust, RefusesPartsAtAnyElement) {
    Engine const engine(bytesOf(partOfInput()), Log());
    EXPECT_EQ(errorOf(ErrorKind::kCorruptData, [&] { runAnywhere(engine, {90, 17}); }),
              "[plan] tensor 'sum': expected a part of 'a', whose memory it uses, from a multiple "
              "of 64 bytes on, got [73] from element 17 of [90] on. Build the plan again.");
}

TEST(PlanTrust, RefusesPartsThatBeginWhereAStepFindsOut) {
    plan::Document document = partOfInput();
    document.arenaBytes = 64;
    document.tensors.push_back(tensor("size", plan::TensorRole::kInternal, {}));
    document.tensors.push_back(tensor("host", plan::TensorRole::kValues, {}));
    document.tensors[4].type.type = document.tensors[5].type.type = DataType::kINT64;
    document.tensors[5].values = {0};
    document.exprs.push_back({ExprOp::kSizeTensor, 4, 0, 0});
    document.tensors[3].begin = 3;
    graph::ElementWise const add;
    document.steps.insert(document.steps.begin(), step("elementwise_reference", add, {5, 5}, 4));
    document.steps[0].kernel.inputs.assign(2, document.tensors[5].type);
    document.steps[0].kernel.outputs[0] = document.tensors[4].type;
    EXPECT_THAT(
        errorOf(ErrorKind::kCorruptData, [&] { Engine const engine(bytesOf(document), Log()); }),
        testing::HasSubstr("[plan] tensor 'sum': expected a beginning that is known before"));
}

TEST(PlanTrust, RefusesAnArenaTooSmallForTheProfile) {
    plan::Document document = sumOfTwo();
    document.arenaBytes = 384;
    EXPECT_EQ(
        errorOf(ErrorKind::kCorruptData, [&] { Engine const engine(bytesOf(document), Log()); }),
        "[plan] tensor 'sum': 400 bytes at offset 0 pass the end of the arena (384). Build "
        "the plan again.");
}

TEST(PlanTrust, RefusesInputsThatDisagreeOnASharedDimension) {
    Engine const engine(bytesOf(sumOfTwo()), Log());
    EXPECT_EQ(errorOf(ErrorKind::kInvalidArgument, [&] { runAnywhere(engine, {7, 5}); }),
              "[run] input 'b': expected shape [7], because dimensions of one name are equal, got "
              "[5]. Give all inputs with that dimension name the same extent.");
}

TEST(PlanTrust, RefusesShapeOutputsThatTheHostDoesNotKnow) {
    plan::Document document = sumOfTwo();
    document.tensors[2].shapeOutput = true;
    EXPECT_EQ(
        errorOf(ErrorKind::kCorruptData, [&] { Engine const engine(bytesOf(document), Log()); }),
        "[plan] step 'ElementWise': expected tensor 'sum' to be known on the host, got one of the "
        "device. Build the plan again.");
    document.tensors[3] = tensor("v", plan::TensorRole::kValues, {});
    document.tensors[3].type.type = DataType::kINT64;
    document.tensors[3].values = {0};
    graph::ElementWise const add;
    document.steps = {step("elementwise_reference", add, {3, 3}, 2)};
    document.steps[0].kernel.inputs.assign(2, document.tensors[3].type);
    EXPECT_EQ(
        errorOf(ErrorKind::kCorruptData, [&] { Engine const engine(bytesOf(document), Log()); }),
        "[plan] step 'ElementWise': expected shape output 'y' to be a copy of values that the host "
        "knows. Build the plan again.");
}

TEST(PlanTrust, RefusesLessWorkspaceThanAKernelNeeds) {
    plan::Document document = twoTransposes();
    document.steps[0].workspaceBytes = 23;
    Engine const engine(bytesOf(document), Log());
    EXPECT_EQ(errorOf(ErrorKind::kCorruptData, [&] { runAnywhere(engine, {}); }),
              "[run] layer 'Shuffle': expected 24 bytes of workspace, the plan has 23. Build the "
              "plan again.");
}

} // namespace
} // namespace kiln::runtime
