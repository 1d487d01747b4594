#pragma once

#include "base/result.h"
#include "json/value.h"

namespace coppice::backends::declarative {

// Fills a template from a document. A template is any JSON value:
//
//   "${gang.name}"                 a string that is one expression becomes the value itself; a
//                                  member whose value is missing is omitted
//   "pg-${gang.name}-${gang.uid}"  expressions within text
//   "${gang.name | short(63)}"     filters: short(n), label, json, string, default(text)
//   {$if: gang.priorityClassName, …}       omitted unless the value exists and is not empty
//   [{$for: gang.groups, $as: group, …}]   one item per element
//   {$for: gang.groups, $as: group, $key: "${group.name}", $value: "${group.minReplicas}"}
//                                  in place of an object: one member per element
//
// Errors name the position in the template.
base::Result<json::Value> Fill(const json::Value& tmpl, const json::Value& document);

// The value at a dotted path ("gang.groups", "gang.labels[example.com/queue]"); null if missing.
base::Result<json::Value> Lookup(const json::Value& document, std::string_view path);

}  // namespace coppice::backends::declarative
