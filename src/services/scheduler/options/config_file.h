#pragma once

#include <string_view>

#include "base/result.h"
#include "engine/model/config.h"
#include "json/value.h"

namespace coppice::services::scheduler {

// The scheduler's configuration file (docs/behaviour/scheduler.md S-02). Errors name the key and
// what is wrong with it; an empty file is the built-in configuration.
struct ConfigFile {
  engine::Configuration configuration = engine::Configuration::Defaults();
  json::Value usage_db;  // usageDBConfig as it stands; null when there is none.
};

base::Result<ConfigFile> ReadConfigFile(const json::Value& document);
base::Result<ConfigFile> ParseConfigFile(std::string_view yaml);
// The file that parses to this.
json::Value WriteConfigFile(const ConfigFile& config);

}  // namespace coppice::services::scheduler
