// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Scalar arguments of ahead-of-time compiled kernels that depend on shapes.
#pragma once

#include "kiln/api/enum_max.h"
#include "kiln/api/no_copy.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! The kind of a scalar argument.
enum class PluginArgType : int32_t {
    kINT = 0, //!< An integer.
};

template <>
constexpr int32_t EnumMax<PluginArgType>() noexcept {
    return 1;
}

//! The width of a scalar argument.
enum class PluginArgDataType : int32_t {
    kINT8 = 0,
    kINT16 = 1,
    kINT32 = 2,
};

template <>
constexpr int32_t EnumMax<PluginArgDataType>() noexcept {
    return 3;
}

//! A scalar that may depend on the shapes of inputs. Implemented by the plugin or its language
//! binding; must stay valid until the callback that passes it returns.
class ISymExpr {
public:
    virtual PluginArgType getType() const noexcept = 0;

    virtual PluginArgDataType getDataType() const noexcept = 0;

    //! The value: an `IDimensionExpr const*` from the IExprBuilder of the same callback.
    virtual void* getExpr() noexcept = 0;

    virtual ~ISymExpr() noexcept = default;
};

//! A list of scalars. Implemented by Kiln and filled by a plugin.
class ISymExprs : public INoCopy {
public:
    //! The scalar at a position; nullptr if none was set or the position is out of range.
    virtual ISymExpr* getSymExpr(int32_t index) const noexcept = 0;

    //! Sets the scalar at a position.
    //!
    //! \param symExpr copied.
    //!
    //! \return false, and nothing changes, for positions outside 0 to getNbSymExprs() - 1, for
    //!     nullptr, and for an expression that does not belong to this callback.
    virtual bool setSymExpr(int32_t index, ISymExpr* symExpr) noexcept = 0;

    virtual int32_t getNbSymExprs() const noexcept = 0;

    //! Sets the length of the list. New positions are empty.
    //!
    //! \return false, and nothing changes, for a negative length or one above 4096.
    virtual bool setNbSymExprs(int32_t count) noexcept = 0;

protected:
    ~ISymExprs() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
