// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Random networks of layers, loops and branches in each other, compared with a plain evaluation of
// the same operations. Errors in the scopes of values and in the memory of bodies show as wrong
// numbers.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "device/control_network.h"
#include "device/queued_device_fixture.h"
#include "graph/ops/concatenation.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/slice.h"

namespace kiln::test {
namespace {

using graph::Network;
using graph::Tensor;
using nvinfer1::ElementWiseOperation;
/// 2 rows of 16, so that a row begins where a view may begin.
constexpr std::size_t kRow = 16;
using Matrix = std::array<float, 2 * kRow>;
using Values = std::map<Tensor*, Matrix>;
using Program = std::vector<std::function<void(Values&)>>; ///< computes values in order

void evaluate(Program const& program, Values& values) {
    for (auto const& step : program) {
        step(values);
    }
}

class RandomNetwork {
public:
    explicit RandomNetwork(uint32_t seed) : random_(seed) {
        options.profiles.resize(1);
        for (auto& input : hosts_) {
            input = &network.addInput("h" + std::to_string(&input - hosts_.data()),
                                      DataType::kINT32, makeDims({}));
            options.profiles[0].values[input->name] = {{0}, {1}, {3}};
        }
        x = &network.addInput("x", DataType::kFLOAT, makeDims({2, kRow}));
        Tensors known{x};
        program = layers(known, hostTensors(), 0);
        y = &both(known.back(), known[known.size() / 2], ElementWiseOperation::kSUM, program);
        network.rename(*y, "y");
        network.markOutput(*y);
    }

    Matrix expected(Matrix const& input, std::array<int32_t, 2> const& hostValues) {
        hostValues_ = hostValues;
        Values values{{x, input}};
        evaluate(program, values);
        return values.at(y);
    }

    Network network{true};
    compiler::Options options;
    Tensor* x = nullptr;
    Tensor* y = nullptr;

private:
    /// The host inputs as a body sees them, with their number.
    using Hosts = std::vector<std::pair<Tensor*, std::size_t>>;

    Hosts hostTensors() const { return {{hosts_[0], 0}, {hosts_[1], 1}}; }
    uint32_t below(std::size_t limit) { return random_() % static_cast<uint32_t>(limit); }
    Tensor& pick(Tensors const& known) { return *known[below(known.size())]; }

    Tensor& both(Tensor* a, Tensor* b, ElementWiseOperation operation, Program& into) {
        graph::ElementWise op;
        op.operation = operation;
        Tensor& result = add(network, op, {a, b});
        into.emplace_back([a, b, operation, &result](Values& values) {
            Matrix made{};
            for (std::size_t i = 0; i < made.size(); ++i) {
                float const one = values.at(a)[i];
                float const other = values.at(b)[i];
                made[i] = operation == ElementWiseOperation::kSUM   ? one + other
                          : operation == ElementWiseOperation::kSUB ? one - other
                                                                    : std::max(one, other);
            }
            values[&result] = made;
        });
        return result;
    }

    /// The last row, read from right to left, on top of the first: no pointwise operation.
    Tensor& turned(Tensor& a, Program& into) {
        graph::Slice op;
        op.start = makeDims({1, kRow - 1});
        op.size = makeDims({2, kRow});
        op.stride = makeDims({-1, -1});
        Tensor& result = add(network, op, {&a});
        into.emplace_back([&a, &result](Values& values) {
            Matrix made = values.at(&a);
            std::reverse(made.begin(), made.end());
            values[&result] = made;
        });
        return result;
    }

    /// Rows of two matrices on top of each other: slices and concatenations become views.
    Tensor& stacked(Tensor& a, Tensor& b, Program& into) {
        auto const row = [&](Tensor& from, uint32_t start) {
            graph::Slice op;
            op.start = makeDims({start, 0});
            op.size = makeDims({1, kRow});
            op.stride = makeDims({1, 1});
            return &add(network, op, {&from});
        };
        std::array const starts{below(2), below(2)};
        graph::Concatenation op;
        op.axis = 0;
        Tensor& result = add(network, op, {row(a, starts[0]), row(b, starts[1])});
        into.emplace_back([&a, &b, starts, &result](Values& values) {
            Matrix const one = values.at(&a);
            Matrix const other = values.at(&b);
            Matrix made{};
            std::copy_n(one.begin() + starts[0] * kRow, kRow, made.begin());
            std::copy_n(other.begin() + starts[1] * kRow, kRow, made.begin() + kRow);
            values[&result] = made;
        });
        return result;
    }

    /// Two results of layers on top of each other, which the layers write in place.
    Tensor& joined(Tensors const& known, Program& into) {
        Tensor& one = turned(pick(known), into);
        Tensor& other = turned(pick(known), into);
        graph::Concatenation op;
        op.axis = 0;
        Tensor& whole = add(network, op, {&one, &other}); // 4 rows
        graph::Slice middle;
        middle.start = makeDims({1, 0});
        middle.size = makeDims({2, kRow});
        middle.stride = makeDims({1, 1});
        Tensor& result = add(network, middle, {&whole});
        into.emplace_back([&one, &other, &result](Values& values) {
            Matrix made{};
            std::copy_n(values.at(&one).begin() + kRow, kRow, made.begin());
            std::copy_n(values.at(&other).begin(), kRow, made.begin() + kRow);
            values[&result] = made;
        });
        return result;
    }

