#include "tests/unit/drawn_machine.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "lib/topology/cpu_list.hpp"
#include "lib/topology/hwloc_reader.hpp"

namespace ringrun {
namespace {

using Set = std::set<int>;

struct Drawn {
  std::vector<std::string> words;
  std::vector<Drawn> inside;
  Set cpus;
  Set nodes;
  std::vector<std::vector<int>> cores;
};

Drawn parse(const std::string& drawing) {
  Drawn machine{{"machine"}, {}, {}, {}, {}};
  std::istringstream lines(drawing);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t depth = line.find_first_not_of(' ');
    if (depth == std::string::npos) continue;
    Drawn item;
    std::istringstream words(line);
    for (std::string word; words >> word;) item.words.push_back(word);
    Drawn* parent = &machine;
    for (std::size_t i = 0; i < depth; ++i) parent = &parent->inside.at(parent->inside.size() - 1);
    parent->inside.push_back(std::move(item));
  }
  return machine;
}

/// "4x2+2x1" as the number of threads of each core.
std::vector<int> threads_of(const std::string& text) {
  std::vector<int> threads;
  std::istringstream kinds(text);
  for (std::string kind; std::getline(kinds, kind, '+');) {
    int cores = 0;
    int each = 0;
    if (std::sscanf(kind.c_str(), "%dx%d", &cores, &each) != 2) throw std::invalid_argument(text);
    threads.insert(threads.end(), static_cast<std::size_t>(cores), each);
  }
  return threads;
}

bool is(const Drawn& item, const char* kind) { return item.words[0] == kind; }

/// One more thread for every core that has so many; true where there was one.
bool number_cpus(Drawn& item, int thread, int& next) {
  bool numbered = false;
  if (is(item, "node")) {
    const std::vector<int> threads = threads_of(item.words.at(3));
    item.cores.resize(threads.size());
    for (std::size_t core = 0; core < threads.size(); ++core) {
      if (thread >= threads[core]) continue;
      item.cores[core].push_back(next++);
      numbered = true;
    }
  }
  for (Drawn& part : item.inside) numbered = number_cpus(part, thread, next) || numbered;
  return numbered;
}

void collect(Drawn& item) {
  if (is(item, "node") || is(item, "hbm")) item.nodes.insert(std::stoi(item.words.at(1)));
  for (const auto& core : item.cores) item.cpus.insert(core.begin(), core.end());
  for (Drawn& part : item.inside) {
    collect(part);
    item.cpus.insert(part.cpus.begin(), part.cpus.end());
    item.nodes.insert(part.nodes.begin(), part.nodes.end());
  }
}

/// "0x00000001,0x0000000f": words of 32 bits, the highest first.
std::string bits(const Set& set) {
  std::vector<unsigned> words(set.empty() ? 1 : static_cast<std::size_t>(*set.rbegin()) / 32 + 1);
  for (const int bit : set) words[static_cast<std::size_t>(bit) / 32] |= 1u << (bit % 32);
  std::string text;
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    char part[16];
    std::snprintf(part, sizeof part, "%s0x%08x", text.empty() ? "" : ",", *word);
    text += part;
  }
  return text;
}

class Writer {
 public:
  std::string write(const Drawn& machine) {
    out_ << "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n";
    Set allowed_cpus = machine.cpus;
    Set allowed_nodes = machine.nodes;
    for (const Drawn& line : machine.inside) {
      if (!is(line, "allowed") && !is(line, "offline")) continue;
      const std::vector<int> list = parse_cpu_list(line.words.at(2));
      Set& named = is(line, "offline") ? offline_ : line.words[1] == "cpus" ? allowed_cpus : allowed_nodes;
      named = Set(list.begin(), list.end());
    }
    allowed_cpus = online(allowed_cpus);
    open("Machine", sets(machine.cpus, machine.nodes) + " allowed_cpuset=\"" + bits(allowed_cpus) +
                        "\" allowed_nodeset=\"" + bits(allowed_nodes) + "\"");
    inside(machine, 0);
    close();
    for (const Drawn& line : machine.inside) {
      if (is(line, "distances")) write_distances(line, machine.nodes);
    }
    out_ << "</topology>\n";
    return out_.str();
  }

 private:
  Set online(Set cpus) const {
    std::erase_if(cpus, [this](int cpu) { return offline_.count(cpu) != 0; });
    return cpus;
  }

  std::string sets(const Set& cpus, const Set& nodes) const {
    std::string text;
    for (const std::string kind : {"", "complete_"}) {
      text += " " + kind + "cpuset=\"" + bits(kind.empty() ? online(cpus) : cpus) + "\" " + kind + "nodeset=\"" +
              bits(nodes) + "\"";
    }
    return text;
  }

  void open(const std::string& type, const std::string& attributes) {
    out_ << "<object type=\"" << type << "\" gp_index=\"" << ++index_ << "\" " << attributes << ">\n";
  }
  void close() { out_ << "</object>\n"; }
  void whole(const std::string& type, const std::string& attributes) {
    open(type, attributes);
    close();
  }

