// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/global_logger.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace kiln::api {
namespace {

struct Leases {
    std::mutex mutex;
    std::vector<nvinfer1::ILogger*> loggers; // oldest first, one entry a lease
};

Leases& leases() {
    static auto* const all = new Leases; // outlives objects that users destroy at exit
    return *all;
}

class LoggerFinder final : public nvinfer1::ILoggerFinder {
public:
    nvinfer1::ILogger* findLogger() override { return globalLog().logger(); }
};

} // namespace

nvinfer1::ILoggerFinder& loggerFinder() {
    static auto* const finder = new LoggerFinder; // libraries keep it
    return *finder;
}

LoggerLease::LoggerLease(nvinfer1::ILogger* logger) : logger_(logger) {
    std::lock_guard const lock(leases().mutex);
    leases().loggers.push_back(logger);
}

LoggerLease::~LoggerLease() {
    std::lock_guard const lock(leases().mutex);
    auto& loggers = leases().loggers;
    loggers.erase(std::find(loggers.begin(), loggers.end(), logger_));
}

Log globalLog() noexcept {
    std::lock_guard const lock(leases().mutex);
    return Log(leases().loggers.empty() ? nullptr : leases().loggers.front());
}

} // namespace kiln::api

extern "C" nvinfer1::ILogger* getLogger() noexcept {
    return kiln::api::globalLog().logger();
}
