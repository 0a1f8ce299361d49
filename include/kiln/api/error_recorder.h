// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_ERROR_RECORDER_H
#define KILN_API_ERROR_RECORDER_H

#include "kiln/api/versioned_interface.h"
#include <cstddef>

#pragma GCC visibility push(default)

namespace nvinfer1
{

enum class ErrorCode : int32_t
{
    kSUCCESS = 0,
    kUNSPECIFIED_ERROR = 1,
    kINTERNAL_ERROR = 2,
    kINVALID_ARGUMENT = 3,
    kINVALID_CONFIG = 4,
    kFAILED_ALLOCATION = 5,
    kFAILED_INITIALIZATION = 6,
    kFAILED_EXECUTION = 7,
    kFAILED_COMPUTATION = 8,
    kINVALID_STATE = 9,
    kUNSUPPORTED_STATE = 10,
};

namespace impl
{
template <>
struct EnumMaxImpl<ErrorCode>
{
    static constexpr int32_t kVALUE{11};
};
} // namespace impl

namespace v_1_0
{
class IErrorRecorder : public IVersionedInterface
{
public:
    using ErrorDesc = char const*;
    using RefCount = int32_t;
    static constexpr size_t kMAX_DESC_LENGTH{127U};
    InterfaceInfo getInterfaceInfo() const noexcept override
    {
        return InterfaceInfo{"IErrorRecorder", 1, 0};
    }
    constexpr IErrorRecorder() = default;
    ~IErrorRecorder() noexcept override = default;
    virtual int32_t getNbErrors() const noexcept = 0;
    virtual ErrorCode getErrorCode(int32_t errorIdx) const noexcept = 0;
    virtual ErrorDesc getErrorDesc(int32_t errorIdx) const noexcept = 0;
    virtual bool hasOverflowed() const noexcept = 0;
    virtual void clear() noexcept = 0;
    virtual bool reportError(ErrorCode val, ErrorDesc desc) noexcept = 0;
    virtual RefCount incRefCount() noexcept = 0;
    virtual RefCount decRefCount() noexcept = 0;

protected:
    constexpr IErrorRecorder(IErrorRecorder const&) = default;
    constexpr IErrorRecorder(IErrorRecorder&&) = default;
    IErrorRecorder& operator=(IErrorRecorder const&) & = default;
    IErrorRecorder& operator=(IErrorRecorder&&) & = default;
};
} // namespace v_1_0

using IErrorRecorder = v_1_0::IErrorRecorder;

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_ERROR_RECORDER_H
