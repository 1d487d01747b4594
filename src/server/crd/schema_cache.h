#pragma once

#include <memory>

#include "api/schema/model/schema_document.h"
#include "base/result.h"
#include "json/value.h"

namespace coppice::server {

// The compiled form of an openAPIV3Schema. Equal schemas are compiled once per process: the same
// CRDs are installed again and again in tests, and validated before they are served.
base::Result<std::shared_ptr<const api::SchemaDocument>> CompileSchema(const json::Value& openapi);

}  // namespace coppice::server
