#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "api/grove/convert.h"
#include "backends/sync/component.h"
#include "base/clock.h"
#include "kube/cache/cache.h"
#include "kube/events/events.h"
#include "kube/process/manager.h"
#include "operator/runtime/config.h"
#include "operator/runtime/writer.h"

namespace coppice::operators {

// State shared by the operator's controllers: configuration, informers and a client. One per
// process; valid as long as the manager. Thread-safe.
class Context {
 public:
  Context(kube::Manager& manager, const Config& config,
          std::shared_ptr<backends::Backends> backends);

  base::Time Now() const { return runtime.executor.Now(); }
  base::Instant Elapsed() const { return runtime.executor.Elapsed(); }
  kube::Client& client() const { return runtime.client; }
  base::Result<kube::Applied> CreateOrPatch(const kube::Resource& resource,
                                            const std::optional<json::Value>& existing,
                                            const json::Value& desired) const {
    return CreateOrPatchOwned(client(), resource, existing, desired);
  }
  void Event(const json::Value& object, std::string_view type, std::string_view reason,
             std::string_view message) const;

  // Objects whose controller is the object with this uid.
  std::vector<json::Value> OwnedBy(const kube::Informer& informer, std::string_view uid) const;
  // Objects with the default labels of a set. Only for `cliques`.
  std::vector<json::Value> PartOf(const kube::Informer& informer, std::string_view ns,
                                  std::string_view set) const;
  // PodCliques whose gang waits until this base gang is scheduled.
  std::vector<json::Value> CliquesAfter(std::string_view ns, std::string_view base_gang) const;
  std::optional<api::grove::PodCliqueSet> Set(std::string_view ns, std::string_view name) const;

  kube::Runtime runtime;
  const Config config;
  const std::shared_ptr<backends::Backends> backends_owner;
  backends::Backends& backends;

  kube::Informer& sets;
  kube::Informer& cliques;
  kube::Informer& groups;
  kube::Informer& gangs;
  kube::Informer& bindings;
  kube::Informer& pods;
  kube::Informer& services;
  kube::Informer& service_accounts;
  kube::Informer& roles;
  kube::Informer& role_bindings;
  kube::Informer& secrets;
  kube::Informer& autoscalers;
};

}  // namespace coppice::operators