    Program layers(Tensors& known, Hosts const& hosts, int depth) {
        Program made;
        std::size_t const count = 2 + below(5);
        for (std::size_t i = 0; i < count; ++i) {
            uint32_t const kind = below(depth < 3 ? 8 : 6);
            if (kind == 0 || kind == 1) {
                constexpr std::array kOperations{ElementWiseOperation::kSUM,
                                                 ElementWiseOperation::kSUB,
                                                 ElementWiseOperation::kMAX};
                known.push_back(&both(&pick(known), &pick(known), kOperations[below(3)], made));
            } else if (kind <= 3) {
                known.push_back(&turned(pick(known), made));
            } else if (kind == 4) {
                known.push_back(&stacked(pick(known), pick(known), made));
            } else if (kind == 5) {
                known.push_back(&joined(known, made));
            } else if (kind == 6) {
                addLoop(known, hosts, depth, made);
            } else {
                addBranch(known, hosts, depth, made);
            }
        }
        return made;
    }

    /// What enters a body: some known values, then all host inputs.
    Tensors entering(Tensors const& known, Hosts const& hosts) {
        Tensors shared{&pick(known), &pick(known)};
        for (auto const& host : hosts) {
            shared.push_back(host.first);
        }
        return shared;
    }
    static Hosts hostsAmong(Tensors const& inside) { return {{inside[2], 0}, {inside[3], 1}}; }

    void addLoop(Tensors& known, Hosts const& hosts, int depth, Program& into) {
        auto const [count, number] = hosts[below(2)];
        Tensors const initial{&pick(known), &pick(known)};
        Tensors const shared = entering(known, hosts);
        Program body;
        Tensors seen;
        Tensors next;
        Tensors const last =
            repeat(network, *count, initial, shared, [&](Tensors const& s, Tensors const& in) {
                seen = s;
                seen.insert(seen.end(), in.begin(), in.end());
                Tensors inside{s[0], s[1], in[0], in[1]};
                body = layers(inside, hostsAmong(in), depth + 1);
                next = {&pick(inside), &pick(inside)};
                return next;
            });
        into.emplace_back([=, this](Values& values) {
            for (std::size_t i = 0; i < 2; ++i) {
                values[seen[i]] = Matrix(values.at(initial[i]));
                values[seen[2 + i]] = Matrix(values.at(shared[i]));
            }
            for (int32_t pass = 0; pass < hostValues_[number]; ++pass) {
                evaluate(body, values);
                Matrix const first = values.at(next[0]);
                values[seen[1]] = Matrix(values.at(next[1]));
                values[seen[0]] = first;
            }
            for (std::size_t i = 0; i < 2; ++i) {
                values[last[i]] = Matrix(values.at(seen[i]));
            }
        });
        known.insert(known.end(), last.begin(), last.end());
    }

    void addBranch(Tensors& known, Hosts const& hosts, int depth, Program& into) {
        auto const [condition, number] = hosts[below(2)];
        Tensors const shared = entering(known, hosts);
        struct Side {
            Program body;
            Tensors seen;
            Tensors results;
        };
        std::array<Side, 2> sides;
        auto const side = [&](Side& own) {
            return [&](Tensors const& in) {
                own.seen = in;
                Tensors inside{in[0], in[1]};
                own.body = layers(inside, hostsAmong(in), depth + 1);
                own.results = {&pick(inside), &pick(inside)};
                return own.results;
            };
        };
        Tensors const last = branch(network, *condition, shared, side(sides[0]), side(sides[1]));
        into.emplace_back([=, this](Values& values) {
            Side const& taken = sides[hostValues_[number] != 0 ? 0 : 1];
            for (std::size_t i = 0; i < 2; ++i) {
                values[taken.seen[i]] = Matrix(values.at(shared[i]));
            }
            evaluate(taken.body, values);
            for (std::size_t i = 0; i < 2; ++i) {
                values[last[i]] = Matrix(values.at(taken.results[i]));
            }
        });
        known.insert(known.end(), last.begin(), last.end());
    }

    std::mt19937 random_;
    std::array<Tensor*, 2> hosts_{};
    std::array<int32_t, 2> hostValues_{};
    Program program;
};

void compareNetworks(char const* target, uint32_t count) {
    QueuedDevice::instance();
    for (uint32_t seed = 0; seed < count; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomNetwork made(seed);
        made.options.timingRuns = 1;
        ControlEngine run(made.network, target, made.options);
        Matrix input{};
        for (std::size_t i = 0; i < input.size(); ++i) {
            input[i] = static_cast<float>(i % 7) - 3;
        }
        run.set<float>("x", {input.begin(), input.end()}, {2, kRow});
        for (std::array<int32_t, 2> const hosts :
             {std::array{2, 0}, std::array{0, 1}, std::array{3, 2}}) {
            for (std::size_t i = 0; i < hosts.size(); ++i) {
                std::string const name = "h" + std::to_string(i);
                run.setNumber(name.c_str(), hosts[i]);
            }
            Matrix const expected = made.expected(input, hosts);
            std::vector<float> const got = run.get("y", 2 * kRow);
            ASSERT_EQ(got, std::vector<float>(expected.begin(), expected.end()));
        }
    }
}

TEST(RandomControl, OnTheHost) {
    compareNetworks("cpu", 400);
}

TEST(RandomControl, OnADeviceWithAQueue) {
    compareNetworks("queued", 100);
}

} // namespace
} // namespace kiln::test
