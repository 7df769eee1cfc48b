// Stands in for an installed NCCL of a certain version where there is none. Before a launch a library's version is read
// from its file's name, its text, or this function.
extern "C" const char nccl_version_text[] = "NCCL version " NCCL_STAND_IN_TEXT "+cuda12.2";

extern "C" int ncclGetVersion(int* version) {
  *version = NCCL_STAND_IN_VERSION;
  return 0;
}
