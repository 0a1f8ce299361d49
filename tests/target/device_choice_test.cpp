// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/device_choice.h"

#include <thread>

#include <gtest/gtest.h>

#include "target/backend_registry.h"

namespace kiln::target {
namespace {

thread_local int32_t current = -1;

int32_t currentNumber() noexcept {
    return current;
}

/// A target that only notes which of its devices is wanted.
class Numbered final : public Backend {
public:
    static constexpr int32_t kNone = -100;

    std::string_view name() const override { return "numbered"; }
    Device* device(int32_t number) override {
        wanted = number;
        return nullptr;
    }
    bool readsHostMemory() const override { return false; }
    std::string planArchitecture() const override { return {}; }
    std::vector<Candidate> candidates(NodeSpec const&) const override { return {}; }
    std::unique_ptr<Kernel> load(KernelRecord const&,
                                 std::span<ConstantOperand const>) const override {
        return nullptr;
    }
    std::string launchProblem(UserLaunch const&) const override { return {}; }

    int32_t wanted = kNone;
};

int32_t chosen(DeviceChoice const& choice) {
    BackendRegistry& registry = BackendRegistry::instance();
    registry.add(
        "numbered", [](Target const&) { return std::make_unique<Numbered>(); }, &currentNumber);
    auto& backend = static_cast<Numbered&>(registry.open("numbered"));
    choice.of(backend);
    return backend.wanted;
}

TEST(DeviceChoice, IsTheFirstDeviceWhereNobodyChose) {
    EXPECT_EQ(chosen(DeviceChoice()), Backend::kCurrent);
}

TEST(DeviceChoice, IsTheCallersBeforeTheMakers) {
    chosen(DeviceChoice()); // registers the target
    current = 3;
    DeviceChoice const choice;
    EXPECT_EQ(chosen(choice), 3);
    current = 5;
    EXPECT_EQ(chosen(choice), 5);
    std::thread([&] { EXPECT_EQ(chosen(choice), 3); }).join();
    current = -1;
    EXPECT_EQ(chosen(choice), 3);
}

} // namespace
} // namespace kiln::target