  void memory(const std::string& index, const Set& cpus, const char* size) {
    whole("NUMANode", "os_index=\"" + index + "\"" + sets(cpus, {std::stoi(index)}) + " local_memory=\"" + size + "\"");
  }

  void inside(const Drawn& item, int depth) {
    for (const Drawn& part : item.inside) {
      if (is(part, "package")) {
        open("Package", "os_index=\"" + part.words.at(1) + "\"" + sets(part.cpus, part.nodes));
        inside(part, depth);
        close();
      } else if (is(part, "node")) {
        node(part, depth);
      } else if (is(part, "hbm")) {
        memory(part.words.at(1), item.cpus, "1073741824");
      }
    }
    // Devices come after all else in a file of hwloc's.
    for (const Drawn& part : item.inside) device(part, depth);
  }

  void node(const Drawn& item, int depth) {
    open("Group", sets(item.cpus, item.nodes) + " kind=\"0\" subkind=\"0\"");
    memory(item.words.at(1), item.cpus, item.words.back() == "0B" ? "0" : "1073741824");
    for (const Drawn& part : item.inside) {
      if (is(part, "hbm")) memory(part.words.at(1), item.cpus, "1073741824");
    }
    for (const auto& core : item.cores) {
      const Set cpus(core.begin(), core.end());
      open("Core", "os_index=\"" + std::to_string(core[0]) + "\"" + sets(cpus, item.nodes));
      for (const int cpu : online(cpus))
        whole("PU", "os_index=\"" + std::to_string(cpu) + "\"" + sets({cpu}, item.nodes));
      close();
    }
    for (const Drawn& part : item.inside) device(part, depth);
    close();
  }

  void device(const Drawn& item, int depth) {
    if (is(item, "bridge")) {
      char bus[3];
      std::snprintf(bus, sizeof bus, "%02x", ++bridges_);
      const std::string span =
          " bridge_pci=\"0000:[" + std::string(bus) + "-ff]\" depth=\"" + std::to_string(depth) + "\"";
      open("Bridge", depth == 0 ? "bridge_type=\"0-1\"" + span
                                : "bridge_type=\"1-1\"" + span + " pci_busid=\"0000:" + bus +
                                      ":1f.0\" pci_type=\"0604 [8086:352a] [8086:0000] 04\" pci_link_speed=\"0.0\"");
      inside(item, depth + 1);
      close();
    } else if (is(item, "gpu")) {
      open("PCIDev", pci(item, "0302 [10de:2330] [10de:16c0] a1"));
      close();
    } else if (is(item, "card")) {
      open("PCIDev", pci(item, "0200 [15b3:1021] [15b3:0041] 00"));
      for (std::size_t i = 2; i < item.words.size(); ++i) os_device(item.words[i]);
      close();
    } else if (is(item, "usb")) {
      open("PCIDev", pci(item, "0c03 [8086:43ed] [8086:43ed] 00"));
      os_device(item.words.at(2));
      close();
    } else if (is(item, "interface")) {
      os_device(item.words.at(1));
    } else if (is(item, "driver")) {
      whole("OSDev", "name=\"" + item.words.at(1) + "\" osdev_type=\"5\"");
    }
  }

  static std::string pci(const Drawn& item, const std::string& type) {
    return "pci_busid=\"0000:" + item.words.at(1) + "\" pci_type=\"" + type + "\" pci_link_speed=\"0.0\"";
  }

  void os_device(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string kind = equals == std::string::npos ? "2" : "3";
    open("OSDev", "name=\"" + word.substr(0, equals) + "\" osdev_type=\"" + kind + "\"");
    if (equals != std::string::npos) {
      out_ << "<info name=\"Port1State\" value=\"" << word.substr(equals + 1) << "\"/>\n";
    }
    close();
  }

  void write_distances(const Drawn& line, const Set& nodes) {
    out_ << "<distances2 type=\"NUMANode\" nbobjs=\"" << nodes.size()
         << "\" kind=\"5\" name=\"NUMALatency\" indexing=\"os\">\n";
    std::string indexes;
    for (const int node : nodes) indexes += std::to_string(node) + " ";
    std::string values;
    for (std::size_t i = 1; i < line.words.size(); ++i) values += line.words[i] + " ";
    out_ << "<indexes length=\"" << indexes.size() << "\">" << indexes << "</indexes>\n<u64values length=\""
         << values.size() << "\">" << values << "</u64values>\n</distances2>\n";
  }

  std::ostringstream out_;
  Set offline_;
  int index_ = 0;
  int bridges_ = 0;
};

}  // namespace

std::string drawn_xml(const std::string& drawing) {
  Drawn machine = parse(drawing);
  int next = 0;
  for (int thread = 0; number_cpus(machine, thread, next); ++thread) {
  }
  collect(machine);
  return Writer().write(machine);
}

Machine drawn_machine(const std::string& drawing) {
  char path[] = "/tmp/drawn-machine-XXXXXX";
  const int file = mkstemp(path);
  if (file < 0) throw std::runtime_error("mkstemp failed");
  close(file);
  std::ofstream(path) << drawn_xml(drawing);
  const Machine read = read_machine_xml(path);
  unlink(path);
  return read;
}

}  // namespace ringrun
