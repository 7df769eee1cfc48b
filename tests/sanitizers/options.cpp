// The options of this executable's sanitizer, which its runtime asks for by these names; those in ASAN_OPTIONS,
// LSAN_OPTIONS, UBSAN_OPTIONS and TSAN_OPTIONS win. Reports go to files, since ringrun takes the words on the standard
// streams of agents and ranks for theirs, and some of them have none.
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

#define RINGRUN_REPORT_PATH RINGRUN_SANITIZER_REPORTS "/report"
#define RINGRUN_REPORTS "log_path=" RINGRUN_REPORT_PATH ":log_exe_name=1:exitcode=86"

// The attribute keeps them visible to the runtime, which is a shared library.
#define RINGRUN_SANITIZER_HOOK extern "C" __attribute__((visibility("default"), used)) const char*

extern "C" __attribute__((weak)) int MPI_Init_thread(int*, char***, int, int*);

// A preloaded library of the tests stands before the runtime, which is on guard against that.
#define RINGRUN_ADDRESS_OPTIONS                                                            \
  RINGRUN_REPORTS                                                                          \
  ":verify_asan_link_order=0:detect_stack_use_after_return=1:check_initialization_order=1" \
  ":strict_string_checks=1"

// Open MPI is compiled without frame pointers: what it leaks is told from ours by whole stacks only, which take time.
RINGRUN_SANITIZER_HOOK __asan_default_options() {
  return MPI_Init_thread == nullptr ? RINGRUN_ADDRESS_OPTIONS : RINGRUN_ADDRESS_OPTIONS ":fast_unwind_on_malloc=0";
}

RINGRUN_SANITIZER_HOOK __lsan_default_options() {
  return "suppressions=" RINGRUN_SANITIZER_FOLDER "/leak.supp:print_suppressions=0";
}

RINGRUN_SANITIZER_HOOK __ubsan_default_options() { return RINGRUN_REPORTS ":print_stacktrace=1"; }

// The launcher forks where threads may be; and nobody is left to wait for at the end.
RINGRUN_SANITIZER_HOOK __tsan_default_options() {
  return RINGRUN_REPORTS ":suppressions=" RINGRUN_SANITIZER_FOLDER
                         "/thread.supp:print_suppressions=0:die_after_fork=0:atexit_sleep_ms=0:second_deadlock_stack=1";
}

/// Open MPI unloads its parts at its end; what they leave behind could then be laid to nobody.
extern "C" __attribute__((visibility("default"), used)) int dlclose(void*) noexcept { return 0; }

#if defined(__SANITIZE_THREAD__)
/// GCC 12's libtsan does not know this call, by which std::timed_mutex waits, and so reports that an unlocked mutex is
/// unlocked; the other one it knows.
extern "C" int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) noexcept {
  constexpr long kSecond = 1'000'000'000;
  timespec now{};
  timespec real{};
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  const long nanoseconds = real.tv_nsec + until->tv_nsec - now.tv_nsec + kSecond;
  real.tv_sec += until->tv_sec - now.tv_sec - 1 + nanoseconds / kSecond;
  real.tv_nsec = nanoseconds % kSecond;
  return pthread_mutex_timedlock(mutex, &real);
}
#endif

namespace {

/// GCC 12's libubsan takes its path for libasan's: each has the function by which it is set, and libasan's comes first.
__attribute__((constructor)) void set_path_of_undefined_behaviour() {
  void* const library = dlopen("libubsan.so.1", RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return;
  const auto set_path = reinterpret_cast<void (*)(const char*)>(dlsym(library, "__sanitizer_set_report_path"));
  if (set_path != nullptr) set_path(RINGRUN_REPORT_PATH);
}

}  // namespace
