// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/calibration.h"

#include "failure.h"
#include "files.h"

namespace kiln::trtexec {
namespace {

constexpr float kMadeUp = 4.0F; ///< of normalised activations, few are larger

class CachedCalibrator final : public nvinfer1::IInt8EntropyCalibrator2 {
public:
    explicit CachedCalibrator(std::string cache) : cache_(std::move(cache)) {}

    int32_t getBatchSize() const noexcept override { return 1; }
    bool getBatch(void*[], char const*[], int32_t) noexcept override { return false; }
    void const* readCalibrationCache(size_t& length) noexcept override {
        length = cache_.size();
        return cache_.data();
    }
    void writeCalibrationCache(void const*, size_t) noexcept override {}

private:
    std::string cache_;
};

bool isQuantized(nvinfer1::INetworkDefinition const& network) {
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        nvinfer1::LayerType const type = network.getLayer(i)->getType();
        if (type == nvinfer1::LayerType::kQUANTIZE || type == nvinfer1::LayerType::kDEQUANTIZE ||
            type == nvinfer1::LayerType::kDYNAMIC_QUANTIZE) {
            return true;
        }
    }
    return false;
}

bool makeUpRange(nvinfer1::ITensor& tensor) {
    using nvinfer1::DataType;
    bool const real = tensor.getType() == DataType::kFLOAT || tensor.getType() == DataType::kHALF ||
                      tensor.getType() == DataType::kBF16;
    return real && !tensor.dynamicRangeIsSet() && tensor.setDynamicRange(-kMadeUp, kMadeUp);
}

} // namespace

std::unique_ptr<nvinfer1::IInt8Calibrator> calibratorFor(BuildOptions const& build) {
    if (build.calibrationCache.empty()) {
        return nullptr;
    }
    std::string cache = readText("--calib", build.calibrationCache);
    if (cache.empty()) {
        fail("[build] --calib: expected a file with a calibration cache, got an empty file, '{}'",
             build.calibrationCache);
    }
    return std::make_unique<CachedCalibrator>(std::move(cache));
}

void makeUpRanges(nvinfer1::INetworkDefinition& network, BuildOptions const& build,
                  Logger& logger) {
    if (!build.int8 || build.stronglyTyped || !build.calibrationCache.empty() ||
        isQuantized(network)) {
        return;
    }
    int32_t count = 0;
    for (int32_t i = 0; i < network.getNbInputs(); ++i) {
        count += makeUpRange(*network.getInput(i)) ? 1 : 0;
    }
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        nvinfer1::ILayer const& layer = *network.getLayer(i);
        for (int32_t output = 0; output < layer.getNbOutputs(); ++output) {
            count += makeUpRange(*layer.getOutput(output)) ? 1 : 0;
        }
    }
    if (count > 0) {
        logger.warning("--int8: {} tensors have no range and no calibration cache was given, so "
                       "they got one from {} to {}. Times are right, results are not.",
                       count, -kMadeUp, kMadeUp);
    }
}

} // namespace kiln::trtexec
