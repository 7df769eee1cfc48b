# CUDA and NCCL: used where found, never required unless RINGRUN_GPU=ON.
# Sets RINGRUN_HAS_GPU, RINGRUN_BUILT_FOR_CUDA and, where it is ON, the target ringrun_nccl_library.
set(RINGRUN_HAS_GPU OFF)
# 13000 for CUDA 13.0, as the driver counts; 0 without.
set(RINGRUN_BUILT_FOR_CUDA 0)
set(RINGRUN_GPU_MISSING "RINGRUN_GPU=OFF")
if(NOT RINGRUN_GPU STREQUAL "OFF")
  include(CheckLanguage)
  find_program(RINGRUN_NVCC nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
  if(RINGRUN_NVCC AND NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    set(CMAKE_CUDA_COMPILER "${RINGRUN_NVCC}" CACHE FILEPATH "CUDA compiler")
  endif()
  check_language(CUDA)

  # Python environments carry NCCL as nvidia/nccl; ask the interpreter that is on PATH.
  execute_process(COMMAND python3 -c "import nvidia.nccl as n; print(list(n.__path__)[0])"
    OUTPUT_VARIABLE RINGRUN_PYTHON_NCCL OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  get_filename_component(RINGRUN_CUDA_ROOT "${RINGRUN_NVCC}/../.." REALPATH)
  find_path(RINGRUN_NCCL_INCLUDE nccl.h HINTS ENV NCCL_HOME ${RINGRUN_PYTHON_NCCL} ${RINGRUN_CUDA_ROOT} PATH_SUFFIXES include)
  # The library beside the header that was found: a machine may have two versions.
  find_library(RINGRUN_NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR HINTS ${RINGRUN_NCCL_INCLUDE}/..
    PATH_SUFFIXES lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE})

  if(NOT CMAKE_CUDA_COMPILER)
    set(RINGRUN_GPU_MISSING "no CUDA compiler (nvcc) found")
  elseif(NOT RINGRUN_NCCL_INCLUDE OR NOT RINGRUN_NCCL_LIBRARY)
    set(RINGRUN_GPU_MISSING "no NCCL (nccl.h, libnccl.so) found; set NCCL_HOME or install libnccl-dev")
  else()
    set(RINGRUN_HAS_GPU ON)
  endif()
  if(RINGRUN_GPU STREQUAL "ON" AND NOT RINGRUN_HAS_GPU)
    message(FATAL_ERROR "RINGRUN_GPU=ON, but ${RINGRUN_GPU_MISSING}")
  endif()
endif()

if(RINGRUN_HAS_GPU)
  # Machine code for the cards that people have; PTX of the newest known one serves later cards.
  # CMake writes its own default into CMAKE_CUDA_ARCHITECTURES at enable_language, so it is set before.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code OUTPUT_VARIABLE known_gpu_code ERROR_QUIET)
    set(architectures "")
    foreach(architecture 70 75 80 86 89 90 100 120)
      if(known_gpu_code MATCHES "sm_${architecture}\n")
        list(APPEND architectures "${architecture}-real")
        set(newest ${architecture})
      endif()
    endforeach()
    list(APPEND architectures "${newest}-virtual")
    set(CMAKE_CUDA_ARCHITECTURES "${architectures}" CACHE STRING "GPU architectures")
  endif()
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  find_package(CUDAToolkit REQUIRED)
  math(EXPR RINGRUN_BUILT_FOR_CUDA "${CUDAToolkit_VERSION_MAJOR} * 1000 + ${CUDAToolkit_VERSION_MINOR} * 10")
  add_library(ringrun_nccl_library INTERFACE)
  target_include_directories(ringrun_nccl_library SYSTEM INTERFACE ${RINGRUN_NCCL_INCLUDE})
  target_link_libraries(ringrun_nccl_library INTERFACE ${RINGRUN_NCCL_LIBRARY} CUDA::cudart_static)
endif()
