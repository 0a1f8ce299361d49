# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# Finds oneDNN 3.2 for the cpu target: below KILN_ONEDNN_ROOT, else among the packages of the Python
# interpreter (requirements/onednn.txt). Nothing is downloaded. Sets KILN_ONEDNN_LIBRARY,
# KILN_ONEDNN_INCLUDE_DIR and KILN_ONEDNN_LICENCES, or none of them: then the cpu target has its own
# kernels only.
option(KILN_ONEDNN "Use oneDNN in the cpu target if it is found" ON)
set(KILN_ONEDNN_ROOT
    "$ENV{KILN_ONEDNN_ROOT}"
    CACHE PATH
    "Folder with include/oneapi/dnnl/dnnl.h and lib/libdnnl.so.3 of onednn-cpu-gomp 2023.2.0"
)

function(kiln_find_onednn)
    find_program(KILN_ONEDNN_PYTHON NAMES "${Python_EXECUTABLE}" python3 python)
    mark_as_advanced(KILN_ONEDNN_PYTHON)
    if(NOT KILN_ONEDNN_PYTHON)
        set(KILN_ONEDNN_PROBLEM "no Python, which makes Kiln's copy of it" PARENT_SCOPE)
        return()
    endif()
    set(root "${KILN_ONEDNN_ROOT}")
    if(NOT root)
        # The files of the two packages, also in the isolated environment of pip.
        execute_process(
            COMMAND
                "${KILN_ONEDNN_PYTHON}" -c
                "from importlib.metadata import files
from pathlib import Path
for f in files('onednn-cpu-gomp') or []:
    if f.name == 'libdnnl.so.3':
        print(Path(f.locate()).resolve().parent.parent)"
            OUTPUT_VARIABLE root
            OUTPUT_STRIP_TRAILING_WHITESPACE
            ERROR_QUIET
        )
    endif()
    set(header "${root}/include/oneapi/dnnl/dnnl_version.h")
    set(library "${root}/lib/libdnnl.so.3")
    if(NOT root OR NOT EXISTS "${header}" OR NOT EXISTS "${library}")
        string(
            CONCAT problem
            "not found. Install requirements/onednn.txt with pip, or name the folder of oneDNN in "
            "KILN_ONEDNN_ROOT"
        )
        set(KILN_ONEDNN_PROBLEM "${problem}" PARENT_SCOPE)
        return()
    endif()
    file(STRINGS "${header}" lines REGEX "DNNL_VERSION_(MAJOR|MINOR) ")
    string(REGEX MATCHALL "[0-9]+" version "${lines}")
    list(JOIN version "." version)
    if(NOT version STREQUAL "3.2")
        set(KILN_ONEDNN_PROBLEM "expected version 3.2, got ${version}" PARENT_SCOPE)
        return()
    endif()
    set(KILN_ONEDNN_LIBRARY "${library}" PARENT_SCOPE)
    set(KILN_ONEDNN_INCLUDE_DIR "${root}/include" PARENT_SCOPE)
    file(GLOB licences "${root}/share/doc/onednn/LICENSE" "${root}/share/doc/onednn/THIRD-PARTY-*")
    set(KILN_ONEDNN_LICENCES "${licences}" PARENT_SCOPE)
    set(KILN_ONEDNN_PYTHON "${KILN_ONEDNN_PYTHON}" PARENT_SCOPE)
endfunction()

set(KILN_ONEDNN_LIBRARY "")
set(KILN_ONEDNN_PROBLEM "KILN_ONEDNN is off")
if(KILN_ONEDNN)
    kiln_find_onednn()
endif()
if(KILN_ONEDNN_LIBRARY)
    message(STATUS "oneDNN: ${KILN_ONEDNN_LIBRARY}")
else()
    message(STATUS "oneDNN: ${KILN_ONEDNN_PROBLEM}. The cpu target has its own kernels only.")
endif()
