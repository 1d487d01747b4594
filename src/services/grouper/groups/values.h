#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/view/meta.h"
#include "base/result.h"
#include "json/value.h"

// Parsers for user input in labels, annotations and specs.
namespace coppice::services::grouper {

// An object of any kind; what labels and annotations are.
using Object = view::meta::PartialObjectMetadata;
using TextMap = view::Map<std::string_view>;

std::string_view GroupOf(std::string_view api_version);
std::string_view VersionOf(std::string_view api_version);
std::string Lower(std::string_view text);

// A whole base-10 number, optionally signed; nothing else around it.
std::optional<int64_t> ParseInt(std::string_view text);
// Go's syntax, without the day and week units that other durations allow; canonical text.
std::optional<std::string> CanonicalGoDuration(std::string_view text);

// nullopt if there is no such key; an empty value counts.
std::optional<std::string_view> FindText(TextMap map, std::string_view key);
std::optional<std::string_view> FindLabel(const json::Value& object, std::string_view key);
std::optional<std::string_view> FindAnnotation(const json::Value& object, std::string_view key);

// The integer at `value`, or an error that names `path`.
base::Result<int64_t> RequireInt(const json::Value& value, std::string_view path);
// The same, with a default for what is missing.
base::Result<int64_t> IntOr(const json::Value& value, int64_t fallback, std::string_view path);
base::Error BadValue(std::string_view what, std::string_view value, std::string_view expected);

// A YAML scalar that parses to the same string, quoted only if necessary.
std::string YamlString(std::string_view text);

}  // namespace coppice::services::grouper
