// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/gpu_kernels_fixture.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "target/backend_registry.h"

namespace kiln::test {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kGuardBytes = 256;
constexpr auto kGuard = std::byte{0xA5};

target::Backend& backend() {
    return target::BackendRegistry::instance().open("cuda");
}

target::Device& cuda() {
    target::Device& device = *backend().device();
    device.enterThread();
    return device;
}

class GpuStream {
public:
    GpuStream() : handle(cuda().createStream()) {}
    ~GpuStream() { cuda().destroyStream(handle); }
    GpuStream(GpuStream const&) = delete;
    GpuStream& operator=(GpuStream const&) = delete;

    target::StreamHandle const handle;
};

/// GPU memory followed by guard bytes.
class GpuBuffer {
public:
    GpuBuffer(std::size_t bytes, std::size_t offset, GpuStream const& stream)
        : stream_(stream), bytes_(bytes), offset_(offset),
          memory_(static_cast<std::byte*>(
              cuda().allocate(offset + bytes + kGuardBytes, kAlignment, "a test"))) {
        cuda().fill(memory_, std::to_integer<uint8_t>(kGuard), offset + bytes + kGuardBytes,
                    stream.handle);
    }
    GpuBuffer(Bytes const& content, std::size_t offset, GpuStream const& stream)
        : GpuBuffer(content.size(), offset, stream) {
        cuda().copy(data(), content.data(), content.size(), target::CopyKind::kHostToDevice,
                    stream.handle);
        cuda().synchronize(stream.handle);
    }
    ~GpuBuffer() { cuda().release(memory_); }
    GpuBuffer(GpuBuffer const&) = delete;
    GpuBuffer& operator=(GpuBuffer const&) = delete;

    void* data() const { return memory_ + offset_; }
    Bytes read() const { return read(0, bytes_); }
    bool guarded() const {
        Bytes const behind = read(bytes_, kGuardBytes);
        return std::all_of(behind.begin(), behind.end(),
                           [](std::byte byte) { return byte == kGuard; });
    }

private:
    Bytes read(std::size_t first, std::size_t count) const {
        Bytes bytes(count);
        cuda().copy(bytes.data(), memory_ + offset_ + first, count, target::CopyKind::kDeviceToHost,
                    stream_.handle);
        cuda().synchronize(stream_.handle);
        return bytes;
    }

    GpuStream const& stream_;
    std::size_t bytes_;
    std::size_t offset_;
    std::byte* memory_;
};

/// Runs a kernel on these operands twice: launched on the stream, then in a graph.
Bytes launchTwice(target::KernelInstance& instance, std::vector<void const*> const& inputs,
                  GpuBuffer const& workspace, std::size_t bytes, std::size_t offset,
                  GpuStream const& stream, std::string const& kernel) {
    target::Launch const launch = instance.launch();
    Bytes results[2];
    for (bool const recorded : {false, true}) {
        GpuBuffer const output(bytes, offset, stream);
        void* const outputs[] = {output.data()};
        target::KernelCall const call{inputs.data(), outputs, workspace.data()};
        if (recorded) {
            cuda().synchronize(stream.handle);
            cuda().beginCapture(stream.handle);
        }
        EXPECT_EQ(launch.run(launch.state, call, stream.handle), 0)
            << kernel << ": " << instance.failureText();
        if (recorded) {
            target::GraphHandle const graph = cuda().endCapture(stream.handle);
            cuda().launchGraph(graph, stream.handle);
            cuda().synchronize(stream.handle);
            cuda().destroyGraph(graph);
        }
        results[recorded ? 1 : 0] = output.read();
        EXPECT_TRUE(output.guarded()) << kernel << " wrote behind its output";
        EXPECT_TRUE(workspace.guarded()) << kernel << " wrote behind its workspace";
    }
    EXPECT_TRUE(results[0] == results[1]) << kernel << " computed something else in a graph";
    return results[0];
}

/// Constants in the order that the kernel of `record` wants, as in a plan, in host memory; the
/// record gets their tags. By operand.
std::map<std::size_t, Bytes> packed(target::KernelRecord& record,
                                    std::span<target::ConstantOperand const> constants) {
    std::map<std::size_t, Bytes> all;
    for (target::PackedOperand const& own : backend().packs(record)) {
        all[own.operand] = backend().pack(record, own.operand, constants[own.operand]);
    }
    for (target::PackedOperand const& own : backend().packs(record)) {
        record.inputs[own.operand].tag = own.tag;
    }
    return all;
}

/// Loads a kernel as from a plan; null if it is not offered.
std::unique_ptr<target::Kernel> loaded(std::string const& name, graph::Op const& op,
                                       std::vector<Values> const& inputs, Values const& output) {
    auto const in = specsOf(inputs);
    auto const out = specsOf(std::span(&output, 1));
    for (target::Candidate const& candidate : backend().candidates({op, "test", in, out})) {
        if (candidate.offered() && candidate.kernel == name) {
            target::KernelRecord record = recordOf(op, name, inputs, std::span(&output, 1));
            if (candidate.compile) {
                record.code = candidate.compile();
            }
            std::vector<target::ConstantOperand> constants(inputs.size());
            std::vector<Bytes> contents(inputs.size());
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                contents[i] = encoded(inputs[i]);
                constants[i] = {contents[i].data(), nullptr, contents[i].size(), inputs[i].dims};
            }
            std::map<std::size_t, Bytes> const own = packed(record, constants);
            constants.assign(inputs.size(), {});
            for (auto const& [operand, bytes] : own) {
                constants[operand] = {bytes.data(), nullptr, bytes.size(), inputs[operand].dims};
            }
            return cuda().load(record, constants);
        }
    }
    return nullptr;
}

