#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "launcher/staging/copy_intake.hpp"
#include "lib/host/content_hash.hpp"

namespace ringrun::test {

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline CopyFile copy_file(const std::string& name, const std::string& content, bool executable = true) {
  ContentHash hash;
  hash.add(content.data(), content.size());
  return {name, content.size(), hash.text(), executable};
}

/// A launcher that has one file, or several of the same content, for a host whose home folder is `home`.
struct CopySender {
  std::filesystem::path home;
  std::string content = "#!/bin/sh\necho 42\n";
  std::vector<std::string> names = {"program"};
  std::string folder = {};
  /// What really goes over the wire.
  std::string sent = content;

  CopyRequest request() const {
    CopyRequest result;
    for (const std::string& name : names) result.files.push_back(copy_file(name, content));
    result.folder = folder;
    return result;
  }
  CopyAnswer ask() const { return obey(request()); }
  CopyAnswer send() const {
    CopyRequest all = request();
    all.sent.resize(all.files.size());
    std::iota(all.sent.begin(), all.sent.end(), std::size_t{0});
    return obey(all);
  }
  /// The bytes that nobody read, with those of the next request.
  mutable std::string unread = {};

 private:
  CopyAnswer obey(const CopyRequest& request) const {
    unread.clear();
    for (std::size_t i = 0; i < request.sent.size(); ++i) unread += sent;
    return obey_copy_request(request, {{"HOME", home.string()}}, [&](char* to, std::size_t size) {
      const std::size_t count = std::min(size, unread.size());
      unread.copy(to, count);
      unread.erase(0, count);
      return count;
    });
  }
};

}  // namespace ringrun::test
