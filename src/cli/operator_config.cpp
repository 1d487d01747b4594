#include "cli/operator_config.h"

#include "cli/files.h"
#include "json/yaml.h"
#include "operator/common/config_file.h"
#include "sim/components.h"

namespace coppice::cli {

base::Result<operators::Config> ReadOperatorConfig(const std::string& path) {
  if (path.empty()) return sim::DefaultOperatorConfig();
  COPPICE_ASSIGN(const std::string text, ReadFile(path));
  COPPICE_ASSIGN(const json::Value document, json::ParseYaml(text));
  return operators::ReadConfig(document, sim::DefaultOperatorConfig());
}

}  // namespace coppice::cli
