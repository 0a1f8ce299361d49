// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The cache of a calibration, which users keep in a file: a line with version and algorithm,
// "TRT-101600-EntropyCalibration2", then a line for each tensor, "conv1: 3c010a14", where the
// number is the scale (largest magnitude / 127) as the bits of a float. TensorRT writes the same.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <NvInfer.h>

namespace kiln::api {

/// Largest magnitudes, by tensor.
using Magnitudes = std::map<std::string, float, std::less<>>;

/// "EntropyCalibration2".
char const* calibrationName(nvinfer1::CalibrationAlgoType algorithm) noexcept;

std::string writeCalibrationCache(nvinfer1::CalibrationAlgoType algorithm,
                                  Magnitudes const& magnitudes);

/// Empty if the text is no cache of this algorithm. Throws kCorruptData for a line that is not of
/// the form above.
std::optional<Magnitudes> readCalibrationCache(nvinfer1::CalibrationAlgoType algorithm,
                                               std::string_view text);

} // namespace kiln::api
