// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/optimization_profile.h"

namespace kiln::api {
namespace {

Dims& corner(compiler::InputRange& range, nvinfer1::OptProfileSelector select) {
    switch (select) {
    case nvinfer1::OptProfileSelector::kMIN: return range.min;
    case nvinfer1::OptProfileSelector::kOPT: return range.opt;
    case nvinfer1::OptProfileSelector::kMAX: return range.max;
    }
    fail(ErrorKind::kInvalidArgument,
         "[profile] selector: expected kMIN, kOPT or kMAX, got {}. Use an OptProfileSelector "
         "member.",
         static_cast<int32_t>(select));
}

} // namespace

bool OptimizationProfile::setDimensions(char const* inputName, nvinfer1::OptProfileSelector select,
                                        nvinfer1::Dims const& dims) noexcept {
    return reporter_.guard(false, [&] {
        if (inputName == nullptr || *inputName == '\0') {
            fail(ErrorKind::kInvalidArgument,
                 "[profile] setDimensions: expected the name of an input, got none.");
        }
        checkDims(dims, 0, fmt::format("profile shape of input '{}'", inputName));
        corner(ranges_[inputName], select) = dims;
        return true;
    });
}

nvinfer1::Dims OptimizationProfile::getDimensions(
    char const* inputName, nvinfer1::OptProfileSelector select) const noexcept {
    return reporter_.guard(nvinfer1::Dims{-1, {}}, [&] {
        auto const found = ranges_.find(inputName == nullptr ? "" : inputName);
        if (found == ranges_.end()) {
            return nvinfer1::Dims{-1, {}};
        }
        compiler::InputRange range = found->second;
        return corner(range, select);
    });
}

int32_t OptimizationProfile::getNbShapeValues(char const*) const noexcept {
    return -1; // no shape tensors yet
}

bool OptimizationProfile::setExtraMemoryTarget(float target) noexcept {
    bool const valid = target >= 0.0F && target <= 1.0F;
    if (valid) {
        extraMemoryTarget_ = target;
    }
    return valid;
}

bool OptimizationProfile::isValid() const noexcept {
    for (auto const& [name, range] : ranges_) {
        bool valid = range.min.nbDims >= 0 && range.min.nbDims == range.opt.nbDims &&
                     range.min.nbDims == range.max.nbDims;
        for (int32_t i = 0; valid && i < range.min.nbDims; ++i) {
            valid = range.min.d[i] <= range.opt.d[i] && range.opt.d[i] <= range.max.d[i];
        }
        if (!valid) {
            return false;
        }
    }
    return true;
}

bool OptimizationProfile::setShapeValuesV2(char const*, nvinfer1::OptProfileSelector,
                                           int64_t const*, int32_t) noexcept {
    reporter_.refuse("IOptimizationProfile::setShapeValuesV2");
    return false;
}

int64_t const* OptimizationProfile::getShapeValuesV2(char const*,
                                                     nvinfer1::OptProfileSelector) const noexcept {
    return nullptr;
}

bool OptimizationProfile::setShapeValues(char const*, nvinfer1::OptProfileSelector, int32_t const*,
                                         int32_t) noexcept {
    reporter_.refuse("IOptimizationProfile::setShapeValues");
    return false;
}

int32_t const* OptimizationProfile::getShapeValues(char const*,
                                                   nvinfer1::OptProfileSelector) const noexcept {
    return nullptr;
}

} // namespace kiln::api
