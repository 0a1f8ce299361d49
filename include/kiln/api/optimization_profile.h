// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IOptimizationProfile: the range of shapes that an engine supports, and the shape it is tuned for.
#pragma once

#include "kiln/api/dims.h"
#include "kiln/api/enum_max.h"
#include "kiln/api/no_copy.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Selects one of the three shapes of a profile.
enum class OptProfileSelector : int32_t {
    kMIN = 0, //!< The smallest extents.
    kOPT = 1, //!< The extents that the engine is tuned for.
    kMAX = 2, //!< The largest extents; they determine the memory that is reserved.
};

template <>
constexpr int32_t EnumMax<OptProfileSelector>() noexcept {
    return 3;
}

//! The range of shapes of each input with wildcards, and the range of values of each shape input.
//! Implemented by Kiln. Created by IBuilder::createOptimizationProfile() and owned by that builder.
//!
//! A network with wildcards needs at least one profile, with all three shapes set for every input
//! with wildcards. The engine accepts any shape with min <= extent <= max in every dimension.
//! isValid() and IBuilderConfig::addOptimizationProfile() check that MIN <= OPT <= MAX, so the
//! shapes can be set in any order.
class IOptimizationProfile : public INoCopy {
public:
    //! Sets one shape of an input.
    //!
    //! \param inputName name of a network input; copied. It need not exist yet.
    //! \param select which of the three.
    //! \param dims extents of 0 or more; equal to the network's where those are fixed. All three
    //!     shapes must have the same rank.
    //!
    //! \return false, with a message, for an argument that cannot be right.
    virtual bool setDimensions(char const* inputName, OptProfileSelector select,
                               Dims const& dims) noexcept = 0;

    //! The shape that was set; nbDims -1 if none was.
    virtual Dims getDimensions(char const* inputName, OptProfileSelector select) const noexcept = 0;

    //! The number of values that were set for a shape input; -1 if none were.
    virtual int32_t getNbShapeValues(char const* inputName) const noexcept = 0;

    //! Sets the extra memory that this profile may use, as a fraction of the total. Stored, but
    //! without effect in Kiln.
    //!
    //! \param target 0 to 1.
    //!
    //! \return false outside that range.
    virtual bool setExtraMemoryTarget(float target) noexcept = 0;

    //! The fraction that was set. Default: 1.
    virtual float getExtraMemoryTarget() const noexcept = 0;

    //! True if for each input all three shapes have the same rank and MIN <= OPT <= MAX. The build
    //! checks whether the profile matches the network.
    virtual bool isValid() const noexcept = 0;

    //! Sets one of the three lists of values of a shape input, that is, of an input that holds a
    //! shape.
    //!
    //! \param inputName name of a network input; copied.
    //! \param select which of the three.
    //! \param values nbValues values in row-major order; copied.
    //!
    //! \return false, with a message, for an argument that cannot be right.
    virtual bool setShapeValuesV2(char const* inputName, OptProfileSelector select,
                                  int64_t const* values, int32_t nbValues) noexcept = 0;

    //! The getNbShapeValues() values that were set; nullptr if none were. Owned by the profile,
    //! valid until they are set again.
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
