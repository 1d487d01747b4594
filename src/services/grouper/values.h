#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

// Small readers of what users write into labels, annotations and specs.
namespace coppice::services::grouper {

std::string_view GroupOf(std::string_view api_version);
std::string_view VersionOf(std::string_view api_version);
std::string Lower(std::string_view text);

// A whole base-10 number, optionally signed; nothing else around it.
std::optional<int64_t> ParseInt(std::string_view text);
// Go's syntax, without the day and week units that other durations allow; canonical text.
std::optional<std::string> CanonicalGoDuration(std::string_view text);

const json::Value* FindLabel(const json::Value& object, std::string_view key);
const json::Value* FindAnnotation(const json::Value& object, std::string_view key);

// The integer at `value`, or an error that names `path`.
base::Result<int64_t> RequireInt(const json::Value& value, std::string_view path);
// The same, with a default for what is missing.
base::Result<int64_t> IntOr(const json::Value& value, int64_t fallback, std::string_view path);
base::Error BadValue(std::string_view what, std::string_view value, std::string_view expected);

// A YAML scalar that reads back as the same string, quoted only when it must be.
std::string YamlString(std::string_view text);

}  // namespace coppice::services::grouper
