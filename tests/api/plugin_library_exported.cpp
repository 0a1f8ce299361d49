// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin library that exports its creators and takes a logger, as the API documents.
#include "support/empty_creator.h"

extern "C" TENSORRTAPI void setLoggerFinder(nvinfer1::ILoggerFinder* finder) {
    if (nvinfer1::ILogger* const logger = finder->findLogger(); logger != nullptr) {
        logger->log(nvinfer1::ILogger::Severity::kINFO, "the library has a logger");
    }
}

extern "C" TENSORRTAPI nvinfer1::IPluginCreatorInterface* const* getCreators(int32_t& count) {
    static kiln::test::EmptyV3Creator creator("ExportedV3");
    static nvinfer1::IPluginCreatorInterface* const all[] = {&creator};
    count = 1;
    return all;
}
