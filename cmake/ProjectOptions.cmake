# One INTERFACE target that every target of the project links: language, warnings, sanitizers.
add_library(project_options INTERFACE)
target_compile_features(project_options INTERFACE cxx_std_20)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
target_compile_options(project_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual>
  # GCC 12 sees overlapping copies in std::string's operator+ (its bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
# Errors name the project's file, not the build machine's folder.
target_compile_options(project_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
target_include_directories(project_options INTERFACE "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/generated")
configure_file("${PROJECT_SOURCE_DIR}/lib/version.hpp.in" "${PROJECT_BINARY_DIR}/generated/lib/version.hpp" @ONLY)
# Tells two builds of one version apart; most compilers ask the linker for it by themselves.
target_link_options(project_options INTERFACE LINKER:--build-id=sha1)

# Not in what is loaded into programs that are not the project's, such as mpirun: its target says RINGRUN_UNSANITIZED.
if(RINGRUN_SANITIZE)
  set(sanitized $<NOT:$<BOOL:$<TARGET_PROPERTY:RINGRUN_UNSANITIZED>>>)
  set(sanitize_flags -fsanitize=${RINGRUN_SANITIZE} -fno-sanitize-recover=all)
  target_compile_options(project_options INTERFACE
    "$<$<AND:${sanitized},$<COMPILE_LANGUAGE:CXX>>:${sanitize_flags};-fno-omit-frame-pointer>")
  target_link_options(project_options INTERFACE "$<${sanitized}:${sanitize_flags}>")
endif()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# ringrun_library(NAME SOURCES… LINK targets…): a static library of this project, one per folder.
function(ringrun_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC project_options ${arg_LINK})
endfunction()
