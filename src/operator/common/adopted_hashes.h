#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "json/value.h"

namespace coppice::operators {

// The hashes found on a set's objects when we took it over, each paired with the hash that we
// compute from the same template. They are stored in an annotation of the set and used instead of
// ours as long as ours stays the same. So no pod is replaced, and the previous operator finds its
// objects unchanged if it returns.
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
