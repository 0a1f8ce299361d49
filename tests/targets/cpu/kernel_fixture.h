// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graph/op.h"
#include "target/backend.h"

namespace kiln::test {

/// A tensor for kernel tests: values as doubles, rounded to what the element type can hold.
struct Values {
    DataType type = DataType::kFLOAT;
    Dims dims{};
    std::vector<double> data;
    bool constant = false; ///< known when the kernel is loaded, as weights are
    /// Of the kernel's operand: linear or channels-last. `data` is always row-major.
    TensorFormat format = TensorFormat::kLINEAR;

    /// Row-major index.
    double at(std::initializer_list<int64_t> index) const;
    bool isAbsent() const noexcept { return dims.nbDims < 0; }
};

/// The nearest value that `type` can hold.
double rounded(DataType type, double value);

Values tensorOf(DataType type, Dims const& dims, std::vector<double> data);
/// Varied, reproducible values in [low, high); whole numbers for integer types.
Values randomTensor(DataType type, Dims const& dims, double low = -2.0, double high = 2.0);
Values asConstant(Values values);
Values inFormat(TensorFormat format, Values values);
inline Values inFormat(Values values, TensorFormat format) {
    return inFormat(format, std::move(values));
}
/// An operand that is not there.
Values absentOperand();

/// Converts between values and elements in memory.
Bytes encoded(Values const& values);
std::vector<double> decoded(Values const& like, ByteView bytes);

/// What one kernel computed.
struct KernelRun {
    std::string kernel;
    Values output;              ///< the first one
    std::vector<Values> others; ///< further outputs
};

/// The types and shapes that the op infers for these inputs, in the format of the first input.
std::vector<Values> inferredOutputs(graph::Op const& op, std::vector<Values> const& inputs);
Values inferredOutput(graph::Op const& op, std::vector<Values> const& inputs);

target::KernelRecord recordOf(graph::Op const& op, std::string const& kernel,
                              std::span<Values const> inputs, std::span<Values const> outputs);
std::vector<target::OperandSpec> specsOf(std::span<Values const> tensors);

/// Runs every kernel that the cpu target offers for the op, each loaded from its record as for a
/// plan, with the constants packed that it wants packed. Guard bytes behind the buffers are
/// checked. Each launch is repeated at other addresses.
std::vector<KernelRun> runAll(graph::Op const& op, std::vector<Values> const& inputs,
                              std::optional<TensorFormat> outputFormat = std::nullopt);

/// All candidates, refused ones included.
std::vector<target::Candidate> candidatesFor(
    graph::Op const& op, std::vector<Values> const& inputs,
    std::optional<TensorFormat> outputFormat = std::nullopt);

/// Compares every kernel's output with `expected(i)` for each element i, to within
/// absolute + relative * |expected|. NaN equals NaN.
struct Tolerance {
    double absolute = 0.0;
    double relative = 0.0;
};
void expectAll(graph::Op const& op, std::vector<Values> const& inputs,
               std::function<double(std::vector<int64_t> const& index)> const& expected,
               Tolerance tolerance, std::optional<TensorFormat> outputFormat = std::nullopt);

/// Relative error of one rounding to the type: half a unit in the last place.
double roundingOf(DataType type);

} // namespace kiln::test
