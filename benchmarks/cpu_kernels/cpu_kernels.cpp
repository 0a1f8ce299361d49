// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>

#include <fmt/core.h>

#include "base/parallel.h"
#include "base/tensor_layout.h"
#include "graph/ops/activation.h"
#include "graph/ops/attention.h"
#include "graph/ops/convolution.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/region.h"
#include "target/backend_registry.h"

namespace kiln {
namespace {

/// Seconds. With one thread, the time that it had a core, so that other programs matter less.
double now() {
    timespec time{};
    clock_gettime(threadCount() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

target::Backend& cpu() {
    return target::BackendRegistry::instance().open("cpu");
}

#if defined(__x86_64__)
typedef float Vector __attribute__((vector_size(64)));

/// 2 * 16 * 12 operations for each step; the accumulators stay in registers.
__attribute__((target("avx512f"), optimize("O3", "fp-contract=fast"))) float multiplyAdd(
    int64_t steps) {
    Vector sums[12];
    Vector factor;
    for (int i = 0; i < 16; ++i) {
        factor[i] = 0.5F;
    }
    for (Vector& sum : sums) {
        sum = factor;
    }
    for (int64_t step = 0; step < steps; ++step) {
        for (Vector& sum : sums) {
            sum = sum * factor + factor;
        }
    }
    float total = 0.0F;
    for (Vector const& sum : sums) {
        total += sum[0];
    }
    return total;
}

double peakGflops() {
    if (!__builtin_cpu_supports("avx512f")) {
        return 0.0;
    }
    constexpr int64_t kSteps = 2'000'000;
    int32_t const threads = threadCount();
    double best = 0.0;
    for (int run = 0; run < 10; ++run) {
        float volatile kept = 0.0F;
        double const start = now();
        parallelFor(threads, 1, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                kept = multiplyAdd(kSteps);
            }
        });
        double const seconds = now() - start;
        best = std::max(best, 2.0 * 16 * 12 * kSteps * threads / seconds / 1e9);
    }
    return best;
}
#else
double peakGflops() {
    return 0.0;
}
#endif

struct Layer {
    std::string name;
    std::unique_ptr<graph::Op> op;
    std::vector<Dims> inputs;
    Dims output{};
    double operations = 0.0;
    bool channelsLast = false;
};

using Memory = std::unique_ptr<void, decltype(&std::free)>;

Memory allocate(std::size_t bytes) {
    Memory memory(std::aligned_alloc(64, (bytes + 127) / 64 * 64), &std::free);
    std::memset(memory.get(), 0, bytes); // zeros are values of every type
    return memory;
}

struct Result {
    std::string kernel;
    double seconds = 0.0;
};

double timeOf(target::KernelInstance& instance, target::KernelCall const& call) {
    target::Launch const launch = instance.launch();
    auto const run = [&] {
        if (launch.run(launch.state, call, nullptr) != 0) {
            fmt::print("{}\n", instance.failureText());
            std::exit(1);
        }
    };
    run();
    double best = 1e9;
    double spent = 0.0;
    for (int i = 0; i < 200 && (spent < 0.3 || i < 5); ++i) {
        double const start = now();
        run();
        double const seconds = now() - start;
        best = std::min(best, seconds);
        spent += seconds;
    }
    return best;
}

/// Times each kernel that the target offers.
std::vector<Result> timeAll(Layer const& layer, DataType type) {
    TensorFormat const format = layer.channelsLast ? TensorFormat::kHWC : TensorFormat::kLINEAR;
    std::vector<target::OperandSpec> in;
    std::vector<Memory> buffers;
    std::vector<void const*> pointers;
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
        Dims const& dims = layer.inputs[i];
        bool const constant = i > 0;
        target::OperandSpec spec{
            {type, constant ? TensorFormat::kLINEAR : format}, dims, dims, dims, constant, {}};
        std::size_t const bytes = storageBytes(type, spec.type.format, dims, "benchmark");
        buffers.push_back(allocate(bytes));
        spec.data = {static_cast<std::byte const*>(buffers.back().get()), bytes};
        pointers.push_back(buffers.back().get());
        in.push_back(spec);
    }
    std::vector<target::OperandSpec> const out{
        {{type, format}, layer.output, layer.output, layer.output, false, {}}};
    Memory const output = allocate(storageBytes(type, format, layer.output, "benchmark"));
    std::vector<Result> results;
    for (target::Candidate const& candidate : cpu().candidates({*layer.op, "", in, out})) {
        if (!candidate.offered() || candidate.kernel.ends_with("_reference")) {
            if (!candidate.offered()) {
                fmt::print("{}: {}\n", candidate.kernel, candidate.refusal);
            }
            continue;
        }
        target::KernelRecord record{candidate.kernel, std::string(layer.op->kind()), {}, {}, {},
                                    {out[0].type}};
        ByteWriter writer;
        layer.op->save(writer);
        record.parameters = writer.take();
        record.code = candidate.compile ? candidate.compile() : Bytes();
        std::vector<target::ConstantOperand> constants;
        for (std::size_t i = 0; i < in.size(); ++i) {
            record.inputs.push_back(in[i].type);
            constants.push_back({in[i].constant ? pointers[i] : nullptr, pointers[i],
                                 in[i].data.size(), in[i].opt});
        }
        std::vector<Memory> kept;
        std::vector<void const*> given = pointers;
        for (target::PackedOperand const& packed : cpu().packs(record)) {
            Bytes const bytes = cpu().pack(record, packed.operand, constants[packed.operand]);
            kept.push_back(allocate(bytes.size()));
            std::memcpy(kept.back().get(), bytes.data(), bytes.size());
            given[packed.operand] = kept.back().get();
            constants[packed.operand].host = kept.back().get();
            constants[packed.operand].bytes = bytes.size();
            record.inputs[packed.operand].tag = packed.tag;
        }
        auto const kernel = cpu().load(record, constants);
        auto const instance = kernel->instantiate();
        instance->reshape(layer.inputs, std::span(&layer.output, 1));
        Memory const workspace =
            allocate(instance->workspaceBytes(layer.inputs, std::span(&layer.output, 1)));
        void* outputs[] = {output.get()};
        results.push_back(
            {candidate.kernel, timeOf(*instance, {given.data(), outputs, workspace.get()})});
    }
    return results;
}

std::unique_ptr<graph::Op> withBias(std::unique_ptr<graph::Op> anchor, bool relu) {
    auto region = std::make_unique<graph::Region>(3);
    int32_t value = region->add(std::move(anchor), {0, 1});
    value = region->add(std::make_unique<graph::ElementWise>(), {value, 2}); // a sum
    if (relu) {
        value = region->add(std::make_unique<graph::Activation>(), {value});
    }
    region->setResults({value});
    return region;
}

/// Channels, extent of the input, maps, size of the kernel, stride: the distinct convolutions of
/// ResNet-50 v1.5.
struct Shape {
    int64_t channels, extent, maps, size, stride;
};
constexpr Shape kResnet[] = {
    {3, 224, 64, 7, 2},     {64, 56, 64, 1, 1},    {64, 56, 64, 3, 1},    {64, 56, 256, 1, 1},
    {256, 56, 64, 1, 1},    {256, 56, 128, 1, 1},  {128, 56, 128, 3, 2},  {128, 28, 512, 1, 1},
    {256, 56, 512, 1, 2},   {512, 28, 128, 1, 1},  {128, 28, 128, 3, 1},  {512, 28, 256, 1, 1},
    {256, 28, 256, 3, 2},   {256, 14, 1024, 1, 1}, {512, 28, 1024, 1, 2}, {1024, 14, 256, 1, 1},
    {256, 14, 256, 3, 1},   {1024, 14, 512, 1, 1}, {512, 14, 512, 3, 2},  {512, 7, 2048, 1, 1},
    {1024, 14, 2048, 1, 2}, {2048, 7, 512, 1, 1},  {512, 7, 512, 3, 1},
};

std::vector<Layer> convolutions(int64_t batch, bool fused) {
    std::vector<Layer> layers;
    for (Shape const& s : kResnet) {
        auto op = std::make_unique<graph::Convolution>();
        op->maps = s.maps;
        op->window = graph::Window::ofSize(makeDims({s.size, s.size}));
        op->window.stride = makeDims({s.stride, s.stride});
        op->window.prePadding = op->window.postPadding = makeDims({s.size / 2, s.size / 2});
        int64_t const extent = (s.extent - 1) / s.stride + 1;
        Layer layer;
        layer.name = fmt::format("{}x{}x{} -> {}, {}x{}/{}", s.channels, s.extent, s.extent, s.maps,
                                 s.size, s.size, s.stride);
        layer.inputs = {makeDims({batch, s.channels, s.extent, s.extent}),
                        makeDims({s.maps, s.channels, s.size, s.size})};
        if (fused) {
            layer.inputs.push_back(makeDims({1, s.maps, 1, 1}));
            layer.op = withBias(std::move(op), true);
        } else {
            layer.op = std::move(op);
        }
        layer.channelsLast = fused;
        layer.output = makeDims({batch, s.maps, extent, extent});
        layer.operations = 2.0 * static_cast<double>(batch * s.maps * extent * extent) *
                           static_cast<double>(s.channels * s.size * s.size);
        layers.push_back(std::move(layer));
    }
    return layers;
}

std::vector<Layer> products(int64_t batch, bool fused) {
    constexpr int64_t kTokens = 128;
    std::vector<Layer> layers;
    auto const add = [&](int64_t inner, int64_t columns) {
        Layer layer;
        layer.name = fmt::format("{}x{}x{} times {}", batch, kTokens, inner, columns);
        layer.inputs = {makeDims({batch, kTokens, inner}), makeDims({1, inner, columns})};
        auto op = std::make_unique<graph::MatrixMultiply>();
        if (fused) {
            layer.inputs.push_back(makeDims({1, 1, columns}));
            layer.op = withBias(std::move(op), false);
        } else {
            layer.op = std::move(op);
        }
        layer.output = makeDims({batch, kTokens, columns});
        layer.operations = 2.0 * static_cast<double>(batch * kTokens * columns * inner);
        layers.push_back(std::move(layer));
    };
    add(768, 768);
    add(768, 2304);
    add(768, 3072);
    add(3072, 768);
    return layers;
}

/// The attentions of BERT base, the encoder of Whisper "base", and GPT-2 that decodes one token.
std::vector<Layer> attentions(int64_t batch) {
    std::vector<Layer> layers;
    auto const add = [&](std::string_view name, int64_t heads, int64_t queries, int64_t keys) {
        constexpr int64_t kSize = 64;
        auto op = std::make_unique<graph::Attention>();
        op->heads = op->keyHeads = heads;
        op->size = op->valueSize = kSize;
        // As the products of the projections leave them, or in a cache of keys and values.
        using Layout = graph::Attention::Layout;
        Layout const layout = queries > 1 ? Layout::kLengthFirst : Layout::kHeadsFirst;
        op->layouts = {layout, layout, layout, layout};
        Layer layer;
        layer.name = fmt::format("{}: {}x{} to {}", name, heads, queries, keys);
        auto const dimsFor = [&](int64_t length) {
            return queries > 1 ? makeDims({batch, length, heads, kSize})
                               : makeDims({batch, heads, length, kSize});
        };
        layer.inputs = {dimsFor(queries), dimsFor(keys), dimsFor(keys)};
        layer.output = layer.inputs[0];
        layer.operations = 4.0 * static_cast<double>(batch * heads * queries * keys * kSize);
        layer.op = std::move(op);
        layers.push_back(std::move(layer));
    };
    add("BERT", 12, 128, 128);
    add("Whisper", 8, 1500, 1500);
    add("GPT-2", 12, 1, 513);
    return layers;
}

std::vector<Layer> layersOf(std::string_view what, int64_t batch, bool fused) {
    if (what == "attention") {
        return attentions(batch);
    }
    return what == "conv" ? convolutions(batch, fused) : products(batch, fused);
}

int run(int count, char** words) {
    std::string const what = count > 1 ? words[1] : "conv";
    std::string const name = count > 2 ? words[2] : "float";
    int64_t const batch = count > 3 ? std::atoll(words[3]) : 1;
    DataType const type = name == "bf16"   ? DataType::kBF16
                          : name == "half" ? DataType::kHALF
                                           : DataType::kFLOAT;
    double const peak = peakGflops();
    fmt::print("{} threads, float32 peak {:.0f} GFLOP/s, {}, batch {}\n", threadCount(), peak, name,
               batch);
    for (bool const fused : {true, false}) {
        double seconds = 0.0;
        double operations = 0.0;
        if (fused && what == "attention") {
            continue;
        }
        for (Layer const& layer : layersOf(what, batch, fused)) {
            double best = 1e9;
            for (Result const& result : timeAll(layer, type)) {
                double const gflops = layer.operations / result.seconds / 1e9;
                best = std::min(best, result.seconds);
                fmt::print("{:32} {:24} {:9.1f} us {:8.1f} GFLOP/s {:6.1f} %\n", layer.name,
                           result.kernel, result.seconds * 1e6, gflops, gflops / peak * 100);
            }
            seconds += best;
            operations += layer.operations;
        }
        fmt::print("{} all: {:.2f} ms, {:.1f} GFLOP/s, {:.1f} % of the peak\n",
                   fused ? "fused" : "alone", seconds * 1e3, operations / seconds / 1e9,
                   operations / seconds / 1e9 / peak * 100);
    }
    return 0;
}

} // namespace
} // namespace kiln

int main(int count, char** words) {
    return kiln::run(count, words);
}
