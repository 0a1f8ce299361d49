// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/calibration.h"

#include "api/magnitude_histogram.h"
#include "compiler/cast_step.h"
#include "compiler/compile.h"
#include "target/device.h"
#include "target/handles.h"

namespace kiln::api {
namespace {

using Histograms = std::map<std::string, MagnitudeHistogram, std::less<>>;

/// Marks the tensors whose ranges are wanted as debug tensors while it exists.
class Marks {
public:
    explicit Marks(graph::Network& network) {
        network.inferAll();
        for (graph::Node* node : network.ordered()) {
            bool const constant = node->op->layerType() == nvinfer1::LayerType::kCONSTANT;
            for (graph::Tensor* tensor : node->outputs) {
                if (!constant && isFloating(tensor->facts.type)) {
                    before_.emplace_back(tensor, tensor->isDebug);
                    tensor->isDebug = true;
                }
            }
        }
    }
    ~Marks() {
        for (auto const& [tensor, debug] : before_) {
            tensor->isDebug = debug;
        }
    }
    Marks(Marks const&) = delete;
    Marks& operator=(Marks const&) = delete;

private:
    std::vector<std::pair<graph::Tensor*, bool>> before_;
};

/// Counts the elements of every tensor that it is shown.
class Counter final : public nvinfer1::IDebugListener {
public:
    Counter(target::Device& device, Histograms& histograms)
        : device_(device), histograms_(histograms) {}

    bool processDebugTensor(void const* data, nvinfer1::TensorLocation location, DataType type,
                            nvinfer1::Dims const& shape, char const* name,
                            cudaStream_t stream) override {
        if (!isFloating(type)) {
            return true;
        }
        int64_t const count = volume(shape, name);
        Bytes bytes(bytesFor(type, count));
        if (location == nvinfer1::TensorLocation::kDEVICE && !device_.isHost()) {
            auto* const handle = reinterpret_cast<target::StreamHandle>(stream);
            device_.copy(bytes.data(), data, bytes.size(), target::CopyKind::kDeviceToHost, handle);
            device_.synchronize(handle);
        } else if (!bytes.empty()) {
            std::memcpy(bytes.data(), data, bytes.size());
        }
        Bytes const floats = compiler::convertElements(bytes, type, DataType::kFLOAT);
        histograms_[name].add(
            {reinterpret_cast<float const*>(floats.data()), static_cast<std::size_t>(count)});
        return true;
    }

private:
    target::Device& device_;
    Histograms& histograms_;
};

/// The build of the network that is calibrated: as it is declared, for one set of shapes.
compiler::Options plainOptions(compiler::Options const& options, compiler::Profile const* profile) {
    compiler::Options plain = options;
    plain.allowHalf = plain.allowBfloat16 = plain.allowInt8 = false;
    plain.obeyPrecision = plain.preferPrecision = false;
    plain.directIo = plain.refit = plain.timingCacheOnly = false;
    plain.progress = nullptr;
    plain.libraries.clear();
    plain.sources.clear();
    if (profile != nullptr) {
        plain.profiles = {*profile};
    } else if (plain.profiles.size() > 1) {
        plain.profiles.resize(1);
    }
    return plain;
}

/// Runs the network with all batches of a calibrator.
class CalibrationRun {
public:
    CalibrationRun(std::unique_ptr<nvinfer1::ICudaEngine> engine, target::Device& device,
                   Histograms& histograms)
        : engine_(std::move(engine)), device_(device), stream_(device, device.createStream()),
          counter_(device, histograms) {
        if (engine_ == nullptr || (context_.reset(engine_->createExecutionContext()), !context_)) {
            fail(ErrorKind::kInternal,
                 "[calibration] the network could not be opened; see the message before.");
        }
        context_->setDebugListener(&counter_);
        context_->setAllTensorsDebugState(true);
    }
    ~CalibrationRun() {
        context_.reset();
        for (void* memory : outputs_) {
            device_.release(memory);
        }
    }
    CalibrationRun(CalibrationRun const&) = delete;
    CalibrationRun& operator=(CalibrationRun const&) = delete;

