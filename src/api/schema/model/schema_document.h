#pragma once

#include <memory>

#include "api/schema/model/schema.h"
#include "base/result.h"
#include "json/value.h"

namespace coppice::api {

// The schema of one version of a custom resource, from its openAPIV3Schema.
//
//   COPPICE_ASSIGN(auto document, SchemaDocument::Parse(version["schema"]["openAPIV3Schema"]));
//   const Schema& schema = document->root();
class SchemaDocument {
 public:
  // kInvalid with field causes (paths relative to openAPIV3Schema) when a type, a pattern or a rule
  // is malformed or the schema is not structural.
  static base::Result<std::shared_ptr<const SchemaDocument>> Parse(const json::Value& openapi);

  const Schema& root() const { return *root_; }

 private:
  friend class SchemaReader;
  SchemaDocument() = default;

  SchemaArena arena_;
  const Schema* root_ = nullptr;
};

}  // namespace coppice::api
