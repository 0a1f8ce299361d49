// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_LOGGER_H
#define KILN_API_LOGGER_H

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

class ILogger
{
public:
    enum class Severity : int32_t
    {
        kINTERNAL_ERROR = 0,
        kERROR = 1,
        kWARNING = 2,
        kINFO = 3,
        kVERBOSE = 4,
    };

    virtual void log(Severity severity, AsciiChar const* msg) noexcept = 0;

    constexpr ILogger() = default;
    virtual ~ILogger() = default;

protected:
    constexpr ILogger(ILogger const&) = default;
    constexpr ILogger(ILogger&&) = default;
    ILogger& operator=(ILogger const&) & = default;
    ILogger& operator=(ILogger&&) & = default;
};

namespace impl
{
template <>
struct EnumMaxImpl<ILogger::Severity>
{
    static constexpr int32_t kVALUE{5};
};
} // namespace impl

namespace v_1_0
{
using ILogger = nvinfer1::ILogger;
} // namespace v_1_0

class ILoggerFinder
{
public:
    virtual ILogger* findLogger() = 0;

protected:
    virtual ~ILoggerFinder() = default;
};

} // namespace nvinfer1

extern "C" TENSORRTAPI nvinfer1::ILogger* getLogger() noexcept;

#pragma GCC visibility pop

#endif // KILN_API_LOGGER_H
