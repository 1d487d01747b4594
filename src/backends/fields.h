#pragma once

#include <string>
#include <vector>

#include "backends/translation.h"
#include "json/value.h"

// Looking at parts of documents by path.
namespace coppice::backends {

// The value at `path`, null when there is none.
const json::Value& ValueAt(const json::Value& object, const FieldPath& path);
void SetAt(json::Value& object, const FieldPath& path, json::Value value);
void EraseAt(json::Value& object, const FieldPath& path);
// "spec.podGroups", for messages.
std::string PathText(const FieldPath& path);

// Whether `whole` has everything that `part` has: every member of objects, every item of arrays
// (of the same length), equal scalars. Stores the path of the first difference.
bool HasAll(const json::Value& whole, const json::Value& part, std::string* difference = nullptr);

}  // namespace coppice::backends
