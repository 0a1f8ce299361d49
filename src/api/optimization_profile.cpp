// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/optimization_profile.h"

#include "api/narrow_values.h"
#include "base/text.h"

namespace kiln::api {
namespace {

template <typename Range>
auto& corner(Range& range, nvinfer1::OptProfileSelector select) {
    switch (select) {
    case nvinfer1::OptProfileSelector::kMIN: return range.min;
    case nvinfer1::OptProfileSelector::kOPT: return range.opt;
    case nvinfer1::OptProfileSelector::kMAX: return range.max;
    }
    fail(ErrorKind::kInvalidArgument,
         "[profile] selector: expected MIN, OPT or MAX of OptProfileSelector, got {}.",
         static_cast<int32_t>(select));
}

void checkValues(char const* inputName, void const* values, int32_t count) {
    if (count < 0 || (count > 0 && values == nullptr)) {
        fail(ErrorKind::kInvalidArgument,
             "[profile] shape values of input '{}': expected an array of values, got {} values{}.",
             orEmpty(inputName), count, values == nullptr ? " and a null array" : "");
    }
}

} // namespace

bool OptimizationProfile::setDimensions(char const* inputName, nvinfer1::OptProfileSelector select,
                                        nvinfer1::Dims const& dims) noexcept {
    return reporter_.guard(false, [&] {
        if (inputName == nullptr || *inputName == '\0') {
            fail(ErrorKind::kInvalidArgument,
                 "[profile] shape: expected the name of an input, got none.");
        }
        checkDims(dims, 0, fmt::format("profile shape of input '{}'", inputName));
        corner(profile_.shapes[inputName], select) = dims;
        return true;
    });
}

nvinfer1::Dims OptimizationProfile::getDimensions(
    char const* inputName, nvinfer1::OptProfileSelector select) const noexcept {
    return reporter_.guard(nvinfer1::Dims{-1, {}}, [&] {
        auto const found = profile_.shapes.find(orEmpty(inputName));
        if (found == profile_.shapes.end()) {
            return nvinfer1::Dims{-1, {}};
        }
        return nvinfer1::Dims(corner(found->second, select));
    });
}

int32_t OptimizationProfile::getNbShapeValues(char const* inputName) const noexcept {
    auto const found = profile_.values.find(orEmpty(inputName));
    return found == profile_.values.end() ? -1 : static_cast<int32_t>(found->second.min.size());
}

bool OptimizationProfile::setExtraMemoryTarget(float target) noexcept {
    bool const valid = target >= 0.0F && target <= 1.0F;
    if (valid) {
        extraMemoryTarget_ = target;
    }
    return valid;
}

bool OptimizationProfile::isValid() const noexcept {
    for (auto const& [name, range] : profile_.shapes) {
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

void OptimizationProfile::setValues(char const* inputName, nvinfer1::OptProfileSelector select,
                                    std::vector<int64_t> values) {
    if (inputName == nullptr || *inputName == '\0') {
        fail(ErrorKind::kInvalidArgument,
             "[profile] shape values: expected the name of an input, got none.");
    }
    corner(profile_.values[inputName], select) = std::move(values);
}

bool OptimizationProfile::setShapeValuesV2(char const* inputName,
                                           nvinfer1::OptProfileSelector select,
                                           int64_t const* values, int32_t nbValues) noexcept {
    return reporter_.guard(false, [&] {
        checkValues(inputName, values, nbValues);
        setValues(inputName, select, {values, values + nbValues});
        return true;
    });
}

int64_t const* OptimizationProfile::getShapeValuesV2(
    char const* inputName, nvinfer1::OptProfileSelector select) const noexcept {
    return reporter_.guard<int64_t const*>(nullptr, [&]() -> int64_t const* {
        auto const found = profile_.values.find(orEmpty(inputName));
        if (found == profile_.values.end()) {
            return nullptr;
        }
        std::vector<int64_t> const& values = corner(found->second, select);
        return values.empty() ? nullptr : values.data();
    });
}

bool OptimizationProfile::setShapeValues(char const* inputName, nvinfer1::OptProfileSelector select,
                                         int32_t const* values, int32_t nbValues) noexcept {
    return reporter_.guard(false, [&] {
        checkValues(inputName, values, nbValues);
        setValues(inputName, select, {values, values + nbValues});
        return true;
    });
}

int32_t const* OptimizationProfile::getShapeValues(
    char const* inputName, nvinfer1::OptProfileSelector select) const noexcept {
    int64_t const* const wide = getShapeValuesV2(inputName, select);
    if (wide == nullptr) {
        return nullptr;
    }
    return reporter_.guard<int32_t const*>(nullptr, [&] {
        std::vector<int32_t>& kept = narrow_[{inputName, static_cast<int32_t>(select)}];
        return narrowValues(corner(profile_.values.at(inputName), select), kept);
    });
}

} // namespace kiln::api
