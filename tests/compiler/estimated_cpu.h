// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "target/backend_registry.h"

namespace kiln::compiler {

/// Seconds of the kernels that a test offers, at few rows and at many.
struct Times {
    double few;
    double many;
    std::size_t workspaceBytes = 0; ///< more than 0: so much workspace is asked for
};
using Offered = std::map<std::string, Times, std::less<>>;

inline Offered& offered() {
    static Offered kernels;
    return kernels;
}

/// A kernel that asks for workspace, without using it.
class Greedy final : public target::Kernel {
public:
    Greedy(std::unique_ptr<target::Kernel> own, std::size_t bytes)
        : own_(std::move(own)), bytes_(bytes) {}
    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<Instance>(own_->instantiate(), bytes_);
    }

private:
    class Instance final : public target::KernelInstance {
    public:
        Instance(std::unique_ptr<target::KernelInstance> own, std::size_t bytes)
            : own_(std::move(own)), bytes_(bytes) {}
        void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
            own_->reshape(inputs, outputs);
        }
        target::Launch launch() override { return own_->launch(); }
        std::size_t workspaceBytes(std::span<Dims const>, std::span<Dims const>) const override {
            return bytes_;
        }

    private:
        std::unique_ptr<target::KernelInstance> own_;
        std::size_t bytes_;
    };

    std::unique_ptr<target::Kernel> own_;
    std::size_t bytes_;
};

/// The cpu target with these kernels and times. It has no device, so nothing is measured.
class EstimatedCpu final : public target::Backend {
public:
    explicit EstimatedCpu(target::Backend& cpu) : cpu_(cpu) {}

    std::string_view name() const override { return cpu_.name(); }
    target::Device* device(int32_t) override { return nullptr; }
    bool readsHostMemory() const override { return true; }
    std::string planArchitecture() const override { return cpu_.planArchitecture(); }
    std::vector<target::Candidate> candidates(target::NodeSpec const& node) const override {
        std::vector<target::Candidate> all = cpu_.candidates(node);
        for (target::Candidate& candidate : all) {
            auto const known = offered().find(candidate.kernel);
            if (known == offered().end()) {
                candidate.refusal = "not in this test";
                continue;
            }
            bool const few = node.outputs[0].opt.d[0] <= 2;
            candidate.estimatedSeconds = few ? known->second.few : known->second.many;
        }
        return all;
    }
    std::unique_ptr<target::Kernel> load(
        target::KernelRecord const& record,
        std::span<target::ConstantOperand const> constants) const override {
        std::unique_ptr<target::Kernel> kernel = cpu_.load(record, constants);
        auto const known = offered().find(record.kernel);
        std::size_t const bytes = known == offered().end() ? 0 : known->second.workspaceBytes;
        return bytes == 0 ? std::move(kernel) : std::make_unique<Greedy>(std::move(kernel), bytes);
    }
    std::vector<target::PackedOperand> packs(target::KernelRecord const& record) const override {
        return cpu_.packs(record);
    }
    Bytes pack(target::KernelRecord const& record, std::size_t operand,
               target::ConstantOperand const& original) const override {
        return cpu_.pack(record, operand, original);
    }
    std::string launchProblem(target::UserLaunch const& launch) const override {
        return cpu_.launchProblem(launch);
    }

private:
    target::Backend& cpu_;
};

/// Makes it the target "estimated". Its plans are for the cpu target.
inline void addEstimatedCpu() {
    target::Backend& cpu = target::BackendRegistry::instance().open("cpu");
    target::BackendRegistry::instance().add(
        "estimated", [&cpu](target::Target const&) { return std::make_unique<EstimatedCpu>(cpu); });
}

} // namespace kiln::compiler
