# ROS from wheels has no C++ clients, so nobody needs the C++ code of an interface, which takes half of the time.
if(WITHOUT_CPP)
  find_package(rosidl_default_generators REQUIRED)
  list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "_cpp:")
endif()

# Compiles the generated sources of a type support as one, which takes a third less time: each of them reads the same headers. Those of
# introspection_cpp cannot be, since one declares what another has used already.
function(compile_together)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  list(FILTER targets INCLUDE REGEX "__rosidl_typesupport_")
  list(FILTER targets EXCLUDE REGEX "introspection_cpp$")
  if(targets)
    set_target_properties(${targets} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
endfunction()
cmake_language(DEFER CALL compile_together)
