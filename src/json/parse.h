#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::json {

struct ParseOptions {
  // Where given, receives the path of every key that occurs twice in one object.
  std::vector<std::string>* duplicates = nullptr;
  // Leaves out metadata.managedFields, which no controller reads and which is half of a pod.
  bool drop_managed_fields = false;
};

// Parses one JSON document. Depth is limited to 512; UTF-8 is checked.
base::Result<Value> Parse(std::string_view text, const ParseOptions& options = {});

}  // namespace coppice::json
