#pragma once

#include <string>
#include <vector>

#include "backends/model/translation.h"
#include "json/value.h"

// Access to parts of documents by path.
namespace coppice::backends {

// The value at `path`; null if there is none.
const json::Value& ValueAt(const json::Value& object, const FieldPath& path);
void SetAt(json::Value& object, const FieldPath& path, json::Value value);
void EraseAt(json::Value& object, const FieldPath& path);
// "spec.podGroups" for messages, and the reverse.
std::string PathText(const FieldPath& path);
FieldPath SplitPath(const std::string& text);
// The paths in an array of such strings.
std::vector<FieldPath> ReadPaths(const json::Value& list);

// Whether `whole` contains everything in `part`: every member of objects, every item of arrays (of
// the same length), equal scalars. Stores the path of the first difference.
bool HasAll(const json::Value& whole, const json::Value& part, std::string* difference = nullptr);

}  // namespace coppice::backends
