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

// One object that should exist, complete but for its owner.
struct Desired {
  api::Resource resource;
  json::Value object;
};
using Objects = std::vector<Desired>;

// A certificate for this host, valid from now on.
using MakeCertificate = std::function<base::Result<http::KeyPair>(
    const std::string& host, base::Time now, base::Duration validity)>;

// What operands may look at besides the Config: the cluster as it is now.
struct Surroundings {
  base::Time now;
  bool fake_gpu_nodes = false;
  json::Value cluster_policy;  // The GPU operator's; null when there is none.
  bool serves_vpa = false;
  bool serves_prometheus = false;
  bool serves_service_monitors = false;
  std::vector<json::Value> shards;
  MakeCertificate make_certificate = http::MakeSelfSignedCertificate;
  // An object as it stands; nothing when it does not exist.
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
  // What the cluster lacks for it; empty: nothing.
  std::string (*missing)(view::kai::ConfigSpec spec, const Surroundings& cluster) = nullptr;
};

// Those of the Config. Each service is a Deployment of its own, or all of them are one when
// spec.global.singleProcess says so.
std::vector<Operand> ConfigOperands(view::kai::ConfigSpec spec);

// The scheduler of one shard: its configuration, which must be there before the rest is asked for,
// and everything.
base::Result<Desired> ShardConfigMap(view::kai::ConfigSpec spec, const json::Value& shard);
base::Result<Objects> ShardObjects(view::kai::ConfigSpec spec, const json::Value& shard,
                                   const Surroundings& cluster);
// What its Deployment, Service and ConfigMap are called.
std::string ShardName(view::kai::ConfigSpec spec, const json::Value& shard);

}  // namespace coppice::services::platform
