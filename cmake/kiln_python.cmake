# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# Scripts that the build runs. They need Python alone, without packages. KILN_SCRIPT_PYTHON may name
# the interpreter: wheels for several others share one, because another would repeat all steps.
if(NOT KILN_SCRIPT_PYTHON)
    if(Python_EXECUTABLE)
        set(KILN_SCRIPT_PYTHON "${Python_EXECUTABLE}")
    else()
        find_program(KILN_SCRIPT_PYTHON NAMES python3 python REQUIRED)
        mark_as_advanced(KILN_SCRIPT_PYTHON)
    endif()
endif()

# kiln_run_script(<script in scripts/>
#     OUTPUT <files>       that the script writes, only if their text changes
#     ARGUMENTS <words>    of its command line
#     DEPENDS <files>)     that it reads, besides the headers of networks
function(kiln_run_script script)
    cmake_parse_arguments(arg "" "" "OUTPUT;ARGUMENTS;DEPENDS" ${ARGN})
    set(folder "${PROJECT_SOURCE_DIR}/scripts")
    file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/kiln/api/network/*.h")
    add_custom_command(
        OUTPUT ${arg_OUTPUT}
        COMMAND "${KILN_SCRIPT_PYTHON}" "${folder}/${script}" ${arg_ARGUMENTS}
        DEPENDS "${folder}/${script}" "${folder}/network_header.py" ${headers} ${arg_DEPENDS}
        COMMENT "${script}"
        VERBATIM
    )
endfunction()
