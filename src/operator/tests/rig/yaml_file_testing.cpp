#include "operator/tests/rig/yaml_file_testing.h"

#include "base/check.h"
#include "base/files.h"
#include "json/yaml/yaml.h"

namespace coppice::operators {

std::vector<json::Value> ReadYamlFile(const std::string& path) {
  const auto text = base::ReadFile(path);
  COPPICE_CHECK(text.ok());
  auto documents = json::ParseYamlDocuments(*text);
  COPPICE_CHECK(documents.ok());
  return *std::move(documents);
}

}  // namespace coppice::operators
