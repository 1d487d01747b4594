#include "services/scheduler/shards.h"

#include "api/well_known.h"
#include "kube/object.h"
#include "services/common/flags.h"
#include "services/platform/shard.h"
#include "services/scheduler/config_file.h"
#include "services/scheduler/flags.h"
#include "services/scheduler/plugin_server.h"
#include "services/scheduler/service.h"

namespace coppice::services::scheduler {
namespace {

// What a shard's own Deployment would be started with.
base::Result<Options> OptionsOf(const json::Value& object, Options options) {
  COPPICE_ASSIGN(const platform::Shard shard, platform::ReadShard(object));
  COPPICE_ASSIGN(ConfigFile file, ReadConfigFile(platform::SchedulerConfiguration(shard)));
  options.partition_label_value = shard.partition_label_value;
  options.usage_db = std::move(file.usage_db);
  TakeDecisions(std::move(file.configuration), options);
  std::vector<std::string> flags;
  for (const auto& [flag, value] : shard.args) {
    if (IsKnownFlag(flag)) flags.push_back("--" + flag + "=" + value);
  }
  FlagSet known;
  AddFlags(options, known);
  COPPICE_TRY(known.Parse(flags));
  return options;
}

}  // namespace

base::Result<std::vector<Options>> ReadShards(kube::Client& client, const Options& options) {
  const auto shards = client.List(api::kSchedulingShards);
  if (shards.Is(base::ErrorCode::kNotFound)) return std::vector{options};
  COPPICE_TRY(shards);
  std::vector<Options> all;
  for (const json::Value& object : shards->items) {
    auto own = OptionsOf(object, options);
    if (!own) return own.error().During("SchedulingShard " + std::string(kube::Name(object)));
    all.push_back(*std::move(own));
    if (all.size() > 1) all.back().plugin_server_port = 0;  // The first has it.
  }
  if (all.empty()) all.push_back(options);
  return all;
}

base::Status AddWithPluginServer(kube::Manager& manager, Options options) {
  const int port = options.plugin_server_port;
  COPPICE_ASSIGN(const std::shared_ptr<Service> service, AddToManager(manager, std::move(options)));
  if (port == 0) return {};
  COPPICE_ASSIGN(std::shared_ptr<http::OwningServer> server,
                 StartPluginServer(static_cast<uint16_t>(port), service));
  manager.OnStart([server] {});  // Lives as long as the manager.
  return {};
}

}  // namespace coppice::services::scheduler
