// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/log.h"

namespace kiln::api {

/// The log of process-wide objects (the plugin registry): the logger of the oldest living builder
/// or runtime, else the default logger, else standard error for warnings and errors. So a registry
/// that is used before the first builder does not fail silently.
Log globalLog() noexcept;

/// Null removes the default logger. The logger must outlive its use.
void setDefaultLogger(nvinfer1::ILogger* logger) noexcept;

/// Gives plugin libraries the global logger.
nvinfer1::ILoggerFinder& loggerFinder();

/// RAII registration of a logger, held by a builder or runtime. The logger can be the global one
/// only during the lease, so it is not called after its owner has destroyed it.
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
