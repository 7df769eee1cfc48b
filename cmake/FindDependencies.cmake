# Every third-party library that the project uses, as one imported target each; CONTRIBUTING names the packages.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)

set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI REQUIRED COMPONENTS CXX)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc>=2.7)

# ringrun is copied to hosts that may lack these, so they become part of it.
find_package(fmt 8.1 REQUIRED)
add_library(ringrun_fmt INTERFACE)
target_link_libraries(ringrun_fmt INTERFACE fmt::fmt-header-only)

find_path(RINGRUN_UV_INCLUDE uv.h REQUIRED)
find_library(RINGRUN_UV_LIBRARY NAMES libuv_a.a libuv.a uv REQUIRED)
add_library(ringrun_uv INTERFACE)
target_include_directories(ringrun_uv SYSTEM INTERFACE ${RINGRUN_UV_INCLUDE})
target_link_libraries(ringrun_uv INTERFACE ${RINGRUN_UV_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS} rt)

find_path(RINGRUN_CXXOPTS_INCLUDE cxxopts.hpp REQUIRED)
add_library(ringrun_cxxopts INTERFACE)
target_include_directories(ringrun_cxxopts SYSTEM INTERFACE ${RINGRUN_CXXOPTS_INCLUDE})

# Only its header: the functions are compiled into the program.
find_path(RINGRUN_XXHASH_INCLUDE xxhash.h REQUIRED)
add_library(ringrun_xxhash INTERFACE)
target_include_directories(ringrun_xxhash SYSTEM INTERFACE ${RINGRUN_XXHASH_INCLUDE})

# PMIx names the ranks that never arrived; without it the worker says only which ranks still wait.
pkg_check_modules(pmix QUIET IMPORTED_TARGET pmix)
if(NOT pmix_FOUND)
  find_path(RINGRUN_PMIX_INCLUDE pmix.h PATH_SUFFIXES pmix2/include pmix/include
    PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
  find_library(RINGRUN_PMIX_LIBRARY NAMES pmix libpmix.so.2 PATH_SUFFIXES pmix2/lib)
endif()
add_library(ringrun_pmix INTERFACE)
if(pmix_FOUND)
  set(RINGRUN_HAS_PMIX ON)
  target_link_libraries(ringrun_pmix INTERFACE PkgConfig::pmix)
elseif(RINGRUN_PMIX_INCLUDE AND RINGRUN_PMIX_LIBRARY)
  set(RINGRUN_HAS_PMIX ON)
  target_include_directories(ringrun_pmix SYSTEM INTERFACE ${RINGRUN_PMIX_INCLUDE})
  target_link_libraries(ringrun_pmix INTERFACE ${RINGRUN_PMIX_LIBRARY})
else()
  set(RINGRUN_HAS_PMIX OFF)
endif()
