// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/debug_tensors.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

#include "failure.h"
#include "files.h"
#include "run/device.h"
#include "run/element.h"
#include "run/numpy_file.h"
#include "run/tensor_buffer.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::DataType;
using nvinfer1::Dims;

class Writer final : public nvinfer1::IDebugListener {
public:
    Writer(InferenceOptions const& options, Logger& logger) : options_(options), logger_(logger) {}

    bool processDebugTensor(void const* addr, nvinfer1::TensorLocation /*location*/, DataType type,
                            Dims const& shape, char const* name, cudaStream_t stream) override {
        try {
            std::vector<char> const copy = onHost(name, type, shape, addr, stream);
            write(name, type, shape, copy.empty() ? addr : copy.data());
            seen.insert(name);
            return true;
        } catch (std::exception const& failure) {
            logger_.error("{}", failure.what());
            return false;
        }
    }

    std::set<std::string> seen;

private:
    /// Copies a tensor from the device; empty if the host can read it in place.
    static std::vector<char> onHost(char const* name, DataType type, Dims const& dims,
                                    void const* data, cudaStream_t stream) {
        if (device().usesHostMemory()) {
            return {};
        }
        std::vector<char> copy(packedBytes(name, type, dims));
        checkDevice(
            device().copy(copy.data(), data, copy.size(), MemoryCopy::kDEVICE_TO_HOST, stream) &&
                device().synchronize(stream),
            "copy a debug tensor from the device");
        return copy;
    }

    void write(std::string const& name, DataType type, Dims const& dims, void const* data) const {
        size_t const bytes = packedBytes(name, type, dims);
        if (auto const file = options_.debugFiles.find(name); file != options_.debugFiles.end()) {
            writeWhole(file->second, data, bytes);
            logger_.info("Debug tensor {} ({} of {}) saved to {}", name, toText(dims), nameOf(type),
                         file->second);
        }
        for (std::string const& format : options_.debugFormats) {
            std::string const path = fileNameOf(name) + "." + (format == "numpy" ? "npy" : format);
            if (format == "raw") {
                writeWhole(path, data, bytes);
            } else if (format == "numpy") {
                std::string file = numpyHeader(type, dims);
                file.append(static_cast<char const*>(data), bytes);
                writeWhole(path, file.data(), file.size());
            } else {
                std::string const text = debugText(format, type, dims, data);
                writeWhole(path, text.data(), text.size());
            }
            logger_.info("Debug tensor {} ({} of {}) saved to {}", name, toText(dims), nameOf(type),
                         path);
        }
    }

    InferenceOptions const& options_;
    Logger& logger_;
};

void switchOn(nvinfer1::IExecutionContext& context, InferenceOptions const& options) {
    for (auto const& [name, file] : options.debugFiles) {
        if (!context.getEngine().isDebugTensor(name.c_str())) {
            fail("[run] --saveDebugTensors: '{}' is not a debug tensor of this engine. Build it "
                 "with --markDebug={}",
                 name, name);
        }
        context.setTensorDebugState(name.c_str(), true);
    }
    if (!options.debugFormats.empty()) {
        context.setAllTensorsDebugState(true);
        context.setUnfusedTensorsDebugState(true);
    }
}

} // namespace

void saveDebugTensors(nvinfer1::IExecutionContext& context, InferenceOptions const& options,
                      Logger& logger) {
    if (options.debugFiles.empty() && options.debugFormats.empty()) {
        return;
    }
    Writer writer(options, logger);
    if (!context.setDebugListener(&writer)) {
        fail("[run] the engine refused to hand out debug tensors; the lines above say why");
    }
    switchOn(context, options);
    bool const done = context.enqueueV3(nullptr);
    context.setAllTensorsDebugState(false);
    context.setUnfusedTensorsDebugState(false);
    context.setDebugListener(nullptr);
    if (!done) {
        fail("[run] the run that saves debug tensors failed; the lines above say why");
    }
    if (writer.seen.empty()) {
        logger.warning("No debug tensor was saved: the engine was built without --markDebug");
    }
}

std::string debugText(std::string const& format, DataType type, Dims const& dims,
                      void const* data) {
    size_t const count = elementCount(dims);
    if (format == "string") {
        std::string text;
        for (size_t i = 0; i < count; ++i) {
            text += elementText(type, data, i) + "\n";
        }
        return text;
    }
    double least = 0;
    double most = 0;
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        double const value = std::strtod(elementText(type, data, i).c_str(), nullptr);
        least = i == 0 ? value : std::min(least, value);
        most = i == 0 ? value : std::max(most, value);
        sum += value;
    }
    return fmt::format("shape {}, type {}, count {}, min {:g}, max {:g}, mean {:g}\n", toText(dims),
                       nameOf(type), count, least, most,
                       count > 0 ? sum / static_cast<double>(count) : 0.0);
}

} // namespace kiln::trtexec
