#include "services/numaexporter/cpu_map.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>

namespace coppice::services::numaexporter {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxCpus = 1 << 16;

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::optional<int> ParseNumber(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value >= 0 && value < kMaxCpus ? std::optional(value) : std::nullopt;
}

std::optional<int> NodeNumber(const fs::path& path) {
  const std::string name = path.filename();
  if (!name.starts_with("node")) return std::nullopt;
  return ParseNumber(std::string_view(name).substr(4));
}

base::Result<std::string> ReadLine(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  if (!in || !std::getline(in, line)) {
    // An empty file is a node without CPUs.
    if (in.eof()) return std::string();
    return base::NotFound(fmt::format("{} cannot be read", path.string()));
  }
  return line;
}

}  // namespace

base::Result<std::vector<int>> ParseCpuList(std::string_view text) {
  std::vector<int> cpus;
  std::string_view rest = Trim(text);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view range = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    const size_t dash = range.find('-');
    const auto first = ParseNumber(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : ParseNumber(range.substr(dash + 1));
    if (!first || !last || *first > *last) {
      return base::InvalidArgument(fmt::format("\"{}\" is not a list of CPUs", text));
    }
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

base::Result<std::map<int, int>> ReadCpuMap(const std::string& sysfs_root) {
  const fs::path folder = fs::path(sysfs_root) / "devices/system/node";
  std::map<int, int> map;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::optional<int> node = NodeNumber(entry.path());
    if (!node) continue;
    COPPICE_ASSIGN(const std::string line, ReadLine(entry.path() / "cpulist"));
    COPPICE_ASSIGN(const std::vector<int> cpus, ParseCpuList(line));
    for (const int cpu : cpus) map[cpu] = *node;
  }
  if (map.empty()) return base::NotFound(fmt::format("no NUMA node in {}", folder.string()));
  return map;
}

}  // namespace coppice::services::numaexporter
