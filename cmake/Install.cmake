# ringrun on PATH; the worker and what it loads under libexec.
install(TARGETS ringrun RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS worker RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/ringrun)
if(TARGET ringrun_nccl)
  install(TARGETS ringrun_nccl LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/ringrun)
endif()
install(DIRECTORY hostfiles DESTINATION ${CMAKE_INSTALL_DATADIR}/ringrun)
