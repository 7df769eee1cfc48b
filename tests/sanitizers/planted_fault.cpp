// What a sanitizer is for, one a call: leak, use-after-free, overflow or race.
#include <climits>
#include <memory>
#include <string>
#include <thread>

namespace {

// Read by nobody else, so that the compiler keeps what is written here.
volatile int sink = 0;
int raced = 0;

void leak() { sink = *std::make_unique<int>(1).release(); }

void use_after_free() {
  auto owner = std::make_unique<int>(1);
  const int* const gone = owner.get();
  owner.reset();
  sink = *gone;
}

void overflow() {
  sink = INT_MAX;
  sink = sink + 1;
}

void race() {
  std::thread other([] { ++raced; });
  ++raced;
  other.join();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string fault = argc > 1 ? argv[1] : "";
  if (fault == "leak") leak();
  if (fault == "use-after-free") use_after_free();
  if (fault == "overflow") overflow();
  if (fault == "race") race();
  return 0;
}
