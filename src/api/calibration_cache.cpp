// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/calibration_cache.h"

#include <bit>
#include <charconv>

#include <fmt/core.h>

#include "base/error.h"

namespace kiln::api {
namespace {

constexpr float kMost = 127.0F;

std::string_view takeLine(std::string_view& text) {
    std::size_t const end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    while (!line.empty() && (line.back() == '\r' || line.back() == '\0')) {
        line.remove_suffix(1);
    }
    return line;
}

} // namespace

char const* calibrationName(nvinfer1::CalibrationAlgoType algorithm) noexcept {
    switch (static_cast<int32_t>(algorithm)) { // naming the members would warn
    case 0: return "LegacyCalibration";
    case 1: return "EntropyCalibration";
    case 2: return "EntropyCalibration2";
    case 3: return "MinMaxCalibration";
    default: return "unknown";
    }
}

std::string writeCalibrationCache(nvinfer1::CalibrationAlgoType algorithm,
                                  Magnitudes const& magnitudes) {
    std::string text = fmt::format("TRT-{}{:02}{:02}-{}\n", NV_TENSORRT_MAJOR, NV_TENSORRT_MINOR,
                                   NV_TENSORRT_PATCH, calibrationName(algorithm));
    for (auto const& [name, magnitude] : magnitudes) {
        text += fmt::format("{}: {:08x}\n", name, std::bit_cast<uint32_t>(magnitude / kMost));
    }
    return text;
}

std::optional<Magnitudes> readCalibrationCache(nvinfer1::CalibrationAlgoType algorithm,
                                               std::string_view text) {
    std::string_view const first = takeLine(text);
    std::size_t const dash = first.rfind('-');
    if (!first.starts_with("TRT-") || first.substr(dash + 1) != calibrationName(algorithm)) {
        return std::nullopt;
    }
    Magnitudes magnitudes;
    while (!text.empty()) {
        std::string_view const line = takeLine(text);
        if (line.empty()) {
            continue;
        }
        std::size_t const colon = line.rfind(": ");
        std::string_view const digits =
            colon == std::string_view::npos ? std::string_view() : line.substr(colon + 2);
        uint32_t bits = 0;
        auto const [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
        if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
            fail(ErrorKind::kCorruptData,
                 "[calibration] cache, line '{}': expected 'tensor: bits of its scale in "
                 "hexadecimal'. Delete the cache to calibrate again.",
                 line);
        }
        magnitudes[std::string(line.substr(0, colon))] = std::bit_cast<float>(bits) * kMost;
    }
    return magnitudes;
}

} // namespace kiln::api
