// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sources of INT8 calibration data.
#pragma once

#include "kiln/api/builder/quantization.h"
#include "kiln/api/versioned_interface.h"

#include <cstddef>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Source of INT8 calibration data: supplies batches of input data and stores the result in a
//! cache. Users derive from one of the classes below, one for each algorithm.
//!
//! A build of a weakly typed network with BuilderFlag::kINT8 reads the cache. Without one it runs
//! the network in float32 with all batches, computes the range of each tensor, and writes the
//! cache. Tensors with a range from ITensor::setDynamicRange() keep it.
class IInt8Calibrator : public IVersionedInterface {
public:
    //! Samples per batch. Usually 1, because networks have an explicit batch dimension.
    TRT_DEPRECATED virtual int32_t getBatchSize() const noexcept = 0;

    //! Supplies the next batch.
    //! \param bindings nbBindings addresses in device memory, to be filled in.
    //! \param names the inputs that the addresses are for.
    //! \return false when there are no more batches.
    virtual bool getBatch(void* bindings[], char const* names[], int32_t nbBindings) noexcept = 0;

    //! Returns the cache of an earlier calibration.
    //! \param length set to the number of bytes.
    //! \return the bytes, owned by the calibrator; null if there is no cache.
    virtual void const* readCalibrationCache(std::size_t& length) noexcept = 0;

    //! Stores the result of a calibration. \param ptr bytes, valid during the call only.
    virtual void writeCalibrationCache(void const* ptr, std::size_t length) noexcept = 0;

    //! The calibration algorithm.
    virtual CalibrationAlgoType getAlgorithm() noexcept = 0;

    ~IInt8Calibrator() noexcept override = default;
};

namespace v_1_0 {

//! Calibrates by minimal loss of information, before layers are fused.
class IInt8EntropyCalibrator : public IInt8Calibrator {
public:
    //! Name and version of this interface.
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IInt8EntropyCalibrator", 1, 0};
    }

    //! CalibrationAlgoType::kENTROPY_CALIBRATION.
    CalibrationAlgoType getAlgorithm() noexcept override {
        return static_cast<CalibrationAlgoType>(1); // naming it would warn
    }

    ~IInt8EntropyCalibrator() noexcept override = default;
};

//! Calibrates by minimal loss of information, one range for each tensor. The usual choice.
class IInt8EntropyCalibrator2 : public IInt8Calibrator {
public:
    //! Name and version of this interface.
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IInt8EntropyCalibrator2", 1, 0};
    }

    //! CalibrationAlgoType::kENTROPY_CALIBRATION_2.
    CalibrationAlgoType getAlgorithm() noexcept override {
        return static_cast<CalibrationAlgoType>(2); // naming it would warn
    }

    ~IInt8EntropyCalibrator2() noexcept override = default;
};

//! Calibrates by the smallest and the largest value of each tensor.
class IInt8MinMaxCalibrator : public IInt8Calibrator {
public:
    //! Name and version of this interface.
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IInt8MinMaxCalibrator", 1, 0};
    }

    //! CalibrationAlgoType::kMINMAX_CALIBRATION.
    CalibrationAlgoType getAlgorithm() noexcept override {
        return static_cast<CalibrationAlgoType>(3); // naming it would warn
    }

    ~IInt8MinMaxCalibrator() noexcept override = default;
};

//! Calibrates by a quantile and a cutoff that the user chooses.
class IInt8LegacyCalibrator : public IInt8Calibrator {
public:
    //! Name and version of this interface.
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IInt8Calibrator", 1, 0};
    }

    //! CalibrationAlgoType::kLEGACY_CALIBRATION.
    CalibrationAlgoType getAlgorithm() noexcept override {
        return static_cast<CalibrationAlgoType>(0); // naming it would warn
    }

    //! The quantile of the values that the range covers, 0 to 1.
    virtual double getQuantile() const noexcept = 0;

    //! The fraction of the largest value below which a range may not be cut, 0 to 1.
    virtual double getRegressionCutoff() const noexcept = 0;

    //! Returns the histograms of an earlier calibration. \param length set to the number of bytes.
    //! \return the bytes, owned by the calibrator; null if there are none.
    virtual void const* readHistogramCache(std::size_t& length) noexcept = 0;

    //! Stores the histograms. \param ptr bytes, valid during the call only.
    virtual void writeHistogramCache(void const* ptr, std::size_t length) noexcept = 0;

    ~IInt8LegacyCalibrator() noexcept override = default;
};

} // namespace v_1_0

using IInt8EntropyCalibrator = v_1_0::IInt8EntropyCalibrator;
using IInt8EntropyCalibrator2 = v_1_0::IInt8EntropyCalibrator2;
using IInt8MinMaxCalibrator = v_1_0::IInt8MinMaxCalibrator;
using IInt8LegacyCalibrator = v_1_0::IInt8LegacyCalibrator;

} // namespace nvinfer1

#pragma GCC visibility pop