std::vector<Dims> dimsOf(std::vector<Values> const& tensors) {
    std::vector<Dims> dims;
    for (Values const& tensor : tensors) {
        dims.push_back(tensor.dims);
    }
    return dims;
}

/// Feature maps take the format; constants, which may be weights, and other ranks do not.
TensorFormat formatOf(Values const& values, TensorFormat format) {
    return values.dims.nbDims == 4 && !values.constant ? format : TensorFormat::kLINEAR;
}

} // namespace

std::vector<KernelRun> runAllOnGpu(graph::Op const& op, std::vector<Values> const& linear,
                                   int64_t offset, TensorFormat format) {
    std::vector<Values> inputs;
    for (Values const& input : linear) {
        inputs.push_back(inFormat(formatOf(input, format), input));
    }
    Values output = inferredOutput(op, inputs);
    output.format = formatOf(output, format);
    auto const offsetBytes = [&](DataType type) { return bytesFor(type, offset); };
    GpuStream const stream;
    std::vector<Dims> const dims = dimsOf(inputs);
    std::vector<std::unique_ptr<GpuBuffer>> buffers;
    std::vector<void const*> pointers;
    std::vector<Bytes> contents;
    for (Values const& input : inputs) {
        contents.push_back(encoded(input));
    }
    auto in = specsOf(inputs);
    auto const out = specsOf(std::span(&output, 1));
    std::vector<target::ConstantOperand> constants(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        buffers.push_back(
            std::make_unique<GpuBuffer>(contents[i], offsetBytes(inputs[i].type), stream));
        pointers.push_back(inputs[i].isAbsent() ? nullptr : buffers.back()->data());
        if (inputs[i].constant) {
            in[i].data = contents[i];
            constants[i] = {contents[i].data(), pointers.back(), contents[i].size(),
                            inputs[i].dims};
        }
    }
    std::vector<KernelRun> runs;
    for (target::Candidate const& candidate : backend().candidates({op, "test", in, out})) {
        if (!candidate.offered()) {
            continue;
        }
        target::KernelRecord record = recordOf(op, candidate.kernel, inputs, std::span(&output, 1));
        if (candidate.compile) {
            try {
                record.code = candidate.compile();
            } catch (Error const& error) {
                if (error.kind() != ErrorKind::kUnsupported) {
                    throw;
                }
                continue; // as if refused: a library does not take the shapes
            }
        }
        std::map<std::size_t, Bytes> const own = packed(record, constants);
        std::vector<target::ConstantOperand> loadedConstants = constants;
        std::vector<void const*> operands = pointers;
        std::vector<std::unique_ptr<GpuBuffer>> ownBuffers;
        for (auto const& [operand, bytes] : own) {
            ownBuffers.push_back(std::make_unique<GpuBuffer>(bytes, 0, stream));
            operands[operand] = ownBuffers.back()->data();
            loadedConstants[operand] = {bytes.data(), operands[operand], bytes.size(),
                                        inputs[operand].dims};
        }
        auto const kernel = cuda().load(record, loadedConstants);
        auto const instance = kernel->instantiate();
        std::span<Dims const> const outputDims(&output.dims, 1);
        GpuBuffer const workspace(instance->workspaceBytes(dims, outputDims), 0, stream);
        instance->reshape(dims, outputDims);
        std::size_t const bytes = bytesFor(output.type, volume(output.dims, "test"));
        output.data =
            decoded(output, launchTwice(*instance, operands, workspace, bytes,
                                        offsetBytes(output.type), stream, candidate.kernel));
        runs.push_back({candidate.kernel, output, {}});
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        EXPECT_TRUE(buffers[i]->read() == contents[i]) << "input " << i << " was written";
    }
    return runs;
}

