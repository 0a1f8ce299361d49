// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// ILogger: where messages go. The library itself never prints.
#pragma once

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Receives the messages of a builder, runtime, refitter or parser. Implemented by the user.
//!
//! The logger must outlive every object that was made with it, and every object made by those. One
//! logger may serve any number of them. Programs usually have one.
//!
//! ```
//! class ConsoleLogger : public nvinfer1::ILogger {
//!     void log(Severity severity, char const* msg) noexcept override {
//!         if (severity <= Severity::kWARNING) std::cerr << msg << '\n';
//!     }
//! };
//! ```
class ILogger {
public:
    //! How bad a message is; lower values are worse.
    enum class Severity : int32_t {
        kINTERNAL_ERROR = 0, //!< The library is at fault; what the object does next is undefined.
        kERROR = 1,          //!< The call failed. The message says what to change.
        kWARNING = 2,        //!< The call goes on, but perhaps not as the user expects.
        kINFO = 3,           //!< Progress and results.
        kVERBOSE = 4,        //!< Details for debugging.
    };

    //! Takes one message.
    //!
    //! \param severity how bad it is. All messages come here; the implementation filters.
    //! \param msg UTF-8, zero-terminated, perhaps of several lines, without a line end after the
    //!     last; valid only during the call.
    //!
    //! May be called from several threads at once, and must not call back into the object that is
    //! logging.
    virtual void log(Severity severity, AsciiChar const* msg) noexcept = 0;

    constexpr ILogger() = default;
    virtual ~ILogger() = default;

protected:
    constexpr ILogger(ILogger const&) = default;
    constexpr ILogger(ILogger&&) = default;
    ILogger& operator=(ILogger const&) & = default;
    ILogger& operator=(ILogger&&) & = default;
};

template <>
constexpr int32_t EnumMax<ILogger::Severity>() noexcept {
    return 5;
}

namespace v_1_0 {
//! The name that 11.x gives to the same class.
using ILogger = nvinfer1::ILogger;
} // namespace v_1_0

//! Finds the logger to use in a plugin library. Implemented by the user of such a library, and
//! handed to its set-up function `setLoggerFinder(ILoggerFinder*)` where it has one.
class ILoggerFinder {
public:
    //! The logger to write to now; nullptr when there is none. It is asked for each message, so the
    //! answer may change.
    virtual ILogger* findLogger() = 0;

protected:
    virtual ~ILoggerFinder() = default;
};

} // namespace nvinfer1

//! The logger of the builder, runtime or refitter that was created first and still lives.
//!
//! \return nullptr when there is none. Owned by the user who created that object.
//!
//! Any thread may call it.
extern "C" TENSORRTAPI nvinfer1::ILogger* getLogger() noexcept;

#pragma GCC visibility pop
