# coppice_layer(NAME DEPS …): a library from every source below src/NAME, and one test program
# from every *_test.cpp there. Sources are found by name, so adding a file needs no edit here.

find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)

set(COPPICE_PCH <algorithm> <chrono> <cstdint> <functional> <map> <memory> <mutex> <optional>
                <set> <string> <string_view> <unordered_map> <utility> <variant> <vector>
                <fmt/core.h> <fmt/format.h>)

# A third of a clean build is test code, which gains nothing from being optimised.
set(COPPICE_TEST_OPTIONS $<$<CONFIG:Release>:-O0>)

# Where the sources lie, for the tests that read files from there. A header, because a path in every
# command would keep sibling checkouts from sharing the compiler cache.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/source_dir.h
     CONTENT "#define COPPICE_SOURCE_DIR \"@CMAKE_SOURCE_DIR@\"\n" @ONLY)

# coppice_precompile(NAME VERSIONS HEADER…): a precompiled header, compiled once and reused by many
# targets.
function(coppice_precompile name versions)
  file(WRITE ${CMAKE_BINARY_DIR}/${name}.cpp "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE coppice_options fmt::fmt)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  # No two compilations of it give the same bytes. Without a name for what is in it, the compiler
  # cache would know its objects again only where it knows the header itself, and read 80 MB to ask.
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.gch.sum
       CONTENT "${ARGN} ${versions}\n")
endfunction()

set(COPPICE_PCH_VERSIONS "${fmt_VERSION} ${CMAKE_CXX_COMPILER_VERSION}")
coppice_precompile(coppice_pch "${COPPICE_PCH_VERSIONS}" ${COPPICE_PCH})
if(COPPICE_TESTS)
  # A header compiled with other options than the source is no use to it.
  coppice_precompile(coppice_test_pch "${COPPICE_PCH_VERSIONS} ${GTest_VERSION}" ${COPPICE_PCH}
                     <gmock/gmock.h> <gtest/gtest.h>)
  target_link_libraries(coppice_test_pch PRIVATE GTest::gmock)
  target_compile_options(coppice_test_pch PRIVATE ${COPPICE_TEST_OPTIONS})
endif()

function(coppice_resolve out)
  set(resolved)
  foreach(dep IN LISTS ARGN)
    if(TARGET coppice_${dep})
      list(APPEND resolved coppice_${dep})
    else()
      list(APPEND resolved ${dep})
    endif()
  endforeach()
  set(${out} ${resolved} PARENT_SCOPE)
endfunction()

# Half of a file's time goes into what its headers instantiate. Six files share that, and few enough
# are compiled again when one of them changes. A local name must then be that of one file alone, or a
# call may go to another file's: tools/check_local_names.py.
function(coppice_unity target)
  if(COPPICE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()

function(coppice_tests name dir)
  cmake_parse_arguments(ARG "" "SHARDS" "DEPS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*_test.cpp ${dir}/*_testing.cpp)
  if(NOT sources)
    return()
  endif()
  coppice_resolve(deps ${ARG_DEPS})
  add_executable(${name}_test ${sources})
  target_link_libraries(${name}_test PRIVATE ${deps} coppice_options GTest::gmock GTest::gtest_main)
  target_include_directories(${name}_test PRIVATE ${CMAKE_BINARY_DIR}/generated)
  target_compile_options(${name}_test PRIVATE ${COPPICE_TEST_OPTIONS})
  target_precompile_headers(${name}_test REUSE_FROM coppice_test_pch)
  coppice_unity(${name}_test)
  # Under a sanitizer, beside other work, a part of the scenarios takes ten minutes.
  set(timeout 600)
  if(COPPICE_SANITIZE)
    set(timeout 3600)
  endif()
  if(NOT ARG_SHARDS)
    add_test(NAME ${name} COMMAND ${name}_test WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout})
    return()
  endif()
  # The longest ones in parts, so that every core has work to the end.
  foreach(shard RANGE 1 ${ARG_SHARDS})
    math(EXPR index "${shard} - 1")
    add_test(NAME ${name}_${shard} COMMAND ${name}_test WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name}_${shard} PROPERTIES TIMEOUT ${timeout} ENVIRONMENT
                         "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

function(coppice_layer name)
  cmake_parse_arguments(ARG "UNITY" "" "DEPS;TEST_DEPS" ${ARGN})
  set(dir ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cpp)
  set(benches ${sources})
  set(fuzzers ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|testing|bench|fuzz)\\.cpp$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cpp$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cpp$")
  coppice_resolve(deps ${ARG_DEPS})
  if(sources)
    add_library(coppice_${name} STATIC ${sources})
    target_link_libraries(coppice_${name} PUBLIC ${deps} PRIVATE coppice_options)
    target_precompile_headers(coppice_${name} REUSE_FROM coppice_pch)
    if(ARG_UNITY)
      coppice_unity(coppice_${name})
    endif()
  else()
    add_library(coppice_${name} INTERFACE)
    target_link_libraries(coppice_${name} INTERFACE ${deps})
  endif()
  if(COPPICE_TESTS)
    coppice_tests(${name} ${dir} DEPS ${name} ${ARG_TEST_DEPS})
  endif()
  if(COPPICE_BENCH AND benches)
    add_executable(${name}_bench ${benches})
    target_link_libraries(${name}_bench PRIVATE coppice_${name} coppice_options
                          benchmark::benchmark benchmark::benchmark_main)
    target_precompile_headers(${name}_bench REUSE_FROM coppice_pch)
  endif()
  if(COPPICE_FUZZ)
    foreach(fuzzer IN LISTS fuzzers)
      get_filename_component(target ${fuzzer} NAME_WE)
      add_executable(${target} ${fuzzer})
      target_link_libraries(${target} PRIVATE coppice_${name} coppice_options -fsanitize=fuzzer)
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer)
      if(NOT TARGET fuzzers)
        add_custom_target(fuzzers)
      endif()
      add_dependencies(fuzzers ${target})
    endforeach()
  endif()
endfunction()
