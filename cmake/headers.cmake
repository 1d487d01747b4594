# The target `headers` compiles each header by itself, without a precompiled one: it fails for a header
# that uses what it does not include. The compiler cache and Ninja leave out those that did not change.

file(GLOB_RECURSE headers RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS
     ${CMAKE_SOURCE_DIR}/src/*.h ${CMAKE_SOURCE_DIR}/tests/*.h)
set(header_sources)
foreach(header IN LISTS headers)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/headers/${header}.cpp
       CONTENT "#include \"${header}\"\n")
  list(APPEND header_sources ${CMAKE_BINARY_DIR}/headers/${header}.cpp)
endforeach()
add_library(headers OBJECT EXCLUDE_FROM_ALL ${header_sources})
target_link_libraries(headers PRIVATE coppice_options GTest::gmock)
target_compile_options(headers PRIVATE -g0)
target_include_directories(headers PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
