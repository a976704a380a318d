# Debian packages by CPack, a component each: vitrail (tool), vitrail-guests (guests), libvitrail1 (library), libvitrail-dev (dev). packaging/build makes them;
# `cpack` in any build folder makes them of what is built there.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME vitrail)
set(CPACK_PACKAGE_VERSION ${VITRAIL_VERSION})
set(CPACK_PACKAGE_CONTACT "${VITRAIL_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "GPU made of software, for stock Mesa drivers")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL tool library dev)
if(TARGET client_arm64 OR TARGET client_armhf)
    list(APPEND CPACK_COMPONENTS_ALL guests)
    set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS "vitrail-guests (= ${VITRAIL_VERSION})")
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/api)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

get_target_property(soversion vitrail_shared SOVERSION)
set(library libvitrail${soversion})
set(about "What real drivers of Mesa (vc4, lima, panfrost) hand to tile-based GPUs -
VideoCore IV, Mali Utgard, Midgard, Bifrost and Valhall - is executed and
drawn on an x86-64 machine, the same bytes everywhere.")

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME vitrail)
set(CPACK_COMPONENT_TOOL_DESCRIPTION "GPU made of software: record, replay, verify, debug\n${about}

This package has the command: programs run on the emulated GPU, captures of
what they drew are replayed, compared, explained, profiled and checked.")
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS "qemu-user-static | qemu-user")
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "ffmpeg")

set(CPACK_DEBIAN_GUESTS_PACKAGE_NAME vitrail-guests)
set(CPACK_DEBIAN_GUESTS_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_GUESTS_DESCRIPTION "GPU made of software: programs of arm64 and armhf\n${about}

This package has what vitrail preloads into such programs, which run with
qemu-user and libraries of their own.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
file(WRITE ${CMAKE_BINARY_DIR}/packaging/shlibs "libvitrail ${soversion} ${library} (>= ${VITRAIL_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/triggers ${CMAKE_BINARY_DIR}/packaging/shlibs)
# Not the modes that the sources have here, which are a clone's umask's.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "GPU made of software: library\n${about}

This package has the shared library, for device models of virtual machines
and others that embed the GPU.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libvitrail-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${library} (= ${VITRAIL_VERSION}), libpng-dev, libzstd-dev, libxxhash-dev, llvm-19-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_DEV_DESCRIPTION "GPU made of software: header and static library\n${about}

This package has what programs are built with: vitrail.h, the static
library, files for pkg-config and CMake.")

# What Debian wants in each package's documents; the date is that of the sources.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(debian ${CMAKE_BINARY_DIR}/packaging)
configure_file(${CMAKE_CURRENT_LIST_DIR}/changelog.in ${debian}/changelog @ONLY)
foreach(file changelog CHANGELOG.md)
    set(from ${CMAKE_SOURCE_DIR}/${file})
    if(file STREQUAL changelog)
        set(from ${debian}/${file})
    endif()
    execute_process(COMMAND ${GZIP} -9nc ${from} OUTPUT_FILE ${debian}/${file}.gz COMMAND_ERROR_IS_FATAL ANY)
endforeach()
foreach(part tool:vitrail guests:vitrail-guests library:${library} dev:libvitrail-dev)
    string(REGEX REPLACE ":.*" "" component ${part})
    string(REGEX REPLACE ".*:" "" package ${part})
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/copyright ${debian}/changelog.gz DESTINATION share/doc/${package} COMPONENT ${component})
    if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/lintian/${component})
        install(FILES ${CMAKE_CURRENT_LIST_DIR}/lintian/${component} DESTINATION share/lintian/overrides RENAME ${package}
            COMPONENT ${component})
    endif()
endforeach()
install(FILES ${debian}/CHANGELOG.md.gz ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/SECURITY.md
    DESTINATION share/doc/vitrail COMPONENT tool)
install(FILES ${CMAKE_SOURCE_DIR}/docs/VERIFY.md DESTINATION share/doc/vitrail/docs COMPONENT tool)
install(PROGRAMS ${CMAKE_SOURCE_DIR}/tools/sysroot ${CMAKE_SOURCE_DIR}/tools/sysroot-caches ${CMAKE_SOURCE_DIR}/tools/setup DESTINATION share/vitrail/tools COMPONENT tool)

# What of a build the packages have.
add_custom_target(packaged DEPENDS vitrail texts vitrail_shared vitrail_static client_session)
foreach(architecture amd64 arm64 armhf)
    if(TARGET client_${architecture})
        add_dependencies(packaged client_${architecture})
    endif()
endforeach()

include(CPack)
