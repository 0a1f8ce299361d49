// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/compile.h"

#include "backend/backend_registry.h"
#include "compiler/passes/passes.h"
#include "plan/writer.h"

namespace kiln::compiler {

Bytes compile(graph::Network& network, Options const& options) {
    backend::Backend& backend = backend::BackendRegistry::instance().open(options.target);
    Program program(network.pool(), backend, options);
    applyProfiles(network, program);
    importNetwork(network, program);
    KernelChooser chooser(program, options.allowHalf && !network.stronglyTyped());
    assignTypes(program, chooser);
    insertCasts(program);
    chooseKernels(program, chooser);
    plan::Document document = emitDocument(program);
    document.libraries = options.libraries;
    options.log.info("[builder] engine for {}: {} steps, {} plugins, {} bytes of device memory per "
                     "context.",
                     options.target, document.steps.size(), document.plugins.size(),
                     document.arenaBytes);
    return plan::write(document);
}

} // namespace kiln::compiler
