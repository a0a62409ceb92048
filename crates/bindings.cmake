# r2r makes its bindings again only if an environment variable changed: lets it, if an installed interface changed. Otherwise nodes would
# crash on the changed message.
#
# CARGO: the executable; TARGET: cargo's target folder.
cmake_minimum_required(VERSION 3.22)

string(REPLACE ":" ";" PREFIXES "$ENV{AMENT_PREFIX_PATH}")
set(ALL "")
foreach(prefix IN LISTS PREFIXES)
  file(GLOB interfaces "${prefix}/share/*/msg/*.idl" "${prefix}/share/*/srv/*.idl" "${prefix}/share/*/action/*.idl")
  foreach(interface IN LISTS interfaces)
    file(SHA256 "${interface}" digest)
    string(APPEND ALL "${interface} ${digest}\n")
  endforeach()
endforeach()
string(SHA256 DIGEST "${ALL}")

set(MARK "${TARGET}/.interfaces")
set(BEFORE "")
if(EXISTS "${MARK}")
  file(READ "${MARK}" BEFORE)
endif()
if(NOT BEFORE STREQUAL DIGEST)
  execute_process(
    COMMAND "${CARGO}" clean --quiet --release --target-dir "${TARGET}" -p r2r -p r2r_actions -p r2r_msg_gen -p r2r_rcl
    COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE "${MARK}" "${DIGEST}")
endif()
