// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of unsupported features fail, name the feature, and change nothing.
#include <string>
#include <type_traits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/user_story.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

class Unsupported : public testing::Test, protected Session {
protected:
    void expectRefused(void const* result, std::string const& name) {
        EXPECT_EQ(result, nullptr) << name;
        EXPECT_THAT(log.takeErrors(),
                    HasSubstr("[kiln] INetworkDefinition::" + name + ": not supported yet"));
    }

    /// Any value of a parameter's type.
    template <typename T>
    T argument() {
        if constexpr (std::is_same_v<T, ITensor&>) {
            return x_;
        } else if constexpr (std::is_reference_v<T>) {
            static std::decay_t<T> const value{};
            return value;
        } else {
            return T{};
        }
    }

private:
    ITensor& x_ = input("tensor", {1, 2, 4, 4});
};

TEST_F(Unsupported, LayersRefuseByName) {
#include "network/refused_calls.inc" // a call of each, written by the build
    EXPECT_EQ(network->getNbLayers(), 0);
}

TEST_F(Unsupported, InputsOfPlugins) {
    Script script;
    ScriptedV3 v3(script);
    auto* const v2 = new ScriptedV2(script);
    EXPECT_EQ(network->addPluginV3(nullptr, 2, nullptr, 0, v3), nullptr);
    EXPECT_THAT(log.takeErrors(),
                HasSubstr("plugin layer: expected an array of inputs, got 2 inputs and a null"));
    ITensor* const null[] = {nullptr};
    EXPECT_EQ(network->addPluginV2(null, 1, *v2), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("plugin layer: input 0 is null"));
    v2->destroy();
    EXPECT_EQ(script.alive, 1);
}

} // namespace
} // namespace kiln::test
