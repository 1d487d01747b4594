#include "operator/shared_crds_testing.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/check.h"
#include "json/yaml.h"
#include "source_dir.h"

namespace coppice::operators {

std::vector<json::Value> ReadYamlFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  auto documents = json::ParseYamlDocuments(text.str());
  COPPICE_CHECK(documents.ok());
  return *std::move(documents);
}

std::vector<json::Value> SharedCrds(const std::string& project) {
  const std::filesystem::path folder =
      std::filesystem::path(COPPICE_SOURCE_DIR).parent_path() / "shared" / "crds" / project;
  if (!std::filesystem::exists(folder)) return {};
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    files.push_back(file.path().string());
  }
  std::sort(files.begin(), files.end());
  std::vector<json::Value> crds;
  for (const std::string& file : files) {
    for (json::Value& crd : ReadYamlFile(file)) crds.push_back(std::move(crd));
  }
  return crds;
}

}  // namespace coppice::operators
