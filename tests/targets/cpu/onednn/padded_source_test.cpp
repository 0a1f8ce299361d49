// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Convolutions whose source has padded channels.
#include <cstring>

#include <gmock/gmock.h>

#include "base/tensor_layout.h"
#include "target/backend_registry.h"
#include "targets/cpu/onednn/onednn_fixture.h"

namespace kiln::test {
namespace {

using testing::HasSubstr;

target::Backend& cpu() {
    return target::BackendRegistry::instance().open("cpu");
}

/// The first layers of an image network, x [2, 3, 17, 18], with a ReLU.
struct Stem {
    Values x =
        inFormat(randomTensor(DataType::kBF16, makeDims({2, 3, 17, 18})), TensorFormat::kHWC);
    Values kernel = asConstant(randomTensor(DataType::kBF16, makeDims({32, 3, 3, 3}), -0.2, 0.2));
    graph::Region op{2};
    Values output;

    explicit Stem(int64_t groups = 1) {
        auto convolution =
            convolutionOf(groups == 1 ? 32 : 3, makeDims({3, 3}), makeDims({1, 1}), groups);
        convolution->window.stride = makeDims({2, 2});
        if (groups > 1) {
            kernel = asConstant(randomTensor(DataType::kBF16, makeDims({3, 1, 3, 3})));
        }
        int32_t const sum = op.add(std::move(convolution), {0, 1});
        op.setResults({op.add(activationOf(nvinfer1::ActivationType::kRELU), {sum})});
        output = inFormat(inferredOutput(op, {x, kernel}), TensorFormat::kHWC);
    }
    std::vector<target::OperandSpec> inputs() const {
        return specsOf(std::vector<Values>{x, kernel});
    }
    std::vector<target::OperandSpec> outputs() const { return specsOf(std::span(&output, 1)); }
    std::vector<target::Form> forms() const {
        auto const in = inputs();
        auto const out = outputs();
        return cpu().ownForms({op, "stem", in, out});
    }
};

Bytes padded(Values const& x, int64_t channels) {
    Bytes const dense = encoded(x);
    auto const from = static_cast<std::size_t>(x.dims.d[1]) * 2;
    auto const to = static_cast<std::size_t>(channels) * 2;
    Bytes result(dense.size() / from * to);
    for (std::size_t i = 0; i < dense.size() / from; ++i) {
        std::memcpy(result.data() + i * to, dense.data() + i * from, from);
    }
    return result;
}

/// What the kernel of oneDNN computes in a form with a padded source.
std::vector<double> runPadded(Stem const& stem, target::Form const& form) {
    std::vector<target::OperandSpec> inputs = stem.inputs();
    auto const outputs = stem.outputs();
    inputs[0].type = form[0];
    Bytes const plain = encoded(stem.kernel);
    inputs[1].data = plain;
    target::KernelRecord record =
        recordOf(stem.op, "region_onednn", std::vector<Values>{stem.x, stem.kernel},
                 std::span(&stem.output, 1));
    record.inputs[0] = form[0];
    for (target::Candidate const& candidate :
         cpu().candidates({stem.op, "stem", inputs, outputs})) {
        if (candidate.kernel == record.kernel) {
            EXPECT_EQ(candidate.refusal, "");
            record.code = candidate.compile();
        }
    }
    auto const packs = cpu().packs(record);
    EXPECT_EQ(packs.size(), 1U);
    target::ConstantOperand const original{plain.data(), plain.data(), plain.size(),
                                           stem.kernel.dims};
    Bytes const weights = cpu().pack(record, 1, original);
    record.inputs[1].tag = packs.at(0).tag;
    std::vector<target::ConstantOperand> const constants{
        {}, {weights.data(), weights.data(), weights.size(), stem.kernel.dims}};
    auto const loaded = cpu().load(record, constants);
    auto const instance = loaded->instantiate();
    std::vector<Dims> const dims{stem.x.dims, stem.kernel.dims};
    instance->reshape(dims, std::span(&stem.output.dims, 1));
    target::Layout const& layout = *target::findLayout(cpu().layouts(), form[0].tag);
    Bytes const image = padded(stem.x, layout.traits.vector);
    EXPECT_EQ(image.size(), target::bytesIn(cpu().layouts(), form[0], stem.x.dims, "x"));
    Bytes result(bytesFor(DataType::kBF16, volume(stem.output.dims, "test")));
    Bytes workspace(instance->workspaceBytes(dims, std::span(&stem.output.dims, 1)) + 64);
    void const* const from[] = {image.data(), weights.data()};
    void* const to[] = {result.data()};
    target::Launch const launch = instance->launch();
    EXPECT_EQ(launch.run(launch.state, {from, to, workspace.data()}, nullptr), 0);
    return decoded(stem.output, result);
}

class PaddedSource : public Onednn {};

TEST_F(PaddedSource, GivesTheSameResult) {
    if (!hasBfloat16()) {
        GTEST_SKIP() << "oneDNN has no bfloat16 on this processor";
    }
    Stem const stem;
    auto const& convolution = static_cast<graph::Convolution const&>(*stem.op.nodes().front().op);
    std::vector<double> expected =
        plainConvolution(convolution, stem.x, stem.kernel, stem.output.dims);
    for (double& value : expected) {
        value = std::max(value, 0.0);
    }
    std::vector<target::Form> const forms = stem.forms();
    ASSERT_EQ(forms.size(), 2U); // padded to 4 and to 8
    for (target::Form const& form : forms) {
        Values got = stem.output;
        got.data = runPadded(stem, form);
        expectNear(got, expected, {0.02, 0.02});
    }
}

TEST_F(PaddedSource, IsOfferedForFewChannelsOf16Bits) {
    Stem single;
    for (Values* const values : {&single.x, &single.kernel, &single.output}) {
        values->type = DataType::kFLOAT;
    }
    EXPECT_TRUE(single.forms().empty());
    EXPECT_TRUE(Stem(3).forms().empty()); // groups
    Stem linear;
    linear.x.format = linear.output.format = TensorFormat::kLINEAR;
    EXPECT_TRUE(linear.forms().empty());
}

TEST_F(PaddedSource, NeedsConstantWeights) {
    Stem stem;
    std::vector<target::OperandSpec> inputs = stem.inputs();
    auto const outputs = stem.outputs();
    inputs[0].type = stem.forms().at(0)[0];
    inputs[1].constant = false;
    for (target::Candidate const& candidate :
         cpu().candidates({stem.op, "stem", inputs, outputs})) {
        EXPECT_THAT(candidate.refusal, candidate.kernel == "region_onednn"
                                           ? HasSubstr("expected constant weights")
                                           : HasSubstr("expected operands in public formats"));
    }
}

} // namespace
} // namespace kiln::test
