// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Regions that write their result over a term of their sum.
#include <cstring>

#include <gmock/gmock.h>

#include "target/backend_registry.h"
#include "targets/cpu/onednn/onednn_fixture.h"

namespace kiln::test {
namespace {

using graph::Region;
using nvinfer1::ElementWiseOperation;
using testing::HasSubstr;

class OnednnOverwriting : public Onednn {};

target::Backend& cpu() {
    return target::BackendRegistry::instance().open("cpu");
}

/// max(op(x * w, term), 0), with weights that are not packed.
struct Residual {
    std::unique_ptr<Region> region = std::make_unique<Region>(3);
    std::vector<Values> inputs;
    Values output;
    std::vector<double> expected;
    target::KernelRecord record;
    std::string refusal;

    explicit Residual(DataType type = DataType::kFLOAT, Dims const& term = makeDims({5, 40}),
                      ElementWiseOperation operation = ElementWiseOperation::kSUM) {
        inputs = {randomTensor(type, makeDims({5, 24})), randomTensor(type, makeDims({24, 40})),
                  randomTensor(type, term)};
        for (int64_t i = 0; i < 200; ++i) {
            double sum = inputs[2].data[static_cast<std::size_t>(i) % inputs[2].data.size()];
            for (int64_t k = 0; k < 24; ++k) {
                sum += inputs[0].at({i / 40, k}) * inputs[1].at({k, i % 40});
            }
            expected.push_back(std::max(sum, 0.0));
        }
        int32_t const product = region->add(std::make_unique<graph::MatrixMultiply>(), {0, 1});
        int32_t const sum = region->add(elementwiseOf(operation), {2, product});
        region->setResults({region->add(activationOf(nvinfer1::ActivationType::kRELU), {sum})});
        output = inferredOutput(*region, inputs);
        record = recordOf(*region, "region_onednn", inputs, std::span(&output, 1));
        auto const in = specsOf(inputs);
        auto const out = specsOf(std::span(&output, 1));
        for (target::Candidate const& candidate : cpu().candidates({*region, "test", in, out})) {
            if (candidate.kernel == record.kernel) {
                refusal = candidate.refusal;
                record.code = candidate.offered() ? candidate.compile() : Bytes();
            }
        }
    }

    std::optional<target::Overwriting> over(std::size_t input) const {
        auto const in = specsOf(inputs);
        auto const out = specsOf(std::span(&output, 1));
        return cpu().overwriting({*region, "test", in, out}, record, input);
    }

    std::unique_ptr<target::KernelInstance> instance(target::Kernel const& kernel) const {
        auto made = kernel.instantiate();
        std::vector<Dims> dims;
        for (Values const& input : inputs) {
            dims.push_back(input.dims);
        }
        made->reshape(dims, std::span(&output.dims, 1));
        return made;
    }
};

TEST_F(OnednnOverwriting, InOnePlaceAndInTwo) {
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
        Residual test(type);
        if (!test.refusal.empty()) { // no fast kernel for this type on this processor
            EXPECT_NE(type, DataType::kFLOAT) << test.refusal;
            continue;
        }
        auto const way = test.over(2);
        ASSERT_TRUE(way.has_value());
        test.record.code = way->code;
        auto const kernel = cpu().load(test.record, std::vector<target::ConstantOperand>(3));
        auto const instance = test.instance(*kernel);
        EXPECT_LE(instance->workspaceBytes({}, {}), way->workspaceBytes);
        for (bool const onePlace : {true, false}) {
            std::vector<Bytes> operands;
            for (Values const& input : test.inputs) {
                operands.push_back(encoded(input));
            }
            Bytes apart(operands[2].size());
            Bytes workspace(way->workspaceBytes + 64);
            void const* in[] = {operands[0].data(), operands[1].data(), operands[2].data()};
            void* out[] = {onePlace ? operands[2].data() : apart.data()};
            target::Launch const launch = instance->launch();
            ASSERT_EQ(launch.run(launch.state, {in, out, workspace.data()}, nullptr), 0);
            Values got = test.output;
            got.data = decoded(test.output, onePlace ? operands[2] : apart);
            expectNear(got, test.expected, {4 * roundingOf(type) + 1e-5, 4 * roundingOf(type)});
        }
    }
}

TEST_F(OnednnOverwriting, OnlyTermsOfTheWholeOutput) {
    Residual const test;
    EXPECT_TRUE(test.over(2).has_value());
    EXPECT_FALSE(test.over(0).has_value());
    EXPECT_FALSE(test.over(1).has_value());
    EXPECT_FALSE(test.over(3).has_value());
    EXPECT_FALSE(Residual(DataType::kFLOAT, makeDims({1, 40})).over(2).has_value());
    EXPECT_FALSE(Residual(DataType::kFLOAT, makeDims({5, 40}), ElementWiseOperation::kPROD)
                     .over(2)
                     .has_value());
}

TEST_F(OnednnOverwriting, HostileRecipes) {
    Residual test;
    Bytes const code = test.over(2).value().code;
    for (int32_t const input : {0, 1, 3, 1 << 30, -1, -7}) {
        test.record.code = code;
        std::memcpy(test.record.code.data() + code.size() - sizeof(input), &input, sizeof(input));
        std::string problem = "none";
        try {
            static_cast<void>(
                test.instance(*cpu().load(test.record, std::vector<target::ConstantOperand>(3))));
        } catch (Error const& error) {
            problem = error.what();
        }
        EXPECT_THAT(problem, HasSubstr(input < 0 ? "none" : "whose memory the output takes"));
    }
}

} // namespace
} // namespace kiln::test
