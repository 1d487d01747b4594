#pragma once

#include <string>
#include <vector>

#include "api/schema/model/schema_document.h"
#include "base/error.h"

namespace coppice::api {

// Turns an openAPIV3Schema into schemas, collecting everything that is wrong with it.
class SchemaReader {
 public:
  explicit SchemaReader(SchemaDocument& out) : out_(out) {}

  void ReadRoot(const json::Value& openapi);
  std::vector<base::FieldCause> TakeProblems() { return std::move(problems_); }

 private:
  const Schema* Read(const json::Value& openapi, const std::string& path);
  // A part of anyOf and its like: constraints only, no type required.
  const Schema* ReadNested(const json::Value& openapi, const std::string& path);
  void ReadType(const json::Value& openapi, const std::string& path, Schema& schema);
  void ReadChildren(const json::Value& openapi, const std::string& path, Schema& schema);
  void ReadLists(const json::Value& openapi, const std::string& path, Schema& schema);
  void ReadConstraints(const json::Value& openapi, const std::string& path, Schema& schema);
  void ReadPattern(const json::Value& openapi, const std::string& path, Constraints& out);
  void ReadAlternatives(const json::Value& openapi, const std::string& path, Constraints& out);
  void ReadRules(const json::Value& openapi, const std::string& path, const Schema& schema,
                 Constraints& out);
  void CheckDefaults(const Schema& schema, const std::string& path);
  bool TooDeep(const std::string& path);

  SchemaDocument& out_;
  std::vector<base::FieldCause> problems_;
  size_t depth_ = 0;
};

}  // namespace coppice::api
