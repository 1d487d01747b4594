#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "json/value.h"

// Complaints about fields of an object, in Kubernetes' words.
//
//   std::vector<base::FieldCause> causes;
//   causes.push_back(api::InvalidField("spec.replicas", -1, "must be greater than or equal to 0"));
//   if (!causes.empty()) return api::InvalidObject(kPodCliques, "frontend", std::move(causes));
namespace coppice::api {

struct Resource;

base::FieldCause RequiredField(std::string field, std::string_view detail = {});
base::FieldCause InvalidField(std::string field, const json::Value& value, std::string_view detail);
// The value has another type than the field.
base::FieldCause WrongTypeField(std::string field, const json::Value& value,
                                std::string_view detail);
base::FieldCause DuplicateField(std::string field, const json::Value& value);
base::FieldCause NotFoundField(std::string field, const json::Value& value);
base::FieldCause ForbiddenField(std::string field, std::string_view detail);
base::FieldCause UnsupportedField(std::string field, const json::Value& value,
                                  const std::vector<std::string>& supported);
base::FieldCause TooLongField(std::string field, int64_t max_bytes);
base::FieldCause TooManyField(std::string field, int64_t actual, int64_t max_items);

// "spec.replicas: Invalid value: -1: must be …".
std::string Describe(const base::FieldCause& cause);
// All causes in one line: alone as it is, several as "[a, b]".
std::string Describe(const std::vector<base::FieldCause>& causes);
// What the API server answers (HTTP 422): `Pod "a" is invalid: …`.
base::Error InvalidObject(const Resource& resource, std::string_view name,
                          std::vector<base::FieldCause> causes);

// "spec.containers[0].name" pieces: Child("spec", "a") is "spec.a", Index("a", 0) is "a[0]",
// Key("a", "b") is "a[b]". An empty parent gives the bare child.
std::string Child(std::string_view parent, std::string_view name);
std::string Index(std::string_view parent, size_t index);
std::string Key(std::string_view parent, std::string_view key);

// A string in Go's %q form, as messages show values.
std::string Quoted(std::string_view text);

}  // namespace coppice::api
