#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::backends {

// A key that a profile's `config` may have.
struct Option {
  enum class Type { kText, kBool, kNumber, kList, kMapping };

  std::string_view name;
  Type type = Type::kText;
  std::vector<std::string_view> values = {};  // For text: the allowed values; empty allows any.
};

// Rejects keys that neither the backend (`own`) nor all backends know, and values of the wrong
// type. `path` is the profile's path: "scheduler.profiles[0]".
base::Status CheckOptions(const std::vector<Option>& own, const json::Value& options,
                          const std::string& path);

// An error about a field of the configuration.
base::Error WrongField(const std::string& path, const std::string& message);

}  // namespace coppice::backends
