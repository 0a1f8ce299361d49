// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IOptimizationProfile: the shapes that an engine must take, and the one it is tuned for.
#pragma once

#include "kiln/api/dims.h"
#include "kiln/api/enum_max.h"
#include "kiln/api/no_copy.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Which of the three shapes of a profile.
enum class OptProfileSelector : int32_t {
    kMIN = 0, //!< The smallest extents.
    kOPT = 1, //!< The extents that the engine is tuned for.
    kMAX = 2, //!< The largest extents; memory is planned for them.
};

template <>
constexpr int32_t EnumMax<OptProfileSelector>() noexcept {
    return 3;
}

//! The range of shapes of each input that has wildcards, and of values of each shape input.
//! Implemented by Kiln. Made by IBuilder::createOptimizationProfile() and owned by that builder.
//!
//! A network with a wildcard in an input needs at least one profile, with all three shapes set for
//! every such input. The engine takes any shape with min <= extent <= max, dimension by dimension.
//! That MIN <= OPT <= MAX holds is checked by isValid() and
//! IBuilderConfig::addOptimizationProfile(), so the shapes can be set in any order.
class IOptimizationProfile : public INoCopy {
public:
    //! Sets one shape of an input.
    //!
    //! \param inputName name of a network input; copied. It need not exist yet.
    //! \param select which of the three.
    //! \param dims no extent negative; where the network's extent is fixed, the same. If others of
    //!     the three are set, of the same rank.
    //!
    //! \return false, with a message, for an argument that can not be right.
    virtual bool setDimensions(char const* inputName, OptProfileSelector select,
                               Dims const& dims) noexcept = 0;

    //! The shape that was set; nbDims -1 when none was.
    virtual Dims getDimensions(char const* inputName, OptProfileSelector select) const noexcept = 0;

    //! The number of values that were set for a shape input; -1 when none were.
    virtual int32_t getNbShapeValues(char const* inputName) const noexcept = 0;

    //! Sets how much extra memory, as a fraction of what all engines of the builder need, this
    //! profile may cost. A hint.
    //!
    //! \param target 0 to 1.
    //!
    //! \return false outside that range.
    virtual bool setExtraMemoryTarget(float target) noexcept = 0;

    //! The fraction that was set. Default: 1.
    virtual float getExtraMemoryTarget() const noexcept = 0;

    //! True when everything that was set fits together: for each input all three shapes of one rank
    //! with MIN <= OPT <= MAX. Whether it fits a network, addOptimizationProfile() and the build
    //! tell.
    virtual bool isValid() const noexcept = 0;

    //! Sets one list of values of a shape input, that is, of an input that holds a shape.
    //!
    //! \param inputName name of a network input; copied.
    //! \param select which of the three.
    //! \param values nbValues values in row-major order; copied.
    //!
    //! \return false, with a message, for an argument that can not be right.
    virtual bool setShapeValuesV2(char const* inputName, OptProfileSelector select,
                                  int64_t const* values, int32_t nbValues) noexcept = 0;

    //! The values that were set, getNbShapeValues() of them; nullptr when none were. Owned by the
    //! profile, valid until they are set again.
    virtual int64_t const* getShapeValuesV2(char const* inputName,
                                            OptProfileSelector select) const noexcept = 0;

    //! As setShapeValuesV2(), with 32 bits.
    TRT_DEPRECATED virtual bool setShapeValues(char const* inputName, OptProfileSelector select,
                                               int32_t const* values,
                                               int32_t nbValues) noexcept = 0;

    //! As getShapeValuesV2(), with 32 bits; nullptr also when a value does not fit.
    TRT_DEPRECATED virtual int32_t const* getShapeValues(
        char const* inputName, OptProfileSelector select) const noexcept = 0;

protected:
    ~IOptimizationProfile() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
