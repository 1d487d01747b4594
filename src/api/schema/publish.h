#pragma once

#include <string>
#include <string_view>

#include "api/schema/builtin.h"
#include "api/schema/model/schema.h"
#include "json/value.h"

// Schemas as OpenAPI documents.
namespace coppice::api {

// Self-contained and structural, as a CRD holds it: struct types in place, recursion cut off by
// x-kubernetes-preserve-unknown-fields, quantities and int-or-string as CRD generators write them.
json::Value StructuralSchema(const Schema& schema);

// `components.schemas` of an OpenAPI v3 document for one apiVersion: its kinds, their lists and
// everything they refer to, by names such as "io.k8s.api.core.v1.Pod".
json::Value OpenApiComponents(const BuiltinTypes& types, std::string_view api_version);
// `definitions` of the OpenAPI v2 document: all kinds together.
json::Value OpenApiDefinitions(const BuiltinTypes& types);

// "core/v1 PodSpec" is "io.k8s.api.core.v1.PodSpec".
std::string OpenApiName(std::string_view table_name);

}  // namespace coppice::api
