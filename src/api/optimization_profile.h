// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <NvInferRuntime.h>

#include "api/reporter.h"
#include "compiler/options.h"

namespace kiln::api {

/// IOptimizationProfile: shapes by input name, checked against the network at the build. Shared by
/// its builder and the configurations that use it.
class OptimizationProfile final : public nvinfer1::IOptimizationProfile,
                                  public std::enable_shared_from_this<OptimizationProfile> {
public:
    explicit OptimizationProfile(Log log) : reporter_(log) {}
    ~OptimizationProfile() noexcept override = default;

    compiler::Profile const& profile() const noexcept { return profile_; }

    bool setDimensions(char const* inputName, nvinfer1::OptProfileSelector select,
                       nvinfer1::Dims const& dims) noexcept override;
    nvinfer1::Dims getDimensions(char const* inputName,
                                 nvinfer1::OptProfileSelector select) const noexcept override;
    int32_t getNbShapeValues(char const* inputName) const noexcept override;
    bool setExtraMemoryTarget(float target) noexcept override;
    float getExtraMemoryTarget() const noexcept override { return extraMemoryTarget_; }
    bool isValid() const noexcept override;
    bool setShapeValuesV2(char const* inputName, nvinfer1::OptProfileSelector select,
                          int64_t const* values, int32_t nbValues) noexcept override;
    int64_t const* getShapeValuesV2(char const* inputName,
                                    nvinfer1::OptProfileSelector select) const noexcept override;
    bool setShapeValues(char const* inputName, nvinfer1::OptProfileSelector select,
                        int32_t const* values, int32_t nbValues) noexcept override;
    int32_t const* getShapeValues(char const* inputName,
                                  nvinfer1::OptProfileSelector select) const noexcept override;

private:
    Reporter reporter_;
    void setValues(char const* inputName, nvinfer1::OptProfileSelector select,
                   std::vector<int64_t> values);

    compiler::Profile profile_;
    /// Arrays that getShapeValues() returned, by input and selector.
    mutable std::map<std::pair<std::string, int32_t>, std::vector<int32_t>> narrow_;
    float extraMemoryTarget_ = 1.0F;
};

} // namespace kiln::api
