// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/onednn/onednn_fixture.h"

#include "target/backend_registry.h"

namespace kiln::test {

void Onednn::SetUp() {
    auto const libraries = target::BackendRegistry::instance().open("cpu").libraries();
    ASSERT_EQ(libraries.size(), 1U);
    EXPECT_EQ(libraries[0].name, "oneDNN");
    if (!libraries[0].problem.empty()) {
        GTEST_SKIP() << libraries[0].problem;
    }
    EXPECT_EQ(libraries[0].version, "3.2.0");
}

bool hasBfloat16() {
    return __builtin_cpu_supports("avx512bw") != 0;
}

std::vector<DataType> typesOfProcessor() {
    return hasBfloat16() ? std::vector{DataType::kFLOAT, DataType::kBF16}
                         : std::vector{DataType::kFLOAT};
}

std::vector<double> plainConvolution(graph::Convolution const& op, Values const& x,
                                     Values const& kernel, Dims const& output) {
    int32_t const axes = op.window.size.nbDims;
    int64_t const taps = op.window.area();
    int64_t const channels = kernel.dims.d[1];
    int64_t plane = 1;
    int64_t inputPlane = 1;
    for (int32_t i = 0; i < axes; ++i) {
        plane *= output.d[2 + i];
        inputPlane *= x.dims.d[2 + i];
    }
    std::vector<double> result;
    for (int64_t row = 0; row < output.d[0] * op.maps; ++row) {
        int64_t const map = row % op.maps;
        int64_t const image = row / op.maps;
        int64_t const first = map / (op.maps / op.groups) * channels;
        for (int64_t pixel = 0; pixel < plane; ++pixel) {
            double sum = 0.0;
            for (int64_t tap = 0; tap < taps; ++tap) {
                int64_t restPixel = pixel;
                int64_t restTap = tap;
                int64_t place = 0;
                int64_t step = 1;
                bool inside = true;
                for (int32_t i = axes - 1; i >= 0; --i) {
                    int64_t const at = restPixel % output.d[2 + i] * op.window.stride.d[i] -
                                       op.window.prePadding.d[i] +
                                       restTap % op.window.size.d[i] * op.window.dilation.d[i];
                    inside = inside && at >= 0 && at < x.dims.d[2 + i];
                    place += at * step;
                    step *= x.dims.d[2 + i];
                    restPixel /= output.d[2 + i];
                    restTap /= op.window.size.d[i];
                }
                for (int64_t c = 0; inside && c < channels; ++c) {
                    int64_t const from = (image * x.dims.d[1] + first + c) * inputPlane + place;
                    sum += x.data[static_cast<std::size_t>(from)] *
                           kernel.data[static_cast<std::size_t>((map * channels + c) * taps + tap)];
                }
            }
            result.push_back(sum);
        }
    }
    return result;
}

target::Candidate onednnFor(graph::Op const& op, std::vector<Values> const& inputs,
                            TensorFormat outputFormat) {
    for (target::Candidate const& candidate : candidatesFor(op, inputs, outputFormat)) {
        if (candidate.kernel.ends_with("_onednn")) {
            return candidate;
        }
    }
    ADD_FAILURE() << "no kernel of oneDNN for " << op.kind();
    return {};
}

Values runOnednn(graph::Op const& op, std::vector<Values> const& inputs,
                 TensorFormat outputFormat) {
    for (KernelRun const& run : runAll(op, inputs, outputFormat)) {
        if (run.kernel.ends_with("_onednn")) {
            return run.output;
        }
    }
    ADD_FAILURE() << "oneDNN refuses: " << onednnFor(op, inputs, outputFormat).refusal;
    return {};
}

void expectNear(Values const& got, std::vector<double> const& expected, Tolerance tolerance) {
    ASSERT_EQ(got.data.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(got.data[i], expected[i],
                    tolerance.absolute + tolerance.relative * std::abs(expected[i]))
            << nameOf(got.type) << " " << nameOf(got.format) << ", element " << i;
    }
}

} // namespace kiln::test