    /// Returns the number of batches.
    int64_t run(nvinfer1::IInt8Calibrator& calibrator, compiler::Options const& options) {
        std::vector<char const*> names;
        for (int32_t i = 0; i < engine_->getNbIOTensors(); ++i) {
            char const* const name = engine_->getIOTensorName(i);
            if (engine_->getTensorIOMode(name) == nvinfer1::TensorIOMode::kINPUT) {
                names.push_back(name);
                setShape(name, options);
            }
        }
        addOutputs();
        std::vector<void*> bindings(names.size(), nullptr);
        int64_t batches = 0;
        while (calibrator.getBatch(bindings.data(), names.data(),
                                   static_cast<int32_t>(names.size()))) {
            for (std::size_t i = 0; i < names.size(); ++i) {
                if (bindings[i] == nullptr) {
                    fail(ErrorKind::kInvalidArgument,
                         "[calibration] batch {}, input '{}': expected an address in device "
                         "memory, got null. Set it in getBatch().",
                         batches, names[i]);
                }
                show(names[i], bindings[i]);
            }
            auto* const stream = reinterpret_cast<cudaStream_t>(stream_.get());
            if (!context_->enqueueV3(stream)) {
                fail(ErrorKind::kInvalidState,
                     "[calibration] batch {} failed; see the message before.", batches);
            }
            device_.synchronize(stream_.get());
            ++batches;
        }
        return batches;
    }

private:
    void setShape(char const* name, compiler::Options const& options) {
        nvinfer1::Dims dims = engine_->getTensorShape(name);
        if (!options.profiles.empty()) {
            auto const found = options.profiles.front().shapes.find(name);
            dims = found == options.profiles.front().shapes.end() ? dims : found->second.opt;
        }
        if (!context_->setInputShape(name, dims)) {
            fail(ErrorKind::kInvalidArgument,
                 "[calibration] input '{}': expected the shape of a batch, got {}. Set a "
                 "calibration profile.",
                 name, toText(dims));
        }
    }

    void addOutputs() {
        for (int32_t i = 0; i < engine_->getNbIOTensors(); ++i) {
            char const* const name = engine_->getIOTensorName(i);
            if (engine_->getTensorIOMode(name) == nvinfer1::TensorIOMode::kINPUT) {
                continue;
            }
            auto const bytes =
                static_cast<std::size_t>(std::max<int64_t>(context_->getMaxOutputSize(name), 1));
            outputs_.push_back(device_.allocate(bytes, 256, "an output of a calibration"));
            context_->setTensorAddress(name, outputs_.back());
        }
    }

    /// Inputs are no debug tensors.
    void show(char const* name, void* address) {
        context_->setTensorAddress(name, address);
        counter_.processDebugTensor(
            address, engine_->getTensorLocation(name), engine_->getTensorDataType(name),
            context_->getTensorShape(name), name, reinterpret_cast<cudaStream_t>(stream_.get()));
    }

