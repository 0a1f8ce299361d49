// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_OPTIMIZATION_PROFILE_H
#define KILN_API_OPTIMIZATION_PROFILE_H

#include "kiln/api/dims.h"
#include "kiln/api/enum_max.h"
#include "kiln/api/no_copy.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

enum class OptProfileSelector : int32_t
{
    kMIN = 0,
    kOPT = 1,
    kMAX = 2,
};

template <>
constexpr int32_t EnumMax<OptProfileSelector>() noexcept {
    return 3;
}

class IOptimizationProfile : public INoCopy
{
public:
    virtual bool setDimensions(char const* inputName, OptProfileSelector select,
        Dims const& dims) noexcept = 0;
    virtual Dims getDimensions(char const* inputName, OptProfileSelector select) const noexcept = 0;
    virtual int32_t getNbShapeValues(char const* inputName) const noexcept = 0;
    virtual bool setExtraMemoryTarget(float target) noexcept = 0;
    virtual float getExtraMemoryTarget() const noexcept = 0;
    virtual bool isValid() const noexcept = 0;
    virtual bool setShapeValuesV2(char const* inputName, OptProfileSelector select,
        int64_t const* values, int32_t nbValues) noexcept = 0;
    virtual int64_t const* getShapeValuesV2(char const* inputName,
        OptProfileSelector select) const noexcept = 0;
    TRT_DEPRECATED virtual bool setShapeValues(char const* inputName, OptProfileSelector select,
        int32_t const* values, int32_t nbValues) noexcept = 0;
    TRT_DEPRECATED virtual int32_t const* getShapeValues(char const* inputName,
        OptProfileSelector select) const noexcept = 0;

protected:
    ~IOptimizationProfile() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_OPTIMIZATION_PROFILE_H
