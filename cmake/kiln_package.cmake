# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# Defines what `cmake --install` installs: libraries, headers, the CMake package Kiln, licence
# texts. The build tree has a package of the same name in lib/cmake/Kiln, which projects can use
# like the installed one.
include(CMakePackageConfigHelpers)

set(kiln_package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/Kiln")
set(kiln_installed "")
# The exported names, Kiln::<name>, are the EXPORT_NAME of each target.
foreach(target IN ITEMS kiln kiln_plugin_library kiln_onnxparser)
    if(TARGET ${target})
        get_target_property(name ${target} EXPORT_NAME)
        add_library(Kiln::${name} ALIAS ${target})
        list(APPEND kiln_installed ${target})
    endif()
endforeach()

if(kiln_installed)
    install(
        TARGETS ${kiln_installed}
        EXPORT KilnTargets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    )
    install(EXPORT KilnTargets NAMESPACE Kiln:: DESTINATION "${kiln_package_folder}")
endif()
add_library(Kiln::cudart ALIAS kiln_cudart)
install(
    DIRECTORY "${PROJECT_SOURCE_DIR}/include/"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING
    PATTERN "*.h"
)

configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/KilnConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/cmake/KilnConfig.cmake"
    INSTALL_DESTINATION "${kiln_package_folder}"
    NO_SET_AND_CHECK_MACRO
)
write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/cmake/KilnConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion
)
install(
    FILES
        "${PROJECT_BINARY_DIR}/cmake/KilnConfig.cmake"
        "${PROJECT_BINARY_DIR}/cmake/KilnConfigVersion.cmake"
    DESTINATION "${kiln_package_folder}"
)

set(kiln_tree_package "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/cmake/Kiln")
if(kiln_installed)
    export(EXPORT KilnTargets NAMESPACE Kiln:: FILE "${kiln_tree_package}/KilnTargets.cmake")
endif()
file(
    CONFIGURE
    OUTPUT "${kiln_tree_package}/KilnConfig.cmake"
    CONTENT
        "# The CMake package of a tree that is not installed; see cmake/KilnConfig.cmake.in.
include(\"\${CMAKE_CURRENT_LIST_DIR}/KilnTargets.cmake\")
set(Kiln_COMPAT_DIR \"@CMAKE_LIBRARY_OUTPUT_DIRECTORY@/kiln/compat\")
"
    @ONLY
)
file(
    COPY_FILE "${PROJECT_BINARY_DIR}/cmake/KilnConfigVersion.cmake"
    "${kiln_tree_package}/KilnConfigVersion.cmake"
    ONLY_IF_DIFFERENT
)

if(SKBUILD)
    # The system of a wheel's user may lack libfmt, so include the one that was linked.
    get_target_property(fmt_type fmt::fmt TYPE)
    if(fmt_type STREQUAL "SHARED_LIBRARY")
        foreach(config IN ITEMS NONE RELEASE RELWITHDEBINFO NOCONFIG)
            get_target_property(fmt_file fmt::fmt IMPORTED_LOCATION_${config})
            get_target_property(fmt_soname fmt::fmt IMPORTED_SONAME_${config})
            if(fmt_file)
                break()
            endif()
        endforeach()
        install(PROGRAMS "${fmt_file}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" RENAME "${fmt_soname}")
    endif()
else()
    install(
        FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES.md"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}"
    )
endif()
