// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <NvOnnxConfig.h>
#include <gtest/gtest.h>

namespace kiln::onnx {
namespace {

TEST(OnnxConfig, KeepsItsSettings) {
    std::unique_ptr<nvonnxparser::IOnnxConfig> const config(nvonnxparser::createONNXConfig());
    ASSERT_NE(config, nullptr);
    EXPECT_EQ(config->getModelDtype(), nvinfer1::DataType::kFLOAT);
    EXPECT_STREQ(config->getModelFileName(), "");
    EXPECT_EQ(config->getVerbosityLevel(), 2);
    EXPECT_FALSE(config->getPrintLayerInfo());
    config->setModelDtype(nvinfer1::DataType::kHALF);
    config->setModelFileName("model.onnx");
    config->setTextFileName("model.txt");
    config->setFullTextFileName("all.txt");
    config->setPrintLayerInfo(true);
    config->addVerbosity();
    config->addVerbosity();
    config->reduceVerbosity();
    EXPECT_EQ(config->getModelDtype(), nvinfer1::DataType::kHALF);
    EXPECT_STREQ(config->getModelFileName(), "model.onnx");
    EXPECT_STREQ(config->getTextFileName(), "model.txt");
    EXPECT_STREQ(config->getFullTextFileName(), "all.txt");
    EXPECT_TRUE(config->getPrintLayerInfo());
    EXPECT_EQ(config->getVerbosityLevel(), 3);
    config->setVerbosityLevel(0);
    EXPECT_EQ(config->getVerbosityLevel(), 0);
    config->setModelFileName(nullptr);
    EXPECT_STREQ(config->getModelFileName(), "");
}

} // namespace
} // namespace kiln::onnx
