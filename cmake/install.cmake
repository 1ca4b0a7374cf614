# SPDX-License-Identifier: Apache-2.0
# `cmake --install`: component `program` has the executable and its data, component `library` the headers, the
# libraries, the CMake package and the pkg-config file. All paths in them are relative: an installation can be
# moved.
include(GNUInstallDirs)
install(TARGETS refract RUNTIME COMPONENT program)
install(DIRECTORY references donors data DESTINATION ${CMAKE_INSTALL_DATADIR}/refract COMPONENT program)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
if(NOT TARGET refract_shared)
  return()
endif()

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
