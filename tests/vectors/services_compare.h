#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "json/value.h"

namespace coppice::vectors {

// An empty list or map says nothing that its absence does not say.
bool SaysNothing(const json::Value& value);

// Compares up to renaming: "uuid-1", "GPU-1", "hash-1", "<1>" in what is expected stand for any
// text, the same one wherever they occur; "<random>" stands for seven characters that may differ
// each time, "<hash>" for any hash. Empty lists and maps equal their absence.
class RenamingComparison {
 public:
  // Adds the differences below `path`; paths in `varies` are passed over.
  void Compare(const json::Value& expected, const json::Value& actual, const std::string& path,
               std::vector<std::string>& differences);
  bool Matches(const std::string& expected, const std::string& actual);

  std::set<std::string> varies;

 private:
  void CompareObjects(const json::Value& expected, const json::Value& actual,
                      const std::string& path, std::vector<std::string>& differences);
  const json::Value* FindMember(const json::Member& wanted, const json::Value& actual,
                                const std::string& path, std::set<std::string>& used);

  std::map<std::string, std::string> meaning_;
  std::set<std::string>
      taken_;  // "kind of name" + meaning, so that two names never mean one thing.
};

}  // namespace coppice::vectors
