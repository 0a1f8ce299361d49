// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/kernel_registry.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/ops/identity.h"

namespace kiln::target {
namespace {

class NoKernel final : public Kernel {
    std::unique_ptr<KernelInstance> instantiate() const override { return nullptr; }
};

constexpr uint16_t kReversed = 7;

/// A kernel that wants operand 1 with its bytes reversed.
KernelRegistry registry() {
    KernelEntry entry;
    entry.op = "Op";
    entry.name = "reversing";
    entry.refuse = [](NodeSpec const&) { return std::string(); };
    entry.load = [](KernelRecord const&, std::span<ConstantOperand const>) {
        return std::unique_ptr<Kernel>(std::make_unique<NoKernel>());
    };
    entry.packs = [](KernelRecord const&) { return std::vector<PackedOperand>{{1, kReversed}}; };
    entry.pack = [](KernelRecord const&, std::size_t, ConstantOperand const& original) {
        auto const* first = static_cast<std::byte const*>(original.host);
        Bytes bytes(first, first + original.bytes);
        std::reverse(bytes.begin(), bytes.end());
        return bytes;
    };
    KernelRegistry filled;
    filled.add(entry);
    entry.name = "plain";
    entry.packs = nullptr;
    entry.pack = nullptr;
    filled.add(entry);
    entry.name = "of layouts";
    entry.ownLayouts = true;
    filled.add(entry);
    entry.ownLayouts = false;
    entry.op = graph::Identity::kKind;
    entry.name = "plain";
    filled.add(entry);
    entry.name = "calls a library";
    entry.library = [] { return std::string("library 1.2"); };
    filled.add(entry);
    entry.name = "lacks a library";
    entry.lacks = [] { return std::string("it is not there"); };
    filled.add(entry);
    return filled;
}

KernelRecord record(std::string name, uint16_t first, uint16_t second) {
    OperandType type;
    KernelRecord record{std::move(name), "Op", {}, {}, {type, type}, {type}};
    record.inputs[0].tag = first;
    record.inputs[1].tag = second;
    return record;
}

std::string loadProblem(KernelRecord const& record) {
    std::vector<ConstantOperand> const constants(record.inputs.size());
    try {
        registry().load("cpu", record, constants);
    } catch (Error const& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kCorruptData);
        return error.what();
    }
    return {};
}

TEST(PackedConstants, KernelAndOperandsAgreeOnTheOrder) {
    EXPECT_EQ(loadProblem(record("reversing", 0, kReversed)), "");
    EXPECT_EQ(loadProblem(record("plain", 0, 0)), "");
    EXPECT_THAT(loadProblem(record("reversing", 0, 0)),
                testing::HasSubstr("[plan] kernel 'reversing', input 1: expected elements in the "
                                   "order 7, got 0"));
    EXPECT_THAT(loadProblem(record("reversing", 3, kReversed)),
                testing::HasSubstr("input 0: expected elements in the order 0, got 3"));
    EXPECT_THAT(loadProblem(record("plain", 0, kReversed)),
                testing::HasSubstr("expected elements in the order 0, got 7"));
    KernelRecord one = record("reversing", 0, 0);
    one.inputs.pop_back();
    EXPECT_THAT(loadProblem(one), testing::HasSubstr("expected 2 inputs or more, got 1"));
}

TEST(OwnLayouts, AreForKernelsThatTakeThem) {
    KernelRecord tagged = record("plain", 0, 0);
    tagged.outputs[0].tag = 2;
    EXPECT_THAT(loadProblem(tagged), testing::HasSubstr("output 0: expected elements in the public "
                                                        "format, got order 2"));
    tagged.kernel = "of layouts";
    tagged.inputs[0].tag = 2;
    EXPECT_EQ(loadProblem(tagged), "");
    unsigned char const bytes[] = {1};
    std::vector<ConstantOperand> const constants{{bytes, bytes, 1, Dims{1, {1}}}, {}};
    EXPECT_THROW(registry().load("cpu", tagged, constants), Error); // no one packed it
}

TEST(PackedConstants, AreMadeByTheKernel) {
    unsigned char const bytes[] = {1, 2, 3};
    ConstantOperand const constant{bytes, bytes, 3, Dims{1, {3}}};
    EXPECT_EQ(registry().pack("cpu", record("reversing", 0, 0), 1, constant),
              (Bytes{std::byte{3}, std::byte{2}, std::byte{1}}));
    EXPECT_EQ(registry().packs("cpu", record("reversing", 0, 0)),
              (std::vector<PackedOperand>{{1, kReversed}}));
    EXPECT_TRUE(registry().packs("cpu", record("plain", 0, 0)).empty());
    EXPECT_THROW(registry().pack("cpu", record("plain", 0, 0), 1, constant), Error);
    EXPECT_THROW(registry().packs("cpu", record("unknown", 0, 0)), Error);
}

TEST(Candidates, NameTheLibraryThatTheyRunOn) {
    graph::Identity const op;
    auto const offered = registry().candidates({op, "layer", {}, {}}, 1e9, {});
    ASSERT_EQ(offered.size(), 3U);
    EXPECT_EQ(offered[0].library, "");
    EXPECT_EQ(offered[1].library, "library 1.2");
    EXPECT_EQ(offered[2].library, ""); // it is not asked
    EXPECT_EQ(offered[2].refusal, "it is not there");
}

} // namespace
} // namespace kiln::target
