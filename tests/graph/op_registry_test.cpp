// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/op_registry.h"

#include "graph/op_fixture.h"
#include "graph/ops/activation.h"
#include "graph/ops/identity.h"

namespace kiln::graph {
namespace {

using test::errorOf;
using testing::HasSubstr;

TEST(OpRegistry, UnknownKindsAndBytesLeftOverAreRefused) {
    EXPECT_THAT(
        errorOf(ErrorKind::kCorruptData, [] { OpRegistry::instance().load("Teleport", {}); }),
        HasSubstr("operation 'Teleport' is unknown"));
    Bytes const extra(3);
    EXPECT_THAT(
        errorOf(ErrorKind::kCorruptData, [&] { OpRegistry::instance().load("Identity", extra); }),
        HasSubstr("Identity: expected 0 bytes, got 3"));
}

TEST(OpRegistry, ParametersOutOfRangeAreRefused) {
    Activation op;
    op.type = static_cast<nvinfer1::ActivationType>(77);
    Bytes const bytes = saved(op);
    EXPECT_THAT(
        errorOf(ErrorKind::kCorruptData, [&] { OpRegistry::instance().load("Activation", bytes); }),
        HasSubstr("[plan] parameters of Activation: expected a member of ActivationType, got 77"));
}

TEST(OpRegistry, MessagesWithoutALayerNameTheKind) {
    ExprPool pool;
    std::vector<TensorFacts> outputs(1);
    InferContext context{pool, {}, {}, outputs};
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { Identity{}.infer(context); }),
                HasSubstr("[shape] Identity: expected 1 inputs, got 0"));
}

} // namespace
} // namespace kiln::graph
