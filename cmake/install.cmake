# SPDX-License-Identifier: Apache-2.0
# `cmake --install`: component `program` has the executable and its data, component `library` the headers, the
# libraries, the CMake package and the pkg-config file. All paths in them are relative: an installation can be
# moved.
include(GNUInstallDirs)
install(TARGETS refract RUNTIME COMPONENT program)
install(DIRECTORY references donors data DESTINATION ${CMAKE_INSTALL_DATADIR}/refract COMPONENT program)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

if(NOT TARGET refract_shared)  # with sanitisers
  return()
endif()

# Man pages and completions, made from the tables of --help. The version in them is that of the executable.
set(pages ${PROJECT_BINARY_DIR}/pages)
file(MAKE_DIRECTORY ${pages}/man1)
add_executable(command_pages tools/command_pages.cpp)
target_link_libraries(command_pages PRIVATE cli)
add_custom_command(
  OUTPUT ${pages}/man1/refract.1
  COMMAND command_pages ${pages} DEPENDS command_pages COMMENT "Writing man pages and completions" VERBATIM)
add_custom_target(pages ALL DEPENDS ${pages}/man1/refract.1)
install(DIRECTORY ${pages}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
install(FILES ${pages}/refract DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${pages}/_refract DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
install(FILES ${pages}/refract.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)

# Removes what `cmake --install` wrote last, as the manifest lists it.
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR}
                  -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)

install(DIRECTORY include/refract DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(TARGETS refract_shared LIBRARY COMPONENT library NAMELINK_COMPONENT library)
if(TARGET refract_static)
  install(FILES ${static_library} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
endif()

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Refract)
configure_package_config_file(cmake/RefractConfig.cmake.in ${PROJECT_BINARY_DIR}/RefractConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/RefractConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/RefractConfig.cmake ${PROJECT_BINARY_DIR}/RefractConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT library)
file(RELATIVE_PATH prefix_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig "${prefix_from_pkgconfig}")
configure_file(cmake/refract.pc.in ${PROJECT_BINARY_DIR}/refract.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/refract.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
