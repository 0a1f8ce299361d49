// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// ILogger: receives all messages.
#pragma once

#include "kiln/api/enum_max.h"
#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Receives the messages of a builder, runtime, refitter or parser. Implemented by the user.
//!
//! The logger must outlive every object created with it, and every object that those create. One
//! logger may serve any number of objects. Most programs need only one.
//!
//! ```
//! class ConsoleLogger : public nvinfer1::ILogger {
//!     void log(Severity severity, char const* msg) noexcept override {
//!         if (severity <= Severity::kWARNING) std::cerr << msg << '\n';
//!     }
//! };
//! ```
class ILogger : public IVersionedInterface {
public:
    //! Severity of a message; lower values are more severe.
    enum class Severity : int32_t {
        kINTERNAL_ERROR = 0, //!< A bug in the library; the object's state is undefined.
        kERROR = 1,          //!< The call failed. The message says what to change.
        kWARNING = 2,        //!< The call continues, but perhaps not as the user expects.
        kINFO = 3,           //!< Progress and results.
        kVERBOSE = 4,        //!< Details for debugging.
    };

    //! Name and version of this interface.
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"ILogger", 1, 0};
    }

    //! Receives one message.
    //!
    //! \param severity severity of the message. Kiln sends all messages; the implementation
    //!     filters.
    //! \param msg UTF-8, null-terminated, possibly several lines, without a newline at the end;
    //!     valid during the call only.
    //!
    //! Must be thread-safe, and must not call back into the object that is logging.
    virtual void log(Severity severity, AsciiChar const* msg) noexcept = 0;

    constexpr ILogger() = default;
    ~ILogger() noexcept override = default;

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

//! Finds the logger to use in a plugin library. IPluginRegistry::loadLibrary() passes Kiln's
//! implementation to the library's function `setLoggerFinder(ILoggerFinder*)`, if it exports one.
class ILoggerFinder : public IVersionedInterface {
public:
    //! Name and version of this interface.
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"ILoggerFinder", 1, 0};
    }

    //! The current logger; may change, so call this for each message. Kiln's implementation never
    //! returns nullptr.
    virtual ILogger* findLogger() = 0;

protected:
    ~ILoggerFinder() noexcept override = default;
};

//! The names that 11.x gives to the same classes.
namespace v_1_0 {
using ILogger = nvinfer1::ILogger;
using ILoggerFinder = nvinfer1::ILoggerFinder;
} // namespace v_1_0

} // namespace nvinfer1

//! The logger of the oldest existing builder or runtime, else that of kiln::setDefaultLogger().
//!
//! \return nullptr when there is none. Owned by the user who created that object.
//!
//! Thread-safe.
extern "C" TENSORRTAPI nvinfer1::ILogger* getLogger() noexcept;

#pragma GCC visibility pop
