// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/log.h"

namespace kiln::api {

/// The logger that getLogger() returns and that process-wide objects (the plugin registry) write
/// to: the one given to the oldest builder, runtime or parser that still lives; else none.
Log globalLog() noexcept;

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
