# ringrun on PATH; the worker and what it loads under libexec.
install(TARGETS ringrun RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS worker RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/ringrun)
if(TARGET ringrun_nccl)
  install(TARGETS ringrun_nccl LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/ringrun)
endif()
install(FILES "${RINGRUN_COMPLETION}" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ringrun)
# mpirun's names for ringrun, in a folder that is put on PATH by whoever wants them.
install(CODE "
  set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBEXECDIR}/ringrun/masquerade\")
  file(MAKE_DIRECTORY \"\${folder}\")
  file(RELATIVE_PATH target \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBEXECDIR}/ringrun/masquerade\"
    \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/ringrun\")
  foreach(name mpirun mpiexec)
    file(CREATE_LINK \"\${target}\" \"\${folder}/\${name}\" SYMBOLIC)
  endforeach()")
# Scripts for the nodes are among them.
install(DIRECTORY hostfiles DESTINATION ${CMAKE_INSTALL_DATADIR}/ringrun USE_SOURCE_PERMISSIONS)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the ringrun developers")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "openmpi-bin, openssh-client")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
include(CPack)
