# Compiler flags, the linker, the compiler cache and the libraries that all layers share.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(CURL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(nghttp2 REQUIRED IMPORTED_TARGET libnghttp2)
pkg_check_modules(simdjson REQUIRED IMPORTED_TARGET simdjson)
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(jemalloc REQUIRED IMPORTED_TARGET jemalloc)

find_program(CCACHE ccache)
if(CCACHE)
  # Build folders are siblings, so that relative paths, and with them cache entries, are the same.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Everywhere, because a precompiled header serves only code compiled with the same macros.
add_compile_options(-pthread)
# __FILE__ is a path inside the repository, so that clones share one compiler cache.
add_compile_options(-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)

add_library(coppice_options INTERFACE)
target_include_directories(coppice_options INTERFACE ${CMAKE_SOURCE_DIR}/src
                                                     ${CMAKE_BINARY_DIR}/generated)

# The typed views of API objects (api/view/view.h), made anew when a description changes.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB COPPICE_DESCRIPTIONS CONFIGURE_DEPENDS
     ${CMAKE_SOURCE_DIR}/src/api/schema/tables/*.inc ${CMAKE_SOURCE_DIR}/src/api/foreign/*.inc
     ${CMAKE_SOURCE_DIR}/src/api/documents/*.inc
     ${CMAKE_SOURCE_DIR}/src/api/grove/*.h ${CMAKE_SOURCE_DIR}/src/api/kai/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${COPPICE_DESCRIPTIONS} ${CMAKE_SOURCE_DIR}/tools/make_views.py)
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/make_views.py
                        ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated
                COMMAND_ERROR_IS_FATAL ANY)
target_compile_options(coppice_options INTERFACE
  -Wall -Wextra -Werror $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local> -Wnon-virtual-dtor
  -Wno-missing-field-initializers
  # libstdc++ 12 uses a function of its own that it calls deprecated.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess -Wno-maybe-uninitialized -Wno-restrict
    -Wno-dangling-pointer -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>)
target_compile_definitions(coppice_options INTERFACE COPPICE_VERSION="${PROJECT_VERSION}")

if(COPPICE_SANITIZE)
  add_compile_options(-fsanitize=${COPPICE_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${COPPICE_SANITIZE})
  if(COPPICE_SANITIZE MATCHES thread)
    # The thread sanitizer does not understand fences; Asio's stand beside locks that it does.
    add_compile_definitions(BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
endif()

# For programs that run the product; sanitizers bring an allocator of their own.
add_library(coppice_allocator INTERFACE)
if(NOT COPPICE_SANITIZE)
  target_sources(coppice_allocator INTERFACE ${CMAKE_SOURCE_DIR}/cmd/coppice/allocator.cpp)
  target_link_libraries(coppice_allocator INTERFACE PkgConfig::jemalloc)
endif()
