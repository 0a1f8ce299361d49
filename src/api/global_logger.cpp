// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/global_logger.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <vector>

#include <kiln/console.h>

#include "base/immortal.h"

namespace kiln::api {
namespace {

struct Leases {
    std::mutex mutex;
    std::vector<nvinfer1::ILogger*> loggers; // oldest first, one entry per lease
};

Leases& leases() noexcept {
    static Immortal<Leases> all; // immortal: users may destroy objects at exit
    return *all;
}

std::atomic<nvinfer1::ILogger*> defaultLogger{nullptr};

/// The logger of last resort. Only here does the library print.
class StandardError final : public nvinfer1::ILogger {
public:
    void log(Severity severity, char const* message) noexcept override {
        if (severity > Severity::kWARNING) {
            return;
        }
        constexpr char const* kLetters = "FEW";
        std::time_t const now = std::time(nullptr);
        std::tm parts{};
        localtime_r(&now, &parts);
        char stamp[32] = "";
        static_cast<void>(std::strftime(stamp, sizeof(stamp), "%m/%d/%Y-%H:%M:%S", &parts));
        LineColours const colours = lineColours(severity, stderr);
        std::fprintf(stderr, "%s[%s] [TRT] [%c] %s%s\n", colours.begin, stamp,
                     kLetters[static_cast<int>(severity)], message, colours.end);
    }
};

nvinfer1::ILogger& standardError() noexcept {
    static Immortal<StandardError> logger; // used until the process ends
    return *logger;
}

/// The oldest leased logger, else the default logger; may be null.
nvinfer1::ILogger* givenLogger() noexcept {
    std::lock_guard const lock(leases().mutex);
    auto const& loggers = leases().loggers;
    return loggers.empty() ? defaultLogger.load() : loggers.front();
}

class LoggerFinder final : public nvinfer1::ILoggerFinder {
public:
    nvinfer1::ILogger* findLogger() override { return globalLog().logger(); }
};

} // namespace

nvinfer1::ILoggerFinder& loggerFinder() {
    static Immortal<LoggerFinder> finder; // plugin libraries keep a pointer to it
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
    nvinfer1::ILogger* const given = givenLogger();
    return Log(given != nullptr ? given : &standardError());
}

void setDefaultLogger(nvinfer1::ILogger* logger) noexcept {
    defaultLogger.store(logger);
}

} // namespace kiln::api

extern "C" nvinfer1::ILogger* getLogger() noexcept {
    return kiln::api::givenLogger();
}
