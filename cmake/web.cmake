# The files of web/ in the binary (src/page/serve/assets.h), written again when one of them changes.
file(GLOB_RECURSE COPPICE_WEB CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/*)
set(COPPICE_WEB_ASSETS ${CMAKE_BINARY_DIR}/generated/web_assets.cpp)
add_custom_command(OUTPUT ${COPPICE_WEB_ASSETS}
                   COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/embed_web.py
                           ${CMAKE_SOURCE_DIR}/web ${COPPICE_WEB_ASSETS}
                   DEPENDS ${COPPICE_WEB} ${CMAKE_SOURCE_DIR}/tools/embed_web.py)
target_sources(coppice_page PRIVATE ${COPPICE_WEB_ASSETS})
set_source_files_properties(${COPPICE_WEB_ASSETS} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
