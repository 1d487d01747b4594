#pragma once

#include <string>
#include <vector>

#include "json/value.h"

// The CRDs that other projects publish, kept outside the repository.
namespace coppice::api {

struct CrdFile {
  std::string path;
  json::Value crd;
};

// Empty when the folder is not there.
std::vector<CrdFile> ReadCrdFiles();
// The schema of the first version in the file whose name ends so; null when there is none.
json::Value ReadCrdSchema(const std::string& file_name);

// A schema without its descriptions.
json::Value WithoutDescriptions(const json::Value& schema);

}  // namespace coppice::api
