#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::api {

// A query on fields: `metadata.name=x,status.phase!=Failed,spec.nodeName=`. A field that is absent
// equals "". Booleans and integers compare by their JSON text.
class FieldSelector {
 public:
  struct Requirement {
    std::string field;
    bool equal = true;
    std::string value;
  };

  // Matches everything.
  FieldSelector() = default;
  static base::Result<FieldSelector> Parse(std::string_view text);
  // `field` must equal `value`, whatever characters it has.
  static FieldSelector Equal(std::string_view field, std::string_view value);

  bool Matches(const json::Value& object) const;
  bool MatchesEverything() const { return requirements_.empty(); }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  // The value that `field` must equal, or null when nothing demands one: lets a list by
  // metadata.name become a get.
  const std::string* Demanded(std::string_view field) const;
  // Fails with the API server's text when a field is none of `supported`.
  base::Status CheckFields(const std::vector<std::string_view>& supported) const;
  std::string ToString() const;
  // "regarding.name" becomes "involvedObject.name" for {"regarding", "involvedObject"}.
  void RenameFields(std::string_view from, std::string_view to);

 private:
  std::vector<Requirement> requirements_;
};

// The text that a selector on `field` ("spec.nodeName") compares.
std::string FieldText(const json::Value& object, std::string_view field);

}  // namespace coppice::api
