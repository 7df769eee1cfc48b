#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "lib/gpu/gpu.hpp"

namespace ringrun {
namespace {

/// The GPU, and its MIG device where the entry means one.
struct Device {
  const Gpu* gpu = nullptr;
  const MigDevice* mig = nullptr;
  bool operator==(const Device&) const = default;
};

/// A GPU in MIG mode is used by its first MIG device; one that has none cannot be used.
Device usable(const Gpu& gpu) {
  if (!gpu.mig) return {&gpu, nullptr};
  return gpu.mig_devices.empty() ? Device{} : Device{&gpu, &gpu.mig_devices.front()};
}

Device numbered(const std::vector<Gpu>& all, const std::string& entry) {
  char* end = nullptr;
  const long value = std::strtol(entry.c_str(), &end, 10);
  if (end == entry.c_str()) return {};
  // The driver keeps 32 bits: 4294967296 is GPU 0.
  const int index = static_cast<int>(value);
  for (const Gpu& gpu : all) {
    if (gpu.index == index) return usable(gpu);
  }
  return {};
}

/// The digits of a UUID, at most 32 of them; "" where something else stands among them.
std::string uuid_digits(std::string_view text) {
  constexpr std::size_t kAll = 32;
  std::string digits;
  for (const char c : text) {
    if (digits.size() == kAll) break;
    if (c == '-') continue;
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return "";
    digits += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return digits;
}

bool has_uuid(std::string_view uuid, const std::string& digits) {
  constexpr std::size_t kKind = 4;  // "GPU-", "MIG-"
  return uuid.size() > kKind && uuid_digits(uuid.substr(kKind)).rfind(digits, 0) == 0;
}

Device with_uuid(const std::vector<Gpu>& all, const std::string& digits) {
  if (digits.empty()) return {};
  std::vector<Device> found;
  for (const Gpu& gpu : all) {
    if (has_uuid(gpu.uuid, digits)) found.push_back(usable(gpu));
    for (const MigDevice& mig : gpu.mig_devices) {
      if (has_uuid(mig.uuid, digits)) found.push_back({&gpu, &mig});
    }
  }
  return found.size() == 1 ? found.front() : Device{};
}

/// "<UUID>/<GPU instance>/<compute instance>" behind "MIG-GPU-", as MIG devices were named before driver 470.
Device instance_of(const std::vector<Gpu>& all, std::string_view entry) {
  const std::size_t slash = entry.find('/');
  const std::string digits = uuid_digits(entry.substr(0, slash));
  if (digits.empty() || slash == std::string_view::npos) return {};
  for (const Gpu& gpu : all) {
    if (!has_uuid(gpu.uuid, digits)) continue;
    for (const MigDevice& mig : gpu.mig_devices) {
      const std::string name = std::to_string(mig.gpu_instance) + "/" + std::to_string(mig.compute_instance);
      if (entry.substr(slash + 1) == name) return {&gpu, &mig};
    }
  }
  return {};
}

bool begins(const std::string& text, std::string_view with) { return text.rfind(with, 0) == 0; }

bool is_uuid(const std::string& entry) { return begins(entry, "GPU-") || begins(entry, "MIG-"); }

Device find_device(const std::vector<Gpu>& all, const std::string& entry) {
  if (begins(entry, "MIG-GPU-")) return instance_of(all, std::string_view(entry).substr(8));
  if (is_uuid(entry)) return with_uuid(all, uuid_digits(std::string_view(entry).substr(4)));
  return numbered(all, entry);
}

std::vector<std::string> entries_of(std::string_view text) {
  std::vector<std::string> entries;
  for (;;) {
    const std::size_t comma = text.find(',');
    entries.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return entries;
    text.remove_prefix(comma + 1);
  }
}

/// Empty where a device stands in the list twice.
std::vector<Device> named_devices(const std::vector<Gpu>& all, const std::string& visible_devices) {
  const std::vector<std::string> entries = entries_of(visible_devices);
  std::vector<Device> devices;
  for (const std::string& entry : entries) {
    if (is_uuid(entry) != is_uuid(entries.front())) break;
    const Device device = find_device(all, entry);
    if (device.gpu == nullptr) break;
    if (std::find(devices.begin(), devices.end(), device) != devices.end()) return {};
    devices.push_back(device);
  }
  return devices;
}

}  // namespace

std::vector<Gpu> visible_gpus(const std::vector<Gpu>& all, const std::optional<std::string>& visible_devices) {
  std::vector<Device> devices;
  if (visible_devices) {
    devices = named_devices(all, *visible_devices);
  } else {
    for (const Gpu& gpu : all) {
      if (const Device device = usable(gpu); device.gpu != nullptr) devices.push_back(device);
    }
  }
  const auto part =
      std::find_if(devices.begin(), devices.end(), [](const Device& item) { return item.mig != nullptr; });
  if (part != devices.end()) devices = {Device(*part)};
  std::vector<Gpu> visible;
  for (const Device& device : devices) {
    Gpu& gpu = visible.emplace_back(*device.gpu);
    if (device.mig != nullptr) gpu.uuid = device.mig->uuid;
    gpu.mig_devices.clear();
  }
  return visible;
}

std::string visible_device(const Gpu& gpu) { return gpu.mig ? gpu.uuid : std::to_string(gpu.index); }

}  // namespace ringrun
