// A program with a library of its own beside it: prints which one it found.
#include <cstdio>

extern "C" int ncclGetVersion(int* version);

int main() {
  int version = 0;
  ncclGetVersion(&version);
  std::printf("%d\n", version);
}
