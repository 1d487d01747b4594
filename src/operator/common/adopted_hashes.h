#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "json/value.h"

namespace coppice::operators {

// Hashes that were found on the objects of a set when we took it over, each beside the one that we
// compute from the same template. They are kept in an annotation of the set and used in place of
// ours as long as ours stays the same: no pod is replaced, and whoever wrote the objects finds them
// as they were when it comes back.
//
//   grove.io/adopted-hashes: {"set": ["ours", "found"], "cliques": {"worker": ["ours", "found"]}}
class AdoptedHashes {
 public:
  static AdoptedHashes Of(const json::Value& set);

  bool empty() const { return set_.second.empty(); }
  std::string ForSet(const std::string& ours) const { return Pick(set_, ours); }
  std::string ForClique(const std::string& clique, const std::string& ours) const;

  void AdoptSet(std::string ours, std::string found);
  void AdoptClique(const std::string& clique, std::string ours, std::string found);
  // The annotation's value.
  std::string Text() const;

 private:
  using Pair = std::pair<std::string, std::string>;  // Ours, found.

  static std::string Pick(const Pair& pair, const std::string& ours) {
    return pair.first == ours && !pair.second.empty() ? pair.second : ours;
  }

  Pair set_;
  std::map<std::string, Pair> cliques_;
};

}  // namespace coppice::operators
