// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Metadata that the writer never makes: messages that fail the verifier, lists longer than their
// arrays, lengths that pass a section, one string shared by many tables.
#include "plan/decode.h"

#include <cstring>

#include <gmock/gmock.h>

#include "plan/encode.h"
#include "plan/plan_fixture.h"
#include "plan/reader.h"
#include "plan_generated.h"

namespace kiln::plan::testing {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Vectors of the root table; null ones are left out.
struct Root {
    Offset<flatbuffers::Vector<Offset<fb::Tensor>>> tensors;
    Offset<flatbuffers::Vector<Offset<fb::Profile>>> profiles;
    Offset<flatbuffers::Vector<Offset<fb::Plugin>>> plugins;
    Offset<flatbuffers::Vector<Offset<fb::Step>>> steps;
    Offset<flatbuffers::Vector<Offset<fb::Library>>> libraries = 0;
    Offset<flatbuffers::Vector<Offset<fb::Source>>> sources = 0;
};

/// Error of a plan with 4 bytes of code, 22 of states, 16 of weights and the metadata that `make`
/// builds.
template <typename Make>
std::string errorOf(Make make) {
    FlatBufferBuilder builder;
    auto const name = builder.CreateString("crafted");
    Root const root = make(builder);
    fb::PlanBuilder plan(builder);
    plan.add_name(name);
    plan.add_architecture(name);
    plan.add_tensors(root.tensors);
    plan.add_profiles(root.profiles);
    plan.add_plugins(root.plugins);
    plan.add_steps(root.steps);
    plan.add_libraries(root.libraries);
    plan.add_sources(root.sources);
    fb::FinishPlanBuffer(builder, plan.Finish());
    std::span const message(builder.GetBufferPointer(), builder.GetSize());
    return readError(withMetadata(assemble(smallDocument()), std::as_bytes(message)));
}

template <typename Table>
auto listOf(FlatBufferBuilder& builder, std::vector<Offset<Table>> const& tables) {
    return builder.CreateVector(tables);
}

TEST(PlanDecode, RefusesMetadataThatFailsTheVerifier) {
    Bytes const plan = assemble(smallDocument());
    std::string const text = "this is no FlatBuffers message, but it is long enough for one";
    EXPECT_THAT(
        readError(withMetadata(plan, std::as_bytes(std::span(text)))),
        StartsWith("[plan] section 'metadata': expected a FlatBuffers message that passes"));
    EXPECT_THAT(readError(withMetadata(plan, {})), HasSubstr("got 0 bytes that do not"));
}

TEST(PlanDecode, RefusesAMessageOfAnotherKind) {
    Bytes plan = assemble(smallDocument());
    plan[sectionOf(plan, SectionKind::kMetadata).offset + 4] = std::byte{'X'};
    rehash(plan);
    EXPECT_THAT(readError(plan), HasSubstr("passes its verifier"));
}

TEST(PlanDecode, RefusesNineDimensions) {
    std::vector<int32_t> const shape(9, 0);
    EXPECT_EQ(errorOf([&](FlatBufferBuilder& b) {
                  auto const tensor = fb::CreateTensorDirect(b, "t", 0, 0, 0, &shape);
                  return Root{listOf<fb::Tensor>(b, {tensor}), 0, 0, 0};
              }),
              "[plan] 't': expected 0 to 8 dimensions, got 9. Build the plan again.");
    std::vector<int64_t> const extents(1000, 0);
    EXPECT_THAT(errorOf([&](FlatBufferBuilder& b) {
                    auto const range = fb::CreateRangeDirect(b, 0, &extents, nullptr, nullptr);
                    auto const ranges = listOf<fb::Range>(b, {range});
                    auto const profile = fb::CreateProfile(b, ranges);
                    return Root{0, listOf<fb::Profile>(b, {profile}), 0, 0};
                }),
                HasSubstr("expected 0 to 8 dimensions, got 1000"));
}

TEST(PlanDecode, RefusesNumbersOffTheirAlignment) {
    Bytes plan = assemble(smallDocument());
    SectionEntry const entry = sectionOf(plan, SectionKind::kMetadata);
    std::byte* const start = plan.data() + entry.offset;
    auto const* table = reinterpret_cast<flatbuffers::Table const*>(fb::GetPlan(start));
    auto* const slot =
        const_cast<uint8_t*>(table->GetAddressOf(fb::Plan::FlatBuffersVTableOffset::VT_EXPRS));
    uint32_t const offset = flatbuffers::ReadScalar<uint32_t>(slot);
    // Starts the vector four bytes earlier, with a copy of its length.
    std::memcpy(slot + offset - 4, slot + offset, 4);
    flatbuffers::WriteScalar(slot, offset - 4);
    rehash(plan);
    EXPECT_EQ(readError(plan),
              "[plan] section 'metadata': expected numbers at multiples of 8 bytes, got another "
              "place. Build the plan again.");
}

std::string errorOfConstant(uint64_t offset, uint64_t bytes) {
    return errorOf([&](FlatBufferBuilder& b) {
        auto const role = static_cast<uint8_t>(TensorRole::kConstant);
        auto const tensor = fb::CreateTensorDirect(b, "c", role, 0, 0, nullptr, offset, bytes);
        return Root{listOf<fb::Tensor>(b, {tensor}), 0, 0, 0};
    });
}

TEST(PlanDecode, RefusesConstantsOutsideTheWeights) {
    EXPECT_EQ(errorOfConstant(0, 17),
              "[plan] section 'weights', constant 'c': expected an aligned place within 16 bytes, "
              "got 17 bytes at offset 0. Build the plan again.");
    EXPECT_THAT(errorOfConstant(8, 8), HasSubstr("got 8 bytes at offset 8"));
    EXPECT_THAT(errorOfConstant(64, 1), HasSubstr("got 1 bytes at offset 64"));
    EXPECT_THAT(errorOfConstant(~uint64_t{63}, 64), HasSubstr("expected an aligned place"));
    EXPECT_THAT(errorOfConstant(0, ~uint64_t{0}), HasSubstr("got 18446744073709551615 bytes"));
}

std::string errorOfPlugin(uint64_t blobBytes, uint64_t fieldBytes) {
    return errorOf([&](FlatBufferBuilder& b) {
        auto const field = fb::CreateFieldDirect(b, "f", 5, 1, fieldBytes);
        std::vector<Offset<fb::Field>> const fields{field};
        auto const plugin =
            fb::CreatePluginDirect(b, 1, "p", "1", "", false, "layer", 0, blobBytes, &fields);
        return Root{0, 0, listOf<fb::Plugin>(b, {plugin}), 0};
    });
}

TEST(PlanDecode, RefusesStatesThatDoNotFillTheirSection) {
    EXPECT_EQ(errorOfPlugin(0, 23),
              "[plan] section 'states', 'layer': length 23 passes the end of the section (22 bytes "
              "left). Build the plan again.");
    EXPECT_THAT(errorOfPlugin(20, 4), HasSubstr("length 4 passes the end of the section (2 bytes"));
    EXPECT_THAT(errorOfPlugin(~uint64_t{0}, 4), HasSubstr("length 18446744073709551615 passes"));
    EXPECT_EQ(errorOfPlugin(0, 4),
              "[plan] section 'states': expected every byte to belong to something, got 18 at its "
              "end that do not. Build the plan again.");
}

/// A plugin whose state fills the states section.
Offset<fb::Plugin> wholeState(FlatBufferBuilder& builder) {
    return fb::CreatePluginDirect(builder, 0, "p", "1", "", false, "layer", 0, 22, nullptr);
}

std::string errorOfKernel(uint64_t codeBytes) {
    return errorOf([&](FlatBufferBuilder& b) {
        auto const kernel = fb::CreateKernelDirect(b, "k", "Op", nullptr, codeBytes);
        auto const step = fb::CreateStepDirect(b, "s", nullptr, nullptr, 0, 0, -1, kernel, nullptr);
        return Root{0, 0, listOf<fb::Plugin>(b, {wholeState(b)}), listOf<fb::Step>(b, {step})};
    });
}

TEST(PlanDecode, RefusesCodeThatDoesNotFillItsSection) {
    EXPECT_THAT(errorOfKernel(5), StartsWith("[plan] section 'code', 's': length 5 passes"));
    EXPECT_THAT(errorOfKernel(3), StartsWith("[plan] section 'code': expected every byte"));
    EXPECT_THAT(errorOfKernel(4), HasSubstr("step 's': expected 1 or more outputs"));
}

TEST(PlanDecode, RefusesLibrariesThatPassTheirSection) {
    EXPECT_EQ(errorOf([&](FlatBufferBuilder& b) {
                  auto const library = fb::CreateLibraryDirect(b, "libpad.so", 1);
                  auto const plugins = listOf<fb::Plugin>(b, {wholeState(b)});
                  return Root{0, 0, plugins, 0, listOf<fb::Library>(b, {library})};
              }),
              "[plan] section 'libraries', 'libpad.so': length 1 passes the end of the section (0 "
              "bytes left). Build the plan again.");
}

TEST(PlanDecode, RefusesSourcesThatPassTheirSection) {
    EXPECT_EQ(errorOf([&](FlatBufferBuilder& b) {
                  auto const source = fb::CreateSourceDirect(b, "pads", nullptr, 1);
                  auto const plugins = listOf<fb::Plugin>(b, {wholeState(b)});
                  return Root{0, 0, plugins, 0, 0, listOf<fb::Source>(b, {source})};
              }),
              "[plan] section 'libraries', 'pads': length 1 passes the end of the section (0 bytes "
              "left). Build the plan again.");
}

TEST(PlanDecode, RefusesOneNameForManyTensors) {
    EXPECT_THAT(errorOf([](FlatBufferBuilder& b) {
                    auto const name = b.CreateString(std::string(100000, 'n'));
                    std::vector<Offset<fb::Tensor>> tensors;
                    for (int i = 0; i < 10000; ++i) {
                        tensors.push_back(fb::CreateTensor(b, name));
                    }
                    return Root{listOf(b, tensors), 0, 0, 0};
                }),
                StartsWith("[plan] section 'metadata': expected parts of its own for each record"));
}

TEST(PlanDecode, RefusesOneTableInManyPlaces) {
    EXPECT_THAT(errorOf([](FlatBufferBuilder& b) {
                    auto const reason = fb::CreateReasonDirect(b, "because");
                    std::vector<Offset<fb::Reason>> const reasons(1000, reason);
                    auto const list = b.CreateVector(reasons);
                    auto const name = b.CreateString("s");
                    std::vector<Offset<fb::Step>> steps;
                    for (int i = 0; i < 500; ++i) {
                        steps.push_back(fb::CreateStep(b, name, 0, 0, 0, 0, -1, 0, list));
                    }
                    return Root{0, 0, listOf<fb::Plugin>(b, {wholeState(b)}), listOf(b, steps)};
                }),
                HasSubstr("expected parts of its own for each record"));
}

TEST(PlanDecode, LimitsTheWorkOfTheVerifier) {
    EXPECT_THAT(errorOf([](FlatBufferBuilder& b) {
                    auto const reason = fb::CreateReasonDirect(b, "because");
                    std::vector<Offset<fb::Reason>> const reasons(100000, reason);
                    auto const list = b.CreateVector(reasons);
                    auto const name = b.CreateString("s");
                    std::vector<Offset<fb::Step>> steps;
                    for (int i = 0; i < 100000; ++i) {
                        steps.push_back(fb::CreateStep(b, name, 0, 0, 0, 0, -1, 0, list));
                    }
                    return Root{0, 0, 0, listOf(b, steps)};
                }),
                HasSubstr("passes its verifier"));
}

} // namespace
} // namespace kiln::plan::testing
