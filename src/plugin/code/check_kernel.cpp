// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/code/check_kernel.h"

#include <algorithm>

#include "base/error.h"
#include "base/gpu_architecture.h"
#include "base/text.h"
#include "plugin/code/code_info.h"

namespace kiln::plugin {
namespace {

constexpr int64_t kPointerBytes = 8;
constexpr std::size_t kScratchPointers = 2; // Triton: global scratch memory, profiler memory
constexpr std::size_t kMostListed = 8;

/// Checks one image of a kernel against its contract.
class ImageCheck {
public:
    ImageCheck(AotKernel const& kernel, KernelContract const& contract, CodeInfo const& info)
        : kernel_(kernel), contract_(contract), info_(info) {}

    /// Returns how many null pointers the code expects after its arguments.
    int32_t run() const {
        checkTarget();
        checkArchitecture();
        CodeEntry const& entry = findEntry();
        return info_.kind == CodeKind::kHostObject ? 0 : checkParameters(entry);
    }

private:
    void checkTarget() const {
        bool const host = info_.kind == CodeKind::kHostObject;
        if (host != (contract_.target == "cpu")) {
            fail(ErrorKind::kInvalidArgument,
                 "kernel '{}': expected code for the target {}, got {} for {}. Return the code of "
                 "the target that kiln.build_target() names.",
                 kernel_.entry, contract_.target, nameOf(info_.kind), info_.architecture);
        }
    }

    void checkArchitecture() const {
        bool fits = info_.architecture == contract_.architecture;
        auto const wanted = parseGpuArchitecture(contract_.architecture);
        auto const found = parseGpuArchitecture(info_.architecture);
        if (wanted.has_value() && found.has_value()) {
            fits = info_.kind == CodeKind::kCubin ? runsCubin(*wanted, *found)
                                                  : runsPtx(*wanted, *found);
        }
        if (!fits) {
            fail(ErrorKind::kInvalidArgument,
                 "kernel '{}': expected code that runs on {}, got {} for {}. Compile it for {}.",
                 kernel_.entry, contract_.architecture, nameOf(info_.kind), info_.architecture,
                 contract_.architecture);
        }
    }

    CodeEntry const& findEntry() const {
        std::vector<std::string> names;
        for (CodeEntry const& entry : info_.entries) {
            if (entry.name == kernel_.entry) {
                return entry;
            }
            names.push_back(entry.name);
        }
        std::vector<std::string> near = nearNames(kernel_.entry, names);
        bool const isNear = !near.empty();
        std::vector<std::string>& shown = isNear ? near : names;
        std::size_t const hidden = shown.size() - std::min(shown.size(), kMostListed);
        shown.resize(shown.size() - hidden);
        fail(ErrorKind::kInvalidArgument,
             "kernel '{}': expected it among the entry points of {}, got {}{}{}. Give the name "
             "that the code has, mangled where C++ mangled it.",
             kernel_.entry, nameOf(info_.kind), isNear ? "near names: " : "",
             names.empty() ? "none" : join(shown, ", "),
             hidden == 0 ? "" : fmt::format(" and {} more", hidden));
    }

    /// Number of arguments: inputs, scalars, outputs.
    std::size_t argumentCount() const {
        return static_cast<std::size_t>(contract_.inputs) + kernel_.scalars.size() +
               static_cast<std::size_t>(contract_.outputs);
    }

    int32_t checkParameters(CodeEntry const& entry) const {
        std::vector<CodeParameter> const& all = entry.parameters;
        std::size_t const wanted = argumentCount();
        std::size_t const spare = all.size() - std::min(all.size(), wanted);
        bool const scratch = std::all_of(all.end() - static_cast<std::ptrdiff_t>(spare), all.end(),
                                         [&](CodeParameter const& parameter) {
                                             bool const unread =
                                                 info_.kind == CodeKind::kCubin || !parameter.used;
                                             return parameter.bytes == kPointerBytes && unread;
                                         });
        if (all.size() < wanted || spare > kScratchPointers || !scratch) {
            fail(ErrorKind::kInvalidArgument,
                 "kernel '{}': expected {} parameters ({} inputs, {} scalars, {} outputs, in this "
                 "order), the code has {}. Give the missing ones as extra arguments, or take them "
                 "out of the kernel.",
                 kernel_.entry, wanted, contract_.inputs, kernel_.scalars.size(), contract_.outputs,
                 all.size());
        }
        auto const inputs = static_cast<std::size_t>(contract_.inputs);
        for (std::size_t i = 0; i < wanted; ++i) {
            std::size_t const scalar = i - std::min(i, inputs);
            if (i < inputs || scalar >= kernel_.scalars.size()) {
                checkPointer(i, all[i]);
            } else {
                checkScalar(i, all[i], kernel_.scalars[scalar].type);
            }
        }
        return static_cast<int32_t>(spare);
    }

