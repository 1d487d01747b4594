#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::json {

struct YamlOptions {
  // Where given, receives the path of every key that occurs twice in one mapping.
  std::vector<std::string>* duplicates = nullptr;
  // Aliases may expand a document to at most this many values, so that a small text cannot fill
  // the memory.
  size_t max_values = 1'000'000;
};

// Parses YAML as Kubernetes does: scalars resolve by YAML 1.1 (yes, on and y are true, 010 is 8),
// keys become strings, anchors and merge keys expand. Depth is limited to 512. Errors carry the
// line. JSON is YAML too.
//
// The first document, null when there is none.
base::Result<Value> ParseYaml(std::string_view text, const YamlOptions& options = {});
// All documents that hold something, separated by `---`.
base::Result<std::vector<Value>> ParseYamlDocuments(std::string_view text,
                                                    const YamlOptions& options = {});

// As kubectl prints: keys sorted, block style, list items at their parent's indentation, strings
// quoted only where they would read back as something else. Ends with a newline.
std::string WriteYaml(const Value& value);

}  // namespace coppice::json
