// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/log.h"

namespace kiln::api {

/// Where process-wide objects (the plugin registry) write: the logger given to the oldest builder,
/// runtime or parser that still lives; else the default logger; else standard error, which gets
/// warnings and errors. So a registry that is used before the first builder does not fail silently.
Log globalLog() noexcept;

/// Null takes the default logger back. The logger must outlive its use.
void setDefaultLogger(nvinfer1::ILogger* logger) noexcept;

/// Hands the global logger to plugin libraries that ask for one.
nvinfer1::ILoggerFinder& loggerFinder();

/// Held by a builder or runtime: its logger may serve as the global one as long as the lease lasts,
/// so that a logger which its owner destroys is never called afterwards.
class LoggerLease {
public:
    explicit LoggerLease(nvinfer1::ILogger* logger);
    ~LoggerLease();
    LoggerLease(LoggerLease const&) = delete;
    LoggerLease& operator=(LoggerLease const&) = delete;

private:
    nvinfer1::ILogger* logger_;
};

} // namespace kiln::api
