#include "services/scheduler/shards.h"

#include "api/view/kai.h"
#include "api/well_known.h"
#include "base/log.h"
#include "kube/events/events.h"
#include "kube/object.h"
#include "services/common/flags.h"
#include "services/common/served.h"
#include "services/common/shard.h"
#include "services/scheduler/options/config_file.h"
#include "services/scheduler/options/flags.h"
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

base::Result<Shards> ReadShards(kube::Client& client, const Options& options) {
  const auto objects = client.List(api::kSchedulingShards);
  if (objects.Is(base::ErrorCode::kNotFound)) return Shards{.schedulers = {options}};
  COPPICE_TRY(objects);
  Shards shards;
  for (const json::Value& object : objects->items) {
    shards.specs.emplace(kube::Name(object), view::kai::SchedulingShard(object).spec().Json());
    auto own = OptionsOf(object, options);
    if (!own) {
      shards.refused.push_back({object, own.error()});
      continue;
    }
    shards.schedulers.push_back(*std::move(own));
    if (shards.schedulers.size() == 1) continue;
    Options& further = shards.schedulers.back();
    further.plugin_server_port = 0;  // The first has it.
    if (!further.decision_log.empty()) further.decision_log += "-" + further.partition_label_value;
  }
  if (shards.specs.empty()) shards.schedulers.push_back(options);
  return shards;
}

base::Status WatchShards(kube::Manager& manager, Shards read, std::function<void()> changed) {
  const kube::Runtime runtime = manager.runtime();
  manager.OnStart([runtime, refused = std::move(read.refused)] {
    for (const Shards::Refused& each : refused) {
      const std::string& why = each.error.message();
      base::LogError("a SchedulingShard gets no scheduler",
                     {{"shard", kube::Name(each.shard)}, {"error", why}});
      runtime.events.Event(each.shard, "Warning", "InvalidShard", why);
    }
  });
  COPPICE_ASSIGN(const bool served, IsServed(runtime.client, api::kSchedulingShards));
  if (!served) return {};
  runtime.cache.InformerFor(api::kSchedulingShards)
      .AddHandler([specs = std::move(read.specs), changed](const kube::Change& change) {
        const auto known = specs.find(std::string(kube::Name(change.object)));
        const auto spec = view::kai::SchedulingShard(change.object).spec();
        const bool there = change.type != kube::ChangeType::kDeleted;
        if (there && known != specs.end() && known->second == spec.Json()) return;
        if (!there && known == specs.end()) return;
        changed();
      });
  return {};
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
