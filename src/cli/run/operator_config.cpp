#include "cli/run/operator_config.h"

#include "base/log.h"
#include "cli/common/files.h"
#include "cli/run/own_image.h"
#include "json/yaml/yaml.h"
#include "operator/runtime/config_file.h"
#include "stack/components.h"

namespace coppice::cli {

namespace {

operators::Config Defaults() {
  operators::Config config = stack::DefaultOperatorConfig();
  config.init_container_image = InitContainerImage();
  return config;
}

}  // namespace

base::Result<operators::Config> ParseOperatorConfig(const std::string& text) {
  COPPICE_ASSIGN(const json::Value document, json::ParseYaml(text));
  auto config = operators::ReadConfig(document, Defaults());
  if (config) {
    for (const std::string& field : operators::UnknownFields(document)) {
      base::LogWarn("unknown configuration field", {{"field", field}});
    }
  }
  return config;
}

base::Result<operators::Config> ReadOperatorConfig(const std::string& path) {
  if (path.empty()) return Defaults();
  COPPICE_ASSIGN(const std::string text, ReadFile(path));
  return ParseOperatorConfig(text);
}

}  // namespace coppice::cli
