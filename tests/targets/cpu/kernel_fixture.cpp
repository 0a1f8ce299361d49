// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/kernel_fixture.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "base/bfloat16.h"
#include "base/tensor_layout.h"
#include "target/backend_registry.h"

namespace kiln::test {
namespace {

constexpr std::size_t kGuardBytes = 64;
constexpr auto kGuard = std::byte{0xA5};

/// Calls f with a value of the C++ type; bool is one byte.
template <typename F>
void withType(DataType type, F&& f) {
    switch (type) {
    case DataType::kFLOAT: return f(float{});
    case DataType::kHALF: return f(Half{});
    case DataType::kBF16: return f(BFloat16{});
    case DataType::kINT4: // encoded() packs them
    case DataType::kINT8: return f(int8_t{});
    case DataType::kUINT8: return f(uint8_t{});
    case DataType::kBOOL: return f(uint8_t{});
    case DataType::kINT32: return f(int32_t{});
    case DataType::kINT64: return f(int64_t{});
    default: FAIL() << "the tests know no values of " << nameOf(type);
    }
}

template <typename T>
T encode(double value) {
    if constexpr (std::is_integral_v<T> || std::is_same_v<T, float>) {
        return static_cast<T>(value);
    } else {
        return T(static_cast<float>(value));
    }
}

template <typename T>
double decode(T value) {
    if constexpr (std::is_integral_v<T> || std::is_same_v<T, float>) {
        return static_cast<double>(value);
    } else {
        return static_cast<double>(static_cast<float>(value));
    }
}

/// Memory of exactly the tensor's size, followed by guard bytes.
class Buffer {
public:
    explicit Buffer(std::size_t bytes) : bytes_(bytes), memory_(bytes + kGuardBytes, kGuard) {}
    explicit Buffer(Values const& values) : Buffer(bytesFor(values.type, size(values))) {
        std::ranges::copy(encoded(values), memory_.begin());
    }
    explicit Buffer(Bytes const& bytes) : Buffer(bytes.size()) {
        std::ranges::copy(bytes, memory_.begin());
    }
    std::size_t bytes() const { return bytes_; }
    static int64_t size(Values const& values) {
        return values.isAbsent() ? 0 : volume(values.dims, "test");
    }

    bool operator==(Buffer const& other) const { return memory_ == other.memory_; }

    void* data() { return memory_.data(); }
    bool guarded() const {
        for (std::size_t i = bytes_; i < memory_.size(); ++i) {
            if (memory_[i] != kGuard) {
                return false;
            }
        }
        return true;
    }
    std::vector<double> read(Values const& like) const {
        return decoded(like, ByteView(memory_).first(bytes_));
    }

private:
    std::size_t bytes_;
    std::vector<std::byte> memory_;
};

target::Backend& cpu() {
    return target::BackendRegistry::instance().open("cpu");
}

std::vector<Dims> dimsOf(std::span<Values const> tensors) {
    std::vector<Dims> dims;
    for (Values const& tensor : tensors) {
        dims.push_back(tensor.dims);
    }
    return dims;
}

/// The data of each output.
std::vector<std::vector<double>> launchOnce(target::KernelInstance& instance,
                                            std::span<Values const> inputs,
                                            std::span<Values const> outputs,
                                            std::vector<Buffer>& constants,
                                            std::string const& kernel) {
    std::vector<Buffer> buffers;
    std::vector<void const*> pointers;
    for (Values const& input : inputs) {
        buffers.emplace_back(input);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        pointers.push_back(inputs[i].isAbsent() ? nullptr
                           : inputs[i].constant ? constants[i].data()
                                                : buffers[i].data());
    }
    std::vector<Buffer> results;
    std::vector<void*> resultPointers;
    for (Values const& output : outputs) {
        results.emplace_back(bytesFor(output.type, Buffer::size(output)));
    }
    for (Buffer& result : results) {
        resultPointers.push_back(result.data());
    }
    Buffer workspace(instance.workspaceBytes(dimsOf(inputs), dimsOf(outputs)));
    target::Launch const launch = instance.launch();
    int32_t const status = launch.run(
        launch.state, {pointers.data(), resultPointers.data(), workspace.data()}, nullptr);
    EXPECT_EQ(status, 0) << kernel << ": " << instance.failureText();
    EXPECT_TRUE(workspace.guarded()) << kernel << " wrote behind its workspace";
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        EXPECT_TRUE(buffers[i] == Buffer(inputs[i])) << kernel << " wrote to input " << i;
    }
    std::vector<std::vector<double>> data;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        EXPECT_TRUE(results[i].guarded()) << kernel << " wrote behind output " << i;
        data.push_back(results[i].read(outputs[i]));
    }
    return data;
}