    void checkPointer(std::size_t index, CodeParameter const& parameter) const {
        if (parameter.bytes != kPointerBytes || parameter.holds == ParameterClass::kReal) {
            fail(ErrorKind::kInvalidArgument,
                 "kernel '{}', parameter {}: expected the address of a tensor ({} bytes), the code "
                 "has {}. The order is: inputs, extra arguments, outputs.",
                 kernel_.entry, index, kPointerBytes, textOf(parameter));
        }
    }

    void checkScalar(std::size_t index, CodeParameter const& parameter, ScalarType type) const {
        ParameterClass const other =
            isReal(type) ? ParameterClass::kInteger : ParameterClass::kReal;
        if (parameter.bytes != bytesOf(type) || parameter.holds == other) {
            fail(ErrorKind::kInvalidArgument,
                 "kernel '{}', parameter {}: expected the extra argument {} ({}, {} bytes), the "
                 "code has {}. Give the argument the type that the kernel declares.",
                 kernel_.entry, index, index - static_cast<std::size_t>(contract_.inputs),
                 nameOf(type), bytesOf(type), textOf(parameter));
        }
    }

    static std::string textOf(CodeParameter const& parameter) {
        char const* const what = parameter.holds == ParameterClass::kReal      ? "a real number of "
                                 : parameter.holds == ParameterClass::kInteger ? "an integer of "
                                                                               : "";
        return fmt::format("{}{} bytes", what, parameter.bytes);
    }

    AotKernel const& kernel_;
    KernelContract const& contract_;
    CodeInfo const& info_;
};

void checkKinds(AotKernel const& kernel) {
    auto const count = [&](CodeKind kind) {
        return std::count_if(kernel.images.begin(), kernel.images.end(),
                             [&](CodeImage const& image) { return image.kind == kind; });
    };
    for (CodeKind const kind : {CodeKind::kPtx, CodeKind::kCubin, CodeKind::kHostObject}) {
        if (auto const found = count(kind); found > 1) {
            fail(ErrorKind::kInvalidArgument,
                 "kernel '{}': expected one image of each kind for an architecture, got {} times "
                 "{}. Return one of them; each architecture is asked for by itself.",
                 kernel.entry, found, nameOf(kind));
        }
    }
}

} // namespace

void checkKernel(AotKernel& kernel, KernelContract const& contract) {
    if (kernel.images.empty()) {
        fail(ErrorKind::kInvalidArgument,
             "kernel '{}': expected code for {}, got none. Return the compiled code.", kernel.entry,
             contract.architecture);
    }
    int32_t nullPointers = 0;
    for (CodeImage& image : kernel.images) {
        CodeInfo info;
        try {
            info = inspectCode(image.bytes);
        } catch (Error const& error) {
            fail(error.kind(), "kernel '{}': {}", kernel.entry, error.what());
        }
        image.kind = info.kind;
        image.architecture = info.architecture;
        image.ptxVersion = info.ptxVersion;
        nullPointers = std::max(nullPointers, ImageCheck(kernel, contract, info).run());
    }
    checkKinds(kernel);
    std::stable_sort(kernel.images.begin(), kernel.images.end(),
                     [](CodeImage const& a, CodeImage const& b) {
                         return a.kind == CodeKind::kCubin && b.kind != CodeKind::kCubin;
                     });
    kernel.nullPointers = nullPointers;
}

} // namespace kiln::plugin
