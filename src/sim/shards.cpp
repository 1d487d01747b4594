#include "sim/shards.h"

#include "api/well_known.h"
#include "kube/object.h"
#include "services/platform/shard.h"
#include "services/scheduler/config_file.h"

namespace coppice::sim {
namespace {

using Options = services::scheduler::Options;

base::Result<Options> ReadShard(const json::Value& object) {
  COPPICE_ASSIGN(const services::platform::Shard shard, services::platform::ReadShard(object));
  COPPICE_ASSIGN(const services::scheduler::ConfigFile file,
                 services::scheduler::ReadConfigFile(SchedulerConfiguration(shard)));
  Options options;
  options.configuration = file.configuration;
  options.partition_label_value = shard.partition_label_value;
  return options;
}

}  // namespace

base::Result<std::vector<Options>> ReadShards(kube::Client& client) {
  const auto shards = client.List(api::kSchedulingShards);
  if (shards.Is(base::ErrorCode::kNotFound)) return std::vector<Options>(1);
  if (!shards) return shards.error();
  std::vector<Options> all;
  for (const json::Value& object : shards->items) {
    auto options = ReadShard(object);
    if (!options) {
      return options.error().During("SchedulingShard " + std::string(kube::Name(object)));
    }
    all.push_back(*std::move(options));
  }
  if (all.empty()) all.emplace_back();
  return all;
}

}  // namespace coppice::sim
