#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::api {

// A query on labels, from its string form (`a=b,c!=d,e in (x,y),!f,g,h>1`) or from its object form
// (matchLabels and matchExpressions). Everything it requires must hold.
//
//   COPPICE_ASSIGN(auto selector, api::LabelSelector::Parse("app=web,tier in (a,b)"));
//   if (selector.MatchesObject(pod)) …
class LabelSelector {
 public:
  enum class Operator { kExists, kDoesNotExist, kIn, kNotIn, kEquals, kNotEquals, kGreater, kLess };

  struct Requirement {
    std::string key;
    Operator op = Operator::kExists;
    std::vector<std::string> values;  // Sorted, without repetitions.

    bool Matches(const json::Value& labels) const;
    std::string ToString() const;
  };

  // Matches everything.
  LabelSelector() = default;
  static LabelSelector Nothing();
  static base::Result<LabelSelector> Parse(std::string_view text);
  // As in a LabelSelector field of an object: null matches nothing, {} matches everything.
  static base::Result<LabelSelector> FromObject(const json::Value& selector);
  // From equalities alone, as in a Service's spec.selector; null and {} match everything.
  static LabelSelector FromLabels(const json::Value& labels);

  // `labels` is the object of metadata.labels, or null.
  bool Matches(const json::Value& labels) const;
  bool MatchesObject(const json::Value& object) const {
    return Matches(object["metadata"]["labels"]);
  }
  bool MatchesEverything() const { return !nothing_ && requirements_.empty(); }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  // The string form; parses to an equal selector.
  std::string ToString() const;

 private:
  std::vector<Requirement> requirements_;
  bool nothing_ = false;
};

}  // namespace coppice::api
