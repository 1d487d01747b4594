#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::backends {

// One key that a profile's `config` may have.
struct Option {
  enum class Type { kText, kBool, kNumber, kList, kMapping };

  std::string_view name;
  Type type = Type::kText;
  std::vector<std::string_view> values = {};  // Of text: those there are; empty takes any.
};

// Refuses keys that neither the backend (`own`) nor all backends know, and values that would read
// as something else. `path` is the profile's: "scheduler.profiles[0]".
base::Status CheckOptions(const std::vector<Option>& own, const json::Value& options,
                          const std::string& path);

// A field of the configuration that is wrong.
base::Error WrongField(const std::string& path, const std::string& message);

}  // namespace coppice::backends
