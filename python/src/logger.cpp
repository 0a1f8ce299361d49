// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <ctime>

#include <kiln/console.h>

#include "bindings.h"
#include "user_callback.h"

namespace kiln::python {
namespace {

using nvinfer1::ILogger;
using Severity = ILogger::Severity;

/// trt.Logger: writes messages of at least a given severity to standard error.
class ConsoleLogger : public ILogger {
public:
    explicit ConsoleLogger(Severity least) : minSeverity(least) {}

    void log(Severity severity, char const* message) noexcept override {
        if (severity > minSeverity) {
            return;
        }
        constexpr char const* kLetters = "FEWIV";
        std::time_t const now = std::time(nullptr);
        std::tm parts{};
        localtime_r(&now, &parts);
        char stamp[32] = "";
        static_cast<void>(std::strftime(stamp, sizeof(stamp), "%m/%d/%Y-%H:%M:%S", &parts));
        LineColours const colours = lineColours(severity, stderr);
        std::fprintf(stderr, "%s[%s] [TRT] [%c] %s%s\n", colours.begin, stamp,
                     kLetters[static_cast<int>(severity)], message, colours.end);
    }

    Severity minSeverity;
};

class PythonLogger final : public ILogger {
public:
    void log(Severity severity, char const* message) noexcept override {
        notifyUser(static_cast<ILogger const*>(this), "log", severity, message);
    }
};

/// A class derived from trt.Logger may have its own log().
class PythonConsoleLogger final : public ConsoleLogger {
public:
    using ConsoleLogger::ConsoleLogger;
    void log(Severity severity, char const* message) noexcept override {
        if (userDefines(static_cast<ConsoleLogger const*>(this), "log")) {
            notifyUser(static_cast<ConsoleLogger const*>(this), "log", severity, message);
        } else {
            ConsoleLogger::log(severity, message);
        }
    }
};

} // namespace

void initLogger(py::module_& m) {
    py::class_<ILogger, PythonLogger> logger(
        m, "ILogger", "Receives every message of Kiln. Derive from this class and define log().");
    py::object const severity = defineEnum<Severity>(logger, "Severity", "How severe a message is.",
                                                     {{"INTERNAL_ERROR", Severity::kINTERNAL_ERROR},
                                                      {"ERROR", Severity::kERROR},
                                                      {"WARNING", Severity::kWARNING},
                                                      {"INFO", Severity::kINFO},
                                                      {"VERBOSE", Severity::kVERBOSE}});
    for (char const* name : {"INTERNAL_ERROR", "ERROR", "WARNING", "INFO", "VERBOSE"}) {
        logger.attr(name) = severity.attr(name);
    }
    logger.def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def("log", &ILogger::log, "severity"_a, "msg"_a,
             "Callback: receives a message. May be called from any thread.\n\n"
             "severity: ILogger.Severity. msg: str.")
        .def("__enter__", [](py::object self) { return self; })
        .def(
            "__exit__",
            [](py::object const&, py::object const&, py::object const&, py::object const&) {},
            "exc_type"_a, "exc_value"_a, "traceback"_a, "Does nothing.");

    py::class_<ConsoleLogger, PythonConsoleLogger, ILogger>(
        m, "Logger", "A logger that writes to standard error.")
        .def(py::init<Severity>(), "min_severity"_a = Severity::kWARNING,
             "min_severity: the least severe messages to write. Default: WARNING.")
        .def(
            "log",
            [](ConsoleLogger& self, Severity level, char const* message) {
                self.ConsoleLogger::log(level, message);
            },
            "severity"_a, "msg"_a, "Writes a message.")
        .def_readwrite("min_severity", &ConsoleLogger::minSeverity,
                       "ILogger.Severity: the least severe messages to write.");
}

} // namespace kiln::python