/// The row-major numbers of the elements, in their order in memory.
std::vector<std::size_t> memoryOrder(Values const& values, std::size_t count) {
    std::vector<std::size_t> order(count);
    Dims const strides = stridesOf(values.format, values.dims);
    for (std::size_t i = 0; i < count; ++i) {
        auto rest = static_cast<int64_t>(i);
        int64_t offset = 0;
        for (int32_t axis = values.dims.nbDims - 1; axis >= 0; --axis) {
            offset += rest % values.dims.d[axis] * strides.d[axis];
            rest /= values.dims.d[axis];
        }
        order.at(static_cast<std::size_t>(offset)) = i;
    }
    return order;
}

bool near(double got, double expected, Tolerance tolerance) {
    if (std::isnan(expected) || std::isinf(expected)) {
        return std::isnan(expected) ? std::isnan(got) : got == expected;
    }
    return std::abs(got - expected) <= tolerance.absolute + tolerance.relative * std::abs(expected);
}

} // namespace

std::vector<target::OperandSpec> specsOf(std::span<Values const> tensors) {
    std::vector<target::OperandSpec> specs;
    for (Values const& tensor : tensors) {
        specs.push_back({{tensor.type, tensor.format},
                         tensor.dims,
                         tensor.dims,
                         tensor.dims,
                         tensor.constant,
                         {},
                         nullptr});
    }
    return specs;
}

target::KernelRecord recordOf(graph::Op const& op, std::string const& kernel,
                              std::span<Values const> inputs, std::span<Values const> outputs) {
    ByteWriter writer;
    op.save(writer);
    target::KernelRecord record{kernel, std::string(op.kind()), writer.take(), {}, {}, {}};
    for (Values const& input : inputs) {
        record.inputs.push_back({input.type, input.format});
    }
    for (Values const& output : outputs) {
        record.outputs.push_back({output.type, output.format});
    }
    return record;
}

double Values::at(std::initializer_list<int64_t> index) const {
    int64_t offset = 0;
    int32_t axis = 0;
    for (int64_t const i : index) {
        offset = offset * dims.d[axis++] + i;
    }
    return data.at(static_cast<std::size_t>(offset));
}

double rounded(DataType type, double value) {
    double result = value;
    withType(type, [&](auto sample) { result = decode(encode<decltype(sample)>(value)); });
    return result;
}

Bytes encoded(Values const& values) {
    Bytes bytes(bytesFor(values.type, static_cast<int64_t>(values.data.size())));
    std::vector<std::size_t> const order = memoryOrder(values, values.data.size());
    for (std::size_t i = 0; values.type == DataType::kINT4 && i < values.data.size(); ++i) {
        auto const number = static_cast<uint8_t>(encode<int8_t>(values.data[order[i]]) & 15);
        bytes[i / 2] |= static_cast<std::byte>(number << i % 2 * 4);
    }
    withType(values.type, [&](auto sample) {
        for (std::size_t i = 0; values.type != DataType::kINT4 && i < values.data.size(); ++i) {
            auto const element = encode<decltype(sample)>(values.data[order[i]]);
            std::memcpy(bytes.data() + i * sizeof(element), &element, sizeof(element));
        }
    });
    return bytes;
}

std::vector<double> decoded(Values const& like, ByteView bytes) {
    std::vector<double> values;
    withType(like.type, [&](auto element) {
        std::vector<std::size_t> const order = memoryOrder(like, bytes.size() / sizeof(element));
        values.resize(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            std::memcpy(&element, bytes.data() + i * sizeof(element), sizeof(element));
            values[order[i]] = decode(element);
        }
    });
    return values;
}

Values tensorOf(DataType type, Dims const& dims, std::vector<double> data) {
    for (double& value : data) {
        value = rounded(type, value);
    }
    Values tensor;
    tensor.type = type;
    tensor.dims = dims;
    tensor.data = std::move(data);
    EXPECT_EQ(static_cast<std::size_t>(Buffer::size(tensor)), tensor.data.size());
    return tensor;
}

Values randomTensor(DataType type, Dims const& dims, double low, double high) {
    static std::mt19937 engine(20260101);
    std::uniform_real_distribution<double> pick(low, high);
    std::vector<double> data(static_cast<std::size_t>(volume(dims, "test")));
    for (double& value : data) {
        value = pick(engine);
        value = type == DataType::kBOOL ? (value > (low + high) / 2 ? 1.0 : 0.0) : value;
    }
    return tensorOf(type, dims, std::move(data));
}

Values absentOperand() {
    return {target::kAbsentType.type, target::kAbsentDims, {}, false};
}

Values asConstant(Values values) {
    values.constant = true;
    return values;
}

Values inFormat(TensorFormat format, Values values) {
    values.format = format;
    return values;
}

std::vector<Values> inferredOutputs(graph::Op const& op, std::vector<Values> const& inputs) {
    graph::ExprPool pool;
    std::vector<graph::TensorFacts> facts;
    for (Values const& input : inputs) {
        facts.push_back({input.type, graph::constantShape(pool, input.dims)});
    }
    std::vector<graph::TensorFacts> inferred(static_cast<std::size_t>(op.outputCount()));
    graph::InferContext context{pool, "test", facts, inferred};
    op.infer(context);
    std::vector<Values> outputs;
    for (graph::TensorFacts const& output : inferred) {
        Values values;
        values.type = output.type;
        values.dims = graph::knownDims(pool, output.shape);
        values.format = inputs.empty() ? TensorFormat::kLINEAR : inputs.front().format;
        outputs.push_back(std::move(values));
    }
    return outputs;
}

