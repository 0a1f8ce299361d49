// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/writer.h"

#include <algorithm>
#include <cstring>

#include <gmock/gmock.h>

#include "kiln/version.h"
#include "plan/encode.h"
#include "plan/plan_fixture.h"
#include "plan/reader.h"

namespace kiln::plan::testing {
namespace {

using ::testing::HasSubstr;

/// A plan at an aligned address, like that of a mapped file.
struct AlignedPlan {
    explicit AlignedPlan(Bytes const& plan) : store(plan.size() + kAlignment) {
        auto const address = reinterpret_cast<std::uintptr_t>(store.data());
        std::size_t const shift = (kAlignment - address % kAlignment) % kAlignment;
        std::copy(plan.begin(), plan.end(), store.begin() + static_cast<std::ptrdiff_t>(shift));
        bytes = ByteView(store).subspan(shift, plan.size());
    }
    Bytes store;
    ByteView bytes;
};

TEST(PlanWriter, GivesBackEveryFieldOfARichDocument) {
    Document const document = richDocument();
    Bytes const plan = write(document);
    Document const back = read(plan, true);
    EXPECT_EQ(describe(back), describe(document));
    EXPECT_EQ(back.kilnVersion, KILN_VERSION_STRING);
}

TEST(PlanWriter, GivesBackLoopsAndBranches) {
    Document const document = controlDocument();
    EXPECT_EQ(describe(read(write(document))), describe(document));
    EXPECT_EQ(write(read(write(document))), write(document));
}

TEST(PlanWriter, GivesBackAnEmptyDocument) {
    Document document;
    document.target = "cpu";
    EXPECT_EQ(describe(read(write(document))), describe(document));
}

TEST(PlanWriter, SameDocumentGivesSameBytes) {
    EXPECT_EQ(write(richDocument()), write(richDocument()));
    EXPECT_EQ(write(read(write(richDocument()))), write(richDocument()));
}

TEST(PlanWriter, IgnoresExtentsBehindTheRank) {
    Document document = richDocument();
    document.profiles[0].ranges[0].max.d[7] = 99;
    document.tensors[0].shape[7] = 99;
    EXPECT_EQ(write(document), write(richDocument()));
}

TEST(PlanWriter, EqualConstantsShareTheirBytes) {
    AlignedPlan const plan(write(richDocument()));
    Document const back = read(plan.bytes);
    EXPECT_EQ(back.tensors[3].data.data(), back.tensors[4].data.data());
    EXPECT_NE(back.tensors[3].data.data(), back.tensors[5].data.data());
    Bytes const copy(plan.bytes.begin(), plan.bytes.end());
    EXPECT_EQ(sectionOf(copy, SectionKind::kWeights).bytes, 192 + 48);
}

TEST(PlanWriter, SourcesThatAreConstantsTakeNoSecondPlace) {
    AlignedPlan const plan(write(richDocument()));
    Document const back = read(plan.bytes);
    EXPECT_EQ(back.weights[1].data.data(), back.tensors[3].data.data());
    EXPECT_EQ(back.weights[0].data.size(), 48U);
    EXPECT_TRUE(back.weights[4].data.empty());
}

TEST(PlanWriter, RecipesAreRecordedOnceWithTheSourcesThatTheyNeed) {
    Document document = richDocument();
    document.weights = {};
    target::OperandType const type = document.tensors[3].type;
    target::RecipePtr const kernel =
        target::Recipe::source("conv/kernel", type, target::Elements(document.tensors[3].data));
    target::RecipePtr const scale =
        target::Recipe::source("scale/value", type, target::Elements(document.tensors[3].data));
    auto const sum = [&](target::RecipePtr const& a, target::RecipePtr const& b) {
        return target::Recipe::operation(
            "ElementWise", {}, {{a, makeDims({24})}, {b, makeDims({24})}}, type, makeDims({3, 8}));
    };
    document.tensors[3].recipe = sum(kernel, scale);
    document.tensors[4].recipe = document.tensors[3].recipe;
    document.tensors[5].recipe =
        target::Recipe::source("b/value", type, target::Elements(document.tensors[5].data));
    addWeights(document);
    EXPECT_TRUE(document.refittable);
    ASSERT_EQ(document.weights.size(), 4U);
    EXPECT_EQ(document.weights[0].name, "conv/kernel");
    EXPECT_EQ(document.weights[1].data.size(), 96U);
    EXPECT_EQ(document.weights[2].operands[1].weight.number(), 1);
    EXPECT_TRUE(document.weights[3].data.empty()); // no constant needs it beside others
    EXPECT_EQ(document.tensors[3].weight.number(), 2);
    EXPECT_EQ(document.tensors[4].weight.number(), 2);
    EXPECT_EQ(document.tensors[5].weight.number(), 3);
    EXPECT_EQ(document.tensors[6].weight.number(), -1);
}

TEST(PlanWriter, StrippedPlansHaveNoElementsOfWeights) {
    Document document = richDocument();
    stripWeights(document);
    AlignedPlan const plan(write(document));
    Document const back = read(plan.bytes);
    EXPECT_TRUE(back.tensors[3].isStripped());
    EXPECT_EQ(back.tensors[3].constantBytes(), 96U);
    EXPECT_FALSE(back.tensors[4].isStripped()); // equal bytes, but no weights
    EXPECT_TRUE(back.tensors[5].isStripped());
    EXPECT_TRUE(back.weights[0].data.empty());
    EXPECT_EQ(back.weights[0].label, "filter");
    EXPECT_EQ(back.weights[1].data.size(), 96U); // has no name: nothing could give it
    EXPECT_LT(plan.bytes.size(), write(richDocument()).size());
}

TEST(PlanWriter, FixedSourcesAreStoredWithoutNames) {
    Document document = richDocument();
    document.weights = {};
    target::OperandType const type = document.tensors[3].type;
    auto const source = [&](std::string name) {
        return target::Recipe::source(std::move(name), type,
                                      target::Elements(document.tensors[3].data));
    };
    document.tensors[3].recipe = target::Recipe::operation(
        "ElementWise", {},
        {{source("conv/kernel"), makeDims({24})}, {source("scale/value"), makeDims({24})}}, type,
        makeDims({3, 8}));
    document.tensors[4].recipe = source("scale/value");
    addWeights(document, {{{"conv/kernel", "filter"}}, {"scale/value"}});
    ASSERT_EQ(document.weights.size(), 3U);
    EXPECT_EQ(document.weights[0].label, "filter");
    EXPECT_EQ(document.weights[1].name, "");
    EXPECT_EQ(document.weights[1].data.size(), 96U);
    EXPECT_TRUE(document.tensors[4].weight.isNone()); // cannot change
}

TEST(PlanWriter, LargeConstantsThatDifferInOneByteStayApart) {
    Bytes const first(100'003, std::byte{7});
    for (std::size_t const changed : {0, 300, 50'001, 100'002}) {
        Bytes second = first;
        second[changed] = std::byte{8};
        Bytes const third = second;
        Document document = richDocument();
        std::size_t const before = layoutWeights(document).bytes;
        document.tensors[3].data = first;
        document.tensors[4].data = second;
        document.tensors[5].data = third;
        WeightLayout const layout = layoutWeights(document);
        EXPECT_NE(layout.offsetOf[3], layout.offsetOf[4]);
        EXPECT_EQ(layout.offsetOf[4], layout.offsetOf[5]);
        EXPECT_GT(layout.bytes, before);
    }
}

/// A constant whose bytes are packed in reverse.
TensorRecord reversed(TensorRecord constant, std::string key, std::size_t bytes) {
    constant.recipe = target::Recipe::source("w", constant.type, target::Elements(constant.data));
    constant.data = {};
    constant.packing = std::make_shared<Packing const>(
        Packing{bytes, std::move(key),
                [](ByteView elements) { return Bytes(elements.rbegin(), elements.rend()); }});
    return constant;
}

TEST(PlanWriter, PackingsComputeConstants) {
    Document document = richDocument();
    std::size_t const before = sectionOf(write(document), SectionKind::kWeights).bytes;
    for (TensorId const tensor : {TensorId(3), TensorId(4)}) { // of equal bytes
        TensorRecord& constant = document.tensors[tensor];
        constant = reversed(constant, "reverse", constant.data.size());
    }
    ByteView const source = document.tensors[3].recipe->known().view;
    AlignedPlan const plan(write(document));
    Document const back = read(plan.bytes);
    EXPECT_TRUE(std::equal(back.tensors[3].data.begin(), back.tensors[3].data.end(),
                           source.rbegin(), source.rend()));
    EXPECT_EQ(back.tensors[3].data.data(), back.tensors[4].data.data());
    TensorRecord& second = document.tensors[4];
    second.data = source;
    second = reversed(second, "reverse otherwise", second.data.size());
    EXPECT_GT(sectionOf(write(document), SectionKind::kWeights).bytes, before);
}

TEST(PlanWriter, PackingsKeepTheirWord) {
    Document document = richDocument();
    TensorRecord& constant = document.tensors[3];
    constant = reversed(constant, "reverse", constant.data.size() + 1);
    try {
        assemble(document);
        FAIL() << "expected an error";
    } catch (Error const& error) {
        EXPECT_THAT(error.what(), HasSubstr("expected 97 bytes from its recipe, got 96"));
    }
}

TEST(PlanWriter, ConstantsAreAlignedViewsIntoTheFile) {
    AlignedPlan const plan(write(richDocument()));
    for (TensorRecord const& tensor : read(plan.bytes).tensors) {
        if (tensor.data.empty()) {
            continue;
        }
        EXPECT_GE(tensor.data.data(), plan.bytes.data());
        EXPECT_LE(tensor.data.data() + tensor.data.size(), plan.bytes.data() + plan.bytes.size());
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data.data()) % kAlignment, 0U);
    }
}

TEST(PlanWriter, LibrariesAreViewsIntoTheFile) {
    AlignedPlan const plan(write(richDocument()));
    Document const back = read(plan.bytes);
    ASSERT_EQ(back.libraries.size(), 2U);
    EXPECT_EQ(back.libraries[0].name, "libpad.so");
    EXPECT_EQ(back.libraries[1].data.size(), 1U);
    ASSERT_EQ(back.sources.size(), 1U);
    EXPECT_EQ(back.sources[0].name, "pads");
    EXPECT_EQ(back.sources[0].text.size(), 30U);
    EXPECT_EQ(sourceOf(back, {"Pad", "2", ""}), &back.sources[0]);
    EXPECT_EQ(sourceOf(back, {"Pad", "3", ""}), nullptr);
    for (LibraryRecord const& library : back.libraries) {
        EXPECT_GE(library.data.data(), plan.bytes.data());
        EXPECT_LE(library.data.data() + library.data.size(), plan.bytes.data() + plan.bytes.size());
    }
}

TEST(PlanWriter, ReadsFromAnyAddress) {
    Bytes const plan = write(richDocument());
    Bytes shifted(1);
    shifted.insert(shifted.end(), plan.begin(), plan.end());
    EXPECT_EQ(describe(read(ByteView(shifted).subspan(1))), describe(richDocument()));
}

TEST(PlanWriter, SectionsStartAtMultiplesOf64) {
    Bytes const plan = write(richDocument());
    for (SectionInfo const& section : checkSections(plan)) {
        EXPECT_EQ(section.offset % kAlignment, 0U) << section.name;
        EXPECT_TRUE(section.intact) << section.name;
    }
}

std::string writeError(Document const& document) {
    try {
        write(document);
    } catch (Error const& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kInternal);
        return error.what();
    }
    return {};
}

TEST(PlanWriter, RefusesWhatTheReaderWouldRefuse) {
    Document document = richDocument();
    document.steps[1].inputs[0] = 77;
    EXPECT_THAT(writeError(document), HasSubstr("[plan] step 'conv + relu': expected to read"));
}

TEST(PlanWriter, RefusesKernelsThatDoNotFitTheirTensors) {
    Document document = richDocument();
    document.steps[1].kernel.inputs[0].type = DataType::kFLOAT;
    EXPECT_THAT(writeError(document), HasSubstr("operand types of its tensors"));
    document = richDocument();
    document.steps[1].kernel.outputs.clear();
    EXPECT_THAT(writeError(document), HasSubstr("operand types of its tensors"));
}

TEST(PlanWriter, RefusesATargetThatDoesNotFitTheHeader) {
    Document document = richDocument();
    document.target = "sixteen--letters";
    EXPECT_THAT(writeError(document), HasSubstr("1 to 15 letters, got 'sixteen--letters'"));
    document.target = "";
    EXPECT_THAT(writeError(document), HasSubstr("got ''"));
}

} // namespace
} // namespace kiln::plan::testing
