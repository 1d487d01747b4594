// Runs recorded cases: coppice_vectors [DIR…]. tests/vectors/recorded/README.md has their format,
// and tests/vectors/made some in the same format that we wrote ourselves;
// the folder that holds a file tells the kind of its cases.

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "base/files.h"
#include "json/parse.h"
#include "json/yaml/yaml.h"
#include "source_dir.h"
#include "tests/vectors/kind.h"

namespace coppice::vectors {
namespace {

namespace fs = std::filesystem;

struct Totals {
  int passed = 0;
  int failed = 0;
  int deviating = 0;
  int equal = 0;
  int compared = 0;
};

struct Deviation {
  std::string id;
  std::string path;
};

std::vector<Deviation> ReadDeviations(const fs::path& path) {
  std::vector<Deviation> deviations;
  const auto read = json::ParseYaml(base::ReadFile(path).value_or(""));
  if (!read) return deviations;
  for (const auto& entry : (*read)["deviations"].Items()) {
    deviations.push_back({entry["id"].ToString(), entry["path"].ToString()});
  }
  return deviations;
}

// Whether `text` begins as `pattern` says, in which "*" stands for anything.
bool Begins(std::string_view text, std::string_view pattern) {
  const size_t star = pattern.find('*');
  if (!text.starts_with(pattern.substr(0, star))) return false;
  if (star == std::string_view::npos) return true;
  const std::string_view rest = pattern.substr(star + 1);
  for (size_t at = star; at <= text.size(); ++at) {
    if (Begins(text.substr(at), rest)) return true;
  }
  return false;
}

bool Deliberate(const std::vector<Deviation>& deviations, const std::string& id,
                const std::string& difference) {
  return std::any_of(deviations.begin(), deviations.end(), [&](const Deviation& deviation) {
    return Begins(id + "\n", deviation.id + "\n") && Begins(difference, deviation.path + ":");
  });
}

const Kind* FindKind(const std::string& folder) {
  for (const auto& kind : Kinds()) {
    if (kind.folder == folder) return &kind;
  }
  return nullptr;
}

void RunLine(const Kind& kind, const std::string& line, const std::vector<Deviation>& deviations,
             bool verbose, Totals& totals) {
  const auto parsed = json::Parse(line);
  if (!parsed) {
    ++totals.failed;
    fmt::print("  not JSON: {}\n", parsed.error().message());
    return;
  }
  const std::string id = (*parsed)["id"].ToString();
  Outcome outcome = kind.run(*parsed);
  if (outcome.equal_in_full) {
    ++totals.compared;
    totals.equal += *outcome.equal_in_full;
    if (verbose && !*outcome.equal_in_full) {
      fmt::print("  {} not equal in full: {}\n", id, outcome.first_full_difference);
    }
  }
  const size_t all = outcome.differences.size();
  std::erase_if(outcome.differences, [&](const std::string& difference) {
    return Deliberate(deviations, id, difference);
  });
  if (!outcome.differences.empty()) {
    ++totals.failed;
    fmt::print("  {}: {}\n", id, outcome.differences.front());
    for (size_t i = 1; verbose && i < outcome.differences.size(); ++i) {
      fmt::print("    {}\n", outcome.differences[i]);
    }
  } else if (all > 0) {
    ++totals.deviating;
  } else {
    ++totals.passed;
  }
}

std::string Suffix(const Totals& totals) {
  return totals.deviating > 0 ? fmt::format(", {} deviating", totals.deviating) : "";
}

// The lines of a file, packed by gzip or not; what cannot be unpacked is a line that is no case.
std::vector<std::string> ReadLines(const fs::path& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  std::string text;
  char buffer[1 << 16];
  int count = file ? 0 : -1;
  while (file && (count = gzread(file, buffer, sizeof buffer)) > 0) text.append(buffer, count);
  if (file) gzclose(file);
  std::vector<std::string> lines;
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    if (end > at) lines.push_back(text.substr(at, end - at));
  }
  if (count < 0) lines.push_back(path.string() + " cannot be read");
  return lines;
}

bool HoldsCases(const fs::path& path) {
  const std::string name = path.filename();
  return name.ends_with(".jsonl") || name.ends_with(".jsonl.gz");
}

void RunFile(const fs::path& path, const std::vector<Deviation>& deviations, bool verbose,
             const std::string& only, Totals& totals) {
  const std::string folder = fs::absolute(path).parent_path().filename();
  const Kind* kind = FindKind(folder);
  const std::string name = folder + "/" + path.filename().string();
  if (!kind) {
    fmt::print("{}: skipped, cases of kind {} are not run here\n", name, folder);
    return;
  }
  Totals own;
  for (const std::string& line : ReadLines(path)) {
    if (!only.empty() && line.find("\"id\":\"" + only + "\"") == std::string::npos) continue;
    RunLine(*kind, line, deviations, verbose, own);
  }
  fmt::print("{}: {} passed, {} failed{}\n", name, own.passed, own.failed, Suffix(own));
  if (own.compared > 0) {
    fmt::print("  {} of {} equal in full to what was observed\n", own.equal, own.compared);
  }
  totals.passed += own.passed;
  totals.failed += own.failed;
  totals.deviating += own.deviating;
}

int Run(const std::vector<std::string>& arguments) {
  std::vector<fs::path> folders;
  bool verbose = false;
  std::string only;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--verbose") {
      verbose = true;
    } else if (arguments[i] == "--only" && i + 1 < arguments.size()) {
      only = arguments[++i];
    } else {
      folders.emplace_back(arguments[i]);
    }
  }
  if (folders.empty()) {
    folders.emplace_back(COPPICE_SOURCE_DIR "/tests/vectors/recorded");
    folders.emplace_back(COPPICE_SOURCE_DIR "/tests/vectors/made");
    if (const char* more = std::getenv("COPPICE_VECTORS")) folders.emplace_back(more);
  }
  std::vector<fs::path> files;
  for (const auto& folder : folders) {
    if (!fs::exists(folder)) {
      fmt::print("{} does not exist\n", folder.string());
      return 2;
    }
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (HoldsCases(entry.path())) files.push_back(entry.path());
    }
  }
  if (files.empty()) {
    fmt::print("no cases found\n");
    return 2;
  }
  std::sort(files.begin(), files.end());
  const auto deviations = ReadDeviations(COPPICE_SOURCE_DIR "/tests/vectors/deviations.yaml");
  Totals totals;
  for (const auto& file : files) RunFile(file, deviations, verbose, only, totals);
  fmt::print("{} passed, {} failed{}\n", totals.passed, totals.failed, Suffix(totals));
  return totals.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace coppice::vectors

int main(int count, char** arguments) {
  return coppice::vectors::Run({arguments + 1, arguments + count});
}
