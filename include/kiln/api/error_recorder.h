// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IErrorRecorder: errors as data, for programs that react to them.
#pragma once

#include "kiln/api/versioned_interface.h"

#include <cstddef>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Kinds of errors.
enum class ErrorCode : int32_t {
    kSUCCESS = 0,               //!< No error.
    kUNSPECIFIED_ERROR = 1,     //!< None of the others, such as the failure of a plugin.
    kINTERNAL_ERROR = 2,        //!< The library is at fault. Please report it.
    kINVALID_ARGUMENT = 3,      //!< An argument is out of range, of a wrong shape or type, or null.
    kINVALID_CONFIG = 4,        //!< Settings that contradict each other or the network.
    kFAILED_ALLOCATION = 5,     //!< Memory could not be had.
    kFAILED_INITIALIZATION = 6, //!< A device or library is missing or could not be started.
    kFAILED_EXECUTION = 7,      //!< A step of an engine failed, e.g. a kernel launch.
    kFAILED_COMPUTATION = 8,    //!< A step ran, and its result cannot be right.
    kINVALID_STATE = 9,         //!< The call is not allowed now; others must come before it.
    kUNSUPPORTED_STATE = 10,    //!< Allowed by the API, and not supported here.
};

template <>
constexpr int32_t EnumMax<ErrorCode>() noexcept {
    return 11;
}

namespace v_1_0 {

//! Collects the errors of the objects that it is set on. Implemented by the user.
//!
//! An object reports each error to its recorder and to its logger, with the same text. An object
//! without a recorder of its own uses the one of the object that made it. The recorder is counted,
//! not owned: incRefCount() when it is set on an object, decRefCount() when it is replaced or the
//! object goes away.
//!
//! All methods may be called from several threads at once.
class IErrorRecorder : public IVersionedInterface {
public:
    //! A description: UTF-8, zero-terminated, with no promise about the length.
    using ErrorDesc = char const*;

    //! A count of users.
    using RefCount = int32_t;

    //! The longest description, in bytes without the zero, that every recorder must keep whole. It
    //! may cut longer ones. Kiln's own texts are often longer, with what matters first.
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
    //! \param errorIdx as in getErrorCode(). Outside: an empty text.
    //!
    //! \return Owned by the recorder, valid until clear().
    virtual ErrorDesc getErrorDesc(int32_t errorIdx) const noexcept = 0;

    //! True when errors were lost because there was no room for them.
    virtual bool hasOverflowed() const noexcept = 0;

    //! Forgets all errors and the overflow. For the user; Kiln does not call it.
    virtual void clear() noexcept = 0;

    //! Takes one error. Called by Kiln.
    //!
    //! \param val the kind; never ErrorCode::kSUCCESS.
    //! \param desc the text, valid only during the call: keep a copy.
    //!
    //! \return true when the error is fatal, that is, when the program can not go on. Kiln fails
    //!     the current call either way.
    virtual bool reportError(ErrorCode val, ErrorDesc desc) noexcept = 0;

    //! Adds a user. \return the new count.
    virtual RefCount incRefCount() noexcept = 0;

    //! Removes a user. At 0 the recorder may delete itself. \return the new count.
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
