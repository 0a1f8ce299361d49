// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IErrorRecorder: gives programs access to errors as data.
#pragma once

#include "kiln/api/versioned_interface.h"

#include <cstddef>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Kinds of errors.
enum class ErrorCode : int32_t {
    kSUCCESS = 0,               //!< No error.
    kUNSPECIFIED_ERROR = 1,     //!< Any other error, such as the failure of a plugin.
    kINTERNAL_ERROR = 2,        //!< A bug in the library. Please report it.
    kINVALID_ARGUMENT = 3,      //!< An argument is out of range, of a wrong shape or type, or null.
    kINVALID_CONFIG = 4,        //!< Settings that contradict each other or the network.
    kFAILED_ALLOCATION = 5,     //!< Memory could not be allocated.
    kFAILED_INITIALIZATION = 6, //!< A device or library is missing or could not be started.
    kFAILED_EXECUTION = 7,      //!< A step of an engine failed, e.g. a kernel launch.
    kFAILED_COMPUTATION = 8,    //!< A step ran, but its result is invalid.
    kINVALID_STATE = 9,         //!< The call is not allowed now; other calls must precede it.
    kUNSUPPORTED_STATE = 10,    //!< Valid in the API but not supported by Kiln.
};

template <>
constexpr int32_t EnumMax<ErrorCode>() noexcept {
    return 11;
}

namespace v_1_0 {

//! Collects the errors of the objects that it is set on. Implemented by the user.
//!
//! An object reports each error to its recorder and to its logger, with the same text. By default
//! it uses the recorder of the object that created it. Recorders are reference-counted: an object
//! calls incRefCount() when a recorder is set, and decRefCount() when it is replaced or the object
//! is destroyed.
//!
//! All methods must be thread-safe.
class IErrorRecorder : public IVersionedInterface {
public:
    //! A description: UTF-8, null-terminated, of any length.
    using ErrorDesc = char const*;

    //! A reference count.
    using RefCount = int32_t;

    //! The longest description, in bytes without the terminator, that a recorder must store
    //! completely. It may truncate longer ones. Kiln's messages are often longer; the most
    //! important part comes first.
    static constexpr size_t kMAX_DESC_LENGTH{127U};

    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IErrorRecorder", 1, 0};
    }

    constexpr IErrorRecorder() = default;
    ~IErrorRecorder() noexcept override = default;

    //! The number of errors held.
    virtual int32_t getNbErrors() const noexcept = 0;

    //! The kind of an error.
    //!
    //! \param errorIdx 0 to getNbErrors() - 1, oldest first. Outside: ErrorCode::kINVALID_ARGUMENT.
    virtual ErrorCode getErrorCode(int32_t errorIdx) const noexcept = 0;

    //! The text of an error.
    //!
    //! \param errorIdx as in getErrorCode(). Outside: an empty string.
    //!
    //! \return Owned by the recorder, valid until clear().
    virtual ErrorDesc getErrorDesc(int32_t errorIdx) const noexcept = 0;

    //! True if errors were lost because the recorder was full.
    virtual bool hasOverflowed() const noexcept = 0;

    //! Removes all errors and resets the overflow state. For the user; Kiln does not call it.
    virtual void clear() noexcept = 0;

    //! Records one error. Called by Kiln.
    //!
    //! \param val the kind; never ErrorCode::kSUCCESS.
    //! \param desc the text, valid during the call only: copy it.
    //!
    //! \return true if the error is fatal, that is, if the program cannot continue. Kiln fails the
    //!     current call in either case.
    virtual bool reportError(ErrorCode val, ErrorDesc desc) noexcept = 0;

    //! Adds a reference. \return the new count.
    virtual RefCount incRefCount() noexcept = 0;

    //! Removes a reference. At 0 the recorder may delete itself. \return the new count.
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
