# find_package(haptix-comm): the target haptix::haptix, and the variables that programs for haptix-comm use.
get_filename_component(_haptix_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(HAPTIX-COMM_INCLUDE_DIRS "${_haptix_prefix}/include/haptix-comm")
set(HAPTIX-COMM_LIBRARY_DIRS "${_haptix_prefix}/lib")
set(HAPTIX-COMM_LIBRARIES "${_haptix_prefix}/lib/libhaptix.so")
set(HAPTIX-COMM_CFLAGS "-I${HAPTIX-COMM_INCLUDE_DIRS}")
set(HAPTIX-COMM_CXX_FLAGS "")
set(HAPTIX-COMM_LDFLAGS "-L${HAPTIX-COMM_LIBRARY_DIRS}")
if(NOT TARGET haptix::haptix)
  add_library(haptix::haptix SHARED IMPORTED)
  set_target_properties(haptix::haptix PROPERTIES
    IMPORTED_LOCATION "${HAPTIX-COMM_LIBRARIES}"
    IMPORTED_SONAME libhaptix.so
    INTERFACE_INCLUDE_DIRECTORIES "${HAPTIX-COMM_INCLUDE_DIRS}")
endif()
unset(_haptix_prefix)
