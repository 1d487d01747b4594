#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/resource.h"
#include "api/view/kai.h"
#include "base/clock.h"
#include "base/result.h"
#include "http/crypto/tls.h"
#include "json/value.h"

namespace coppice::services::platform {

// One desired object, complete except for its owner.
struct Desired {
  api::Resource resource;
  json::Value object;
};
using Objects = std::vector<Desired>;

// A certificate for this host, valid from now on.
using MakeCertificate = std::function<base::Result<http::KeyPair>(
    const std::string& host, base::Time now, base::Duration validity)>;

// What operands may use besides the Config: the current cluster.
struct Surroundings {
  base::Time now;
  bool fake_gpu_nodes = false;
  json::Value cluster_policy;  // The GPU operator's; null when there is none.
  bool serves_vpa = false;
  bool serves_prometheus = false;
  bool serves_service_monitors = false;
  std::vector<json::Value> shards;
  MakeCertificate make_certificate = http::MakeSelfSignedCertificate;
  // The current object; nullopt if it does not exist.
  std::function<std::optional<json::Value>(const api::Resource&, const api::ObjectKey&)> live;

  json::Value Live(const api::Resource& resource, std::string_view ns,
                   std::string_view name) const {
    if (!live) return {};
    return live(resource, {std::string(ns), std::string(name)}).value_or(json::Value());
  }
};

// One part of the platform. `spec` is a Config's, with defaults.
struct Operand {
  std::string name;  // As conditions call it.
  base::Result<Objects> (*objects)(view::kai::ConfigSpec spec, const Surroundings& cluster);
  // What the cluster is missing for it; empty: nothing.
  std::string (*missing)(view::kai::ConfigSpec spec, const Surroundings& cluster) = nullptr;
};

// Those of the Config. Each service is its own Deployment, or all of them are one with
// spec.global.singleProcess.
std::vector<Operand> ConfigOperands(view::kai::ConfigSpec spec);

// The scheduler of one shard: its configuration, which must exist before the rest is computed, and
// everything.
base::Result<Desired> ShardConfigMap(view::kai::ConfigSpec spec, const json::Value& shard);
base::Result<Objects> ShardObjects(view::kai::ConfigSpec spec, const json::Value& shard,
                                   const Surroundings& cluster);
// The name of its Deployment, Service and ConfigMap.
std::string ShardName(view::kai::ConfigSpec spec, const json::Value& shard);

}  // namespace coppice::services::platform
