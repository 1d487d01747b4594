#include "tests/crds/crds.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "api/grove/crds.h"
#include "api/kai/crds.h"
#include "base/check.h"
#include "base/files.h"
#include "json/yaml/yaml.h"
#include "source_dir.h"

namespace coppice::test_crds {
namespace {

namespace fs = std::filesystem;

std::vector<json::Value> ReadDocuments(const fs::path& file) {
  const auto text = base::ReadFile(file.string());
  COPPICE_CHECK(text.ok());
  auto documents = json::ParseYamlDocuments(*text);
  COPPICE_CHECK(documents.ok());
  return *std::move(documents);
}

std::vector<json::Value> ReadFolder(const fs::path& folder) {
  std::vector<json::Value> crds;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    for (json::Value& crd : ReadDocuments(entry.path())) crds.push_back(std::move(crd));
  }
  std::ranges::sort(crds, {},
                    [](const json::Value& crd) { return crd["metadata"]["name"].ToString(); });
  return crds;
}

const char* PublishedFolder() { return std::getenv("COPPICE_CRDS"); }

}  // namespace

std::vector<json::Value> Of(const std::string& project) {
  if (PublishedFolder()) return ReadFolder(fs::path(PublishedFolder()) / project);
  if (project == "grove") return api::grove::Crds();
  if (project == "kai") return api::kai::Crds();
  return ReadDocuments(fs::path(COPPICE_SOURCE_DIR "/tests/crds") / (project + ".yaml"));
}

const std::vector<json::Value>& Published() {
  static const std::vector<json::Value> crds =  // Megabytes: read once.
      PublishedFolder() ? ReadFolder(PublishedFolder()) : std::vector<json::Value>();
  return crds;
}

std::vector<std::string> NamesToCompare(const std::vector<json::Value>& ours) {
  std::vector<std::string> names;
  if (Published().empty()) return names;
  for (const json::Value& crd : ours) names.push_back(crd["metadata"]["name"].ToString());
  return names;
}

json::Value Find(const std::vector<json::Value>& crds, const std::string& name) {
  const auto found = std::ranges::find_if(
      crds, [&](const json::Value& crd) { return crd["metadata"]["name"].AsString() == name; });
  return found == crds.end() ? json::Value() : *found;
}

}  // namespace coppice::test_crds
