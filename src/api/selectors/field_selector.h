#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::api {

// A field that a resource can be selected by.
struct SelectableField {
  SelectableField(std::string_view field) : name(field), path(field) {}  // NOLINT: mostly a name
  SelectableField(const char* field) : name(field), path(field) {}       // NOLINT
  SelectableField(const char* field, const char* absent_text, const char* other_path = nullptr,
                  const char* instead_of_it = "")
      : name(field),
        path(other_path ? other_path : field),
        absent(absent_text),
        instead(instead_of_it) {}

  std::string_view name;
  std::string_view path;     // Where its value is in the object.
  std::string_view absent;   // What it compares as if it is absent: "false" for a boolean.
  std::string_view instead;  // The path that counts if it is absent.
};

// A query on fields: `metadata.name=x,status.phase!=Failed,spec.nodeName=`. A field that is absent
// equals "", unless Resolve declares another text. Booleans and integers compare by their JSON
// text.
class FieldSelector {
 public:
  struct Requirement {
    std::string field;
    bool equal = true;
    std::string value;
    std::string absent = {};  // As in SelectableField.
    std::string instead = {};
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
  // Fails with the API server's text when a field is none of `supported`, else reads the fields as
  // declared there from now on.
  base::Status Resolve(const std::vector<SelectableField>& supported);
  std::string ToString() const;
  // "regarding.name" becomes "involvedObject.name" for {"regarding", "involvedObject"}.
  void RenameFields(std::string_view from, std::string_view to);

 private:
  std::vector<Requirement> requirements_;
};

// The text that a selector on `field` ("spec.nodeName") compares.
std::string FieldText(const json::Value& object, std::string_view field);

}  // namespace coppice::api
