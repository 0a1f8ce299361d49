# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# Installs manual pages and completion scripts, which scripts/make_shell_files.py writes. A wheel
# puts them beside its commands, <environment>/share, where man and the shells look for them.
# Only a wheel has the command kiln.
if(SKBUILD)
    set(kiln_share "${SKBUILD_DATA_DIR}/share")
    set(kiln_documented kiln trtexec)
else()
    set(kiln_share "${CMAKE_INSTALL_DATADIR}")
    set(kiln_documented trtexec)
endif()
if(TARGET trtexec)
    set(kiln_shell_files "${PROJECT_SOURCE_DIR}/packaging/shell")
    foreach(name IN LISTS kiln_documented)
        install(FILES "${kiln_shell_files}/man/${name}.1" DESTINATION "${kiln_share}/man/man1")
        install(
            FILES "${kiln_shell_files}/bash/${name}"
            DESTINATION "${kiln_share}/bash-completion/completions"
        )
        install(
            FILES "${kiln_shell_files}/zsh/_${name}"
            DESTINATION "${kiln_share}/zsh/site-functions"
        )
        install(
            FILES "${kiln_shell_files}/fish/${name}.fish"
            DESTINATION "${kiln_share}/fish/vendor_completions.d"
        )
    endforeach()
endif()
