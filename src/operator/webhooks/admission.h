#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/grove/pod_clique_set.h"
#include "api/resource.h"
#include "backends/sync/component.h"
#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "operator/runtime/config.h"

// Admission of Grove's kinds, as functions: served as webhooks, or called in-process by the
// embedded server.
namespace coppice::operators::webhooks {

inline constexpr char kSetDefaulterName[] = "pcs.defaulting.webhooks.grove.io";
inline constexpr char kSetValidatorName[] = "pcs.validating.webhooks.grove.io";
inline constexpr char kBindingValidatorName[] = "clustertopology.validating.webhooks.grove.io";
inline constexpr char kAuthorizerName[] = "authorizer.webhooks.grove.io";

struct Review {
  std::vector<base::FieldCause> causes;  // Empty: allowed.
  std::vector<std::string> warnings;
};

// The problems in one line, without duplicates.
std::string RefusalText(const std::vector<base::FieldCause>& causes);
// `Forbidden: admission webhook "NAME" denied the request: …`, in the API server's wording.
base::Error Denial(std::string_view webhook, const std::vector<base::FieldCause>& causes);

class Admission {
 public:
  // `client` looks up the objects that sets name, and must outlive it.
  Admission(const Config& config, std::shared_ptr<backends::Backends> backends,
            kube::Client& client);

  // Whether this kind is subject to admission.
  static bool Concerns(const api::Resource& resource);

  // For a server that calls us in-process: the changes and the verdict of the webhooks. `warn`
  // receives warnings for the client.
  base::Status Mutate(const api::Resource& resource, json::Value& object,
                      const json::Value& old) const;
  base::Status Check(const api::Resource& resource, const json::Value& object,
                     const json::Value& old,
                     const std::function<void(const std::string&)>& warn) const;

  // Applies defaults to a PodCliqueSet that is created or updated; `old` is null on creation. With
  // compatibility: grove, a duration that Go cannot parse fails here, because Grove's webhook
  // decodes the set first.
  base::Status Mutate(json::Value& set, const json::Value& old) const;
  // `old` is null on creation.
  Review ReviewSet(const json::Value& set, const json::Value& old) const;
  Review ReviewBinding(const json::Value& binding) const;

 private:
  std::vector<base::FieldCause> CheckSchedulers(const json::Value& set) const;
  std::vector<base::FieldCause> CheckBackend(const json::Value& set) const;
  // The levels of the topology that the set names.
  std::optional<backends::TopologyLevels> CheckTopologyOf(
      const api::grove::PodCliqueSet& set, std::vector<base::FieldCause>& causes) const;
  void CheckUpdate(const api::grove::PodCliqueSet& set, const api::grove::PodCliqueSet& old,
                   std::vector<base::FieldCause>& causes) const;
  std::optional<backends::TopologyLevels> FindLevels(const std::string& name) const;

  const Config config_;
  const std::shared_ptr<backends::Backends> backends_;
  kube::Client& client_;
};

}  // namespace coppice::operators::webhooks
