#include <gtest/gtest.h>

#include "lib/gpu/gpu.hpp"

namespace ringrun {
namespace {

constexpr const char* kFirst = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6";
constexpr const char* kSecond = "GPU-8932aaaa-0000-4106-c12f-20bd9faed9f6";
constexpr const char* kThird = "GPU-cefa5aa9-751a-930f-d627-1da6b685ff14";
constexpr const char* kPart = "MIG-11112222-3333-4444-5555-666677778888";
constexpr const char* kOtherPart = "MIG-99992222-3333-4444-5555-666677778888";

std::vector<Gpu> three_gpus() {
  std::vector<Gpu> gpus(3);
  const char* uuids[] = {kFirst, kSecond, kThird};
  for (int i = 0; i < 3; ++i) {
    gpus[static_cast<std::size_t>(i)].index = i;
    gpus[static_cast<std::size_t>(i)].uuid = uuids[i];
  }
  return gpus;
}

/// GPU 1 is cut into two.
std::vector<Gpu> gpus_with_parts() {
  std::vector<Gpu> gpus = three_gpus();
  gpus[1].mig = true;
  gpus[1].mig_devices = {{kPart, 1, 0}, {kOtherPart, 5, 0}};
  return gpus;
}

std::string shown(const std::vector<Gpu>& all, const std::optional<std::string>& value) {
  std::string text;
  for (const Gpu& gpu : visible_gpus(all, value)) text += std::to_string(gpu.index);
  return text;
}

std::string shown(const std::string& value) { return shown(three_gpus(), value); }

/// The UUID of the one device that is shown.
std::string part(const std::vector<Gpu>& all, const std::optional<std::string>& value) {
  const std::vector<Gpu> visible = visible_gpus(all, value);
  return visible.size() == 1 && visible[0].mig_devices.empty() ? visible[0].uuid : "";
}

TEST(VisibleDevices, AreAllWhereTheVariableIsNotSet) { EXPECT_EQ(shown(three_gpus(), std::nullopt), "012"); }

TEST(VisibleDevices, StandInTheOrderOfTheList) { EXPECT_EQ(shown("2,0"), "20"); }

TEST(VisibleDevices, EndAtTheFirstEntryThatNamesNone) {
  for (const char* value : {"", "  ", "-1", "-1,0", ",0", " ,0", "3", "3,0", "NoDevFiles", "none", "all", "void", "a0",
                            "\"0\"", "99999999999"}) {
    EXPECT_EQ(shown(value), "") << value;
  }
  for (const char* value : {"0,", "0,,1", "0,-1,1", "0,x,1", "0, ,1", "0,3,0"}) EXPECT_EQ(shown(value), "0") << value;
}

TEST(VisibleDevices, ReadNumbersAsStrtolDoes) {
  for (const char* value : {" 2", "2 ", "\t2", "\n2", "+2", "02", "2abc", "2.5", "2;1", "2 1", "2-0", "4294967298"}) {
    EXPECT_EQ(shown(value), "2") << value;
  }
  EXPECT_EQ(shown("0x1"), "0") << "the driver reads decimal numbers alone";
  EXPECT_EQ(shown("-0"), "0");
}

TEST(VisibleDevices, AreNoneWhereOneStandsTwice) {
  for (const char* value : {"0,0", "1,0,1", "0,+0", "0,4294967296", "GPU-cefa,GPU-cefa5"}) {
    EXPECT_EQ(shown(value), "") << value;
  }
}

TEST(VisibleDevices, AreNamedByTheBeginningOfAUuidThatNoOtherHas) {
  EXPECT_EQ(shown(std::string(kThird) + "," + kFirst), "20");
  EXPECT_EQ(shown("GPU-c,GPU-8932f"), "20");
  EXPECT_EQ(shown("GPU-8932"), "") << "two have it";
  EXPECT_EQ(shown("GPU-CEFA5AA9-751A"), "2");
  EXPECT_EQ(shown("GPU-cefa5aa9751a"), "2");
  EXPECT_EQ(shown("GPU-cefa5aa9-"), "2");
  EXPECT_EQ(shown("MIG-cefa5aa9"), "2") << "the driver takes it";
  EXPECT_EQ(shown(std::string(kThird) + "zz,GPU-8932f"), "20") << "nothing is read behind a whole one";
  for (const char* value : {"GPU-", "GPU", "gpu-cefa5aa9", "cefa5aa9", " GPU-cefa5aa9", "GPU-cefa ", "GPU-cefaz",
                            "GPU-cefa/0", "GPU-cefa5aa9a"}) {
    EXPECT_EQ(shown(value), "") << value;
  }
}

TEST(VisibleDevices, DoNotMixNumbersAndUuids) {
  EXPECT_EQ(shown("0,GPU-cefa"), "0");
  EXPECT_EQ(shown("GPU-cefa,0"), "2");
}

TEST(VisibleDevices, AreOneMigDeviceAlone) {
  EXPECT_EQ(part(gpus_with_parts(), kOtherPart), kOtherPart);
  EXPECT_EQ(part(gpus_with_parts(), "MIG-9999"), kOtherPart);
  EXPECT_EQ(part(gpus_with_parts(), std::string(kOtherPart) + "," + kPart), kOtherPart);
  EXPECT_EQ(part(gpus_with_parts(), std::string("MIG-") + kSecond + "/5/0"), kOtherPart);
  EXPECT_EQ(part(gpus_with_parts(), std::string("MIG-") + kSecond + "/7/0"), "");
  EXPECT_EQ(part(gpus_with_parts(), std::string("MIG-") + kSecond), "");
  EXPECT_EQ(part(gpus_with_parts(), "0,1"), kPart);
  EXPECT_EQ(part(gpus_with_parts(), kSecond), kPart);
  EXPECT_EQ(part(gpus_with_parts(), std::nullopt), kPart);
  EXPECT_EQ(shown(gpus_with_parts(), "2,0"), "20");
}

TEST(VisibleDevices, LeaveOutAGpuInMigModeThatIsNotCut) {
  std::vector<Gpu> gpus = three_gpus();
  gpus[1].mig = true;
  EXPECT_EQ(shown(gpus, std::nullopt), "02");
  EXPECT_EQ(shown(gpus, "0,1,2"), "0");
}

TEST(VisibleDevices, AreNamedByIndexAndMigDevicesByUuid) {
  EXPECT_EQ(visible_device(three_gpus()[2]), "2");
  EXPECT_EQ(visible_device(visible_gpus(gpus_with_parts(), kPart).at(0)), kPart);
}

}  // namespace
}  // namespace ringrun