std::string failureOf(std::string const& kernel, graph::Op const& op,
                      std::vector<Values> const& inputs, int64_t offset) {
    Values const output = inferredOutput(op, inputs);
    std::unique_ptr<target::Kernel> const made = loaded(kernel, op, inputs, output);
    if (made == nullptr) {
        return {};
    }
    auto const instance = made->instantiate();
    std::vector<Dims> const dims = dimsOf(inputs);
    std::span<Dims const> const outputDims(&output.dims, 1);
    instance->reshape(dims, outputDims);
    GpuStream const stream;
    std::vector<std::unique_ptr<GpuBuffer>> buffers;
    std::vector<void const*> pointers;
    for (Values const& input : inputs) {
        buffers.push_back(
            std::make_unique<GpuBuffer>(encoded(input), bytesFor(input.type, offset), stream));
        pointers.push_back(buffers.back()->data());
    }
    GpuBuffer const result(bytesFor(output.type, volume(output.dims, "test")), 0, stream);
    GpuBuffer const workspace(instance->workspaceBytes(dims, outputDims), 0, stream);
    void* const outputs[] = {result.data()};
    target::Launch const launch = instance->launch();
    target::KernelCall const call{pointers.data(), outputs, workspace.data()};
    int32_t const status = launch.run(launch.state, call, stream.handle);
    cuda().synchronize(stream.handle);
    return status == 0 ? std::string() : instance->failureText();
}

std::string refusalOf(std::string const& kernel, graph::Op const& op,
                      std::vector<Values> const& inputs) {
    Values const output = inferredOutput(op, inputs);
    std::unique_ptr<target::Kernel> const made = loaded(kernel, op, inputs, output);
    try {
        if (made != nullptr) {
            made->instantiate()->reshape(dimsOf(inputs), std::span(&output.dims, 1));
        }
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

std::vector<std::string> expectLikeCpu(graph::Op const& op, std::vector<Values> const& inputs,
                                       Tolerance tolerance, int64_t offset, TensorFormat format) {
    return expectValues(op, inputs, runAll(op, inputs).back().output.data, tolerance, offset,
                        format);
}

std::vector<std::string> expectValues(graph::Op const& op, std::vector<Values> const& inputs,
                                      std::vector<double> const& want, Tolerance tolerance,
                                      int64_t offset, TensorFormat format) {
    std::vector<std::string> names;
    for (KernelRun const& run : runAllOnGpu(op, inputs, offset, format)) {
        names.push_back(run.kernel);
        EXPECT_EQ(run.output.data.size(), want.size());
        for (std::size_t i = 0; i < std::min(want.size(), run.output.data.size()); ++i) {
            double const got = run.output.data[i];
            double const error = std::abs(got - want[i]);
            bool const both = std::isnan(want[i]) ? std::isnan(got) : got == want[i];
            if (!both && !(error <= tolerance.absolute + tolerance.relative * std::abs(want[i]))) {
                ADD_FAILURE() << run.kernel << " of " << nameOf(run.output.type) << " "
                              << toText(inputs[0].dims) << ", element " << i << ": expected "
                              << want[i] << ", got " << got;
                break;
            }
        }
    }
    EXPECT_FALSE(names.empty()) << "no kernel was offered";
    return names;
}

} // namespace kiln::test