Values inferredOutput(graph::Op const& op, std::vector<Values> const& inputs) {
    return inferredOutputs(op, inputs).front();
}

std::vector<target::Candidate> candidatesFor(graph::Op const& op, std::vector<Values> const& inputs,
                                             std::optional<TensorFormat> outputFormat) {
    std::vector<Values> outputs = inferredOutputs(op, inputs);
    for (Values& output : outputs) {
        output.format = outputFormat.value_or(output.format);
    }
    auto const in = specsOf(inputs);
    auto const out = specsOf(outputs);
    std::vector<target::Candidate> candidates = cpu().candidates({op, "test", in, out});
    for (target::Candidate& candidate : candidates) {
        candidate.compile = nullptr; // it refers to the operands of this function
    }
    return candidates;
}

std::vector<KernelRun> runAll(graph::Op const& op, std::vector<Values> const& inputs,
                              std::optional<TensorFormat> outputFormat) {
    std::vector<Values> outputs = inferredOutputs(op, inputs);
    for (Values& output : outputs) {
        output.format = outputFormat.value_or(output.format);
    }
    std::vector<Buffer> originals; // must outlive the kernels
    for (Values const& input : inputs) {
        originals.emplace_back(input);
    }
    std::vector<target::ConstantOperand> operands(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].constant) {
            operands[i] = {originals[i].data(), originals[i].data(),
                           bytesFor(inputs[i].type, Buffer::size(inputs[i])), inputs[i].dims};
        }
    }
    auto const in = specsOf(inputs);
    auto const out = specsOf(outputs);
    std::vector<KernelRun> runs;
    for (target::Candidate const& candidate : cpu().candidates({op, "test", in, out})) {
        if (!candidate.offered()) {
            continue;
        }
        target::KernelRecord record = recordOf(op, candidate.kernel, inputs, outputs);
        if (candidate.compile) {
            record.code = candidate.compile();
        }
        std::vector<Buffer> constants = originals;
        std::vector<target::ConstantOperand> given = operands;
        for (target::PackedOperand const& packed : cpu().packs(record)) {
            std::size_t const i = packed.operand;
            constants[i] = Buffer(cpu().pack(record, i, operands[i]));
            record.inputs[i].tag = packed.tag;
        }
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (inputs[i].constant) {
                given[i] = {constants[i].data(), constants[i].data(), constants[i].bytes(),
                            inputs[i].dims};
            }
        }
        auto const kernel = cpu().load(record, given);
        auto const instance = kernel->instantiate();
        instance->reshape(dimsOf(inputs), dimsOf(outputs));
        auto const data = launchOnce(*instance, inputs, outputs, constants, candidate.kernel);
        auto const again = launchOnce(*instance, inputs, outputs, constants, candidate.kernel);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            outputs[i].data = data[i];
            // Compared as bytes: a NaN must be the same NaN.
            EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(again[i])),
                                           std::as_bytes(std::span(data[i]))))
                << candidate.kernel << " computed something else at other addresses";
        }
        runs.push_back({candidate.kernel, outputs.front(), {outputs.begin() + 1, outputs.end()}});
    }
    return runs;
}

void expectAll(graph::Op const& op, std::vector<Values> const& inputs,
               std::function<double(std::vector<int64_t> const& index)> const& expected,
               Tolerance tolerance, std::optional<TensorFormat> outputFormat) {
    std::vector<KernelRun> const runs = runAll(op, inputs, outputFormat);
    ASSERT_FALSE(runs.empty()) << "no kernel was offered";
    for (KernelRun const& run : runs) {
        Dims const& dims = run.output.dims;
        std::vector<int64_t> index(static_cast<std::size_t>(dims.nbDims));
        for (std::size_t i = 0; i < run.output.data.size(); ++i) {
            auto rest = static_cast<int64_t>(i);
            for (int32_t axis = dims.nbDims - 1; axis >= 0; --axis) {
                index[static_cast<std::size_t>(axis)] = rest % dims.d[axis];
                rest /= dims.d[axis];
            }
            double const want = expected(index);
            ASSERT_TRUE(near(run.output.data[i], want, tolerance))
                << run.kernel << " of " << nameOf(run.output.type) << " " << toText(dims)
                << ", element " << i << ": expected " << want << ", got " << run.output.data[i];
        }
    }
}

double roundingOf(DataType type) {
    switch (type) {
    case DataType::kFLOAT: return 0x1p-24;
    case DataType::kHALF: return 0x1p-11;
    case DataType::kBF16: return 0x1p-8;
    default: return 0.0;
    }
}

} // namespace kiln::test