    std::unique_ptr<nvinfer1::ICudaEngine> engine_;
    target::Device& device_;
    target::OwnedStream stream_;
    Counter counter_;
    std::unique_ptr<nvinfer1::IExecutionContext> context_;
    std::vector<void*> outputs_;
};

nvinfer1::IInt8LegacyCalibrator* asLegacy(nvinfer1::IInt8Calibrator& calibrator) {
    return static_cast<int32_t>(calibrator.getAlgorithm()) == 0
               ? dynamic_cast<nvinfer1::IInt8LegacyCalibrator*>(&calibrator)
               : nullptr;
}

float rangeOf(MagnitudeHistogram const& histogram, nvinfer1::IInt8Calibrator& calibrator) {
    switch (static_cast<int32_t>(calibrator.getAlgorithm())) { // naming the members would warn
    case 1: return histogram.leastLoss(true);
    case 2: return histogram.leastLoss(false);
    case 3: return histogram.largest();
    default: break;
    }
    nvinfer1::IInt8LegacyCalibrator* const legacy = asLegacy(calibrator);
    return legacy == nullptr
               ? histogram.largest()
               : histogram.covering(legacy->getQuantile(), legacy->getRegressionCutoff());
}

constexpr std::string_view kHistogramMark = "Kiln histograms 1";

/// Those that a legacy calibrator kept; empty if there are none.
Histograms readHistograms(nvinfer1::IInt8LegacyCalibrator& calibrator) {
    std::size_t length = 0;
    void const* const data = calibrator.readHistogramCache(length);
    Histograms histograms;
    if (data == nullptr || length == 0) {
        return histograms;
    }
    ByteReader reader({static_cast<std::byte const*>(data), length}, "histogram cache");
    if (reader.getText() != kHistogramMark) {
        fail(ErrorKind::kCorruptData,
             "[calibration] histogram cache: expected one that Kiln wrote. Delete it to calibrate "
             "again.");
    }
    for (auto left = reader.get<uint32_t>(); left > 0; --left) {
        std::string const name = reader.getText();
        histograms.emplace(name, MagnitudeHistogram::load(reader));
    }
    return histograms;
}

void writeHistograms(nvinfer1::IInt8LegacyCalibrator& calibrator, Histograms const& histograms) {
    ByteWriter writer;
    writer.putText(kHistogramMark);
    writer.put(static_cast<uint32_t>(histograms.size()));
    for (auto const& [name, histogram] : histograms) {
        writer.putText(name);
        histogram.save(writer);
    }
    Bytes const bytes = writer.take();
    calibrator.writeHistogramCache(bytes.data(), bytes.size());
}

Histograms countAll(graph::Network& network, compiler::Options const& options,
                    compiler::Profile const* profile, nvinfer1::IInt8Calibrator& calibrator,
                    OpenPlan const& open) {
    if (options.device == nullptr) {
        fail(ErrorKind::kUnsupported,
             "[calibration] expected a device to run the network on, but there is none. Calibrate "
             "on another machine, and keep the cache.");
    }
    Histograms histograms;
    compiler::Options const plain = plainOptions(options, profile);
    Bytes plan;
    {
        Marks const marks(network);
        plan = compiler::compile(network, plain);
    }
    CalibrationRun run(std::unique_ptr<nvinfer1::ICudaEngine>(open(std::move(plan))),
                       *options.device, histograms);
    int64_t const batches = run.run(calibrator, plain);
    if (batches == 0) {
        fail(ErrorKind::kInvalidArgument,
             "[calibration] expected a batch or more from the calibrator, got none. Return true "
             "from getBatch(), or give a cache.");
    }
    options.log.info("[calibration] {}: {} batches, {} tensors.",
                     calibrationName(calibrator.getAlgorithm()), batches, histograms.size());
    return histograms;
}

} // namespace

Magnitudes calibrate(graph::Network& network, compiler::Options const& options,
                     compiler::Profile const* profile, nvinfer1::IInt8Calibrator& calibrator,
                     OpenPlan const& open) {
    std::size_t length = 0;
    void const* const cache = calibrator.readCalibrationCache(length);
    if (cache != nullptr && length > 0) {
        auto known = readCalibrationCache(calibrator.getAlgorithm(),
                                          {static_cast<char const*>(cache), length});
        if (known.has_value()) {
            return *std::move(known);
        }
        options.log.warning("[calibration] the cache is of another algorithm than {}, so it is "
                            "not used.",
                            calibrationName(calibrator.getAlgorithm()));
    }
    nvinfer1::IInt8LegacyCalibrator* const legacy = asLegacy(calibrator);
    Histograms histograms = legacy == nullptr ? Histograms() : readHistograms(*legacy);
    if (histograms.empty()) {
        histograms = countAll(network, options, profile, calibrator, open);
        if (legacy != nullptr) {
            writeHistograms(*legacy, histograms);
        }
    }
    Magnitudes magnitudes;
    for (auto const& [name, histogram] : histograms) {
        magnitudes[name] = rangeOf(histogram, calibrator);
    }
    std::string const text = writeCalibrationCache(calibrator.getAlgorithm(), magnitudes);
    calibrator.writeCalibrationCache(text.data(), text.size());
    return magnitudes;
}

} // namespace kiln::api
