#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "kube/client/client.h"
#include "server/authorization/authorizer.h"
#include "server/core/admission_chain.h"
#include "server/model/ids.h"
#include "server/model/registry.h"
#include "server/model/request.h"
#include "store/store.h"

namespace coppice::server {

class Pki;

// What every request needs, and the one path that all requests take, over HTTP or in-process. Each
// verb has its own file in server/requests (read.cpp, create.cpp, update.cpp, patch.cpp,
// delete.cpp), and so has each subresource.
class Core {
 public:
  struct Options {
    const base::Clock* clock = nullptr;
    std::string kubernetes_version;
    uint64_t seed = 1;
    std::string pki_dir;  // "" keeps keys and certificates in memory.
    bool fills_token_secrets = true;
  };

  Core(std::unique_ptr<store::Store> store, Options options);
  ~Core();

  // Parses a client's resourceVersion; 0 for "". kTimeout if it is in the future.
  base::Result<int64_t> ReadRevision(std::string_view text) const;
  base::Result<Outcome> Get(const Request& request);
  base::Result<kube::ObjectList> List(const Request& request, const kube::ListOptions& options);
  struct VersionList {
    std::vector<store::VersionPtr> items;
    int64_t revision = 0;
    std::string continue_token;
    size_t remaining = 0;  // 0 when unknown.
  };
  base::Result<VersionList> ListVersions(const Request& request, const kube::ListOptions& options);
  base::Result<Outcome> Create(const Request& request, json::Value body);
  base::Result<Outcome> Update(const Request& request, json::Value body);
  base::Result<Outcome> Patch(const Request& request, kube::PatchType type,
                              const json::Value& patch);
  base::Result<Outcome> Delete(const Request& request, const kube::DeleteOptions& options);
  base::Status DeleteCollection(const Request& request, const kube::ListOptions& which,
                                const kube::DeleteOptions& options);

  // Modifies the stored object with `change`, which gets the newest state in the stored version and
  // may run several times. `conditional`: a concurrent write is a conflict instead of a reason to
  // retry.
  using Change = std::function<base::Result<json::Value>(const json::Value& current)>;
  base::Result<Outcome> Modify(const Request& request, bool conditional, const Change& change);
  // The same without admission and validation: for fields that the server itself maintains.
  base::Result<Outcome> ModifyQuietly(const Request& request, const Change& change);

  store::Store& store() { return *store_; }
  const base::Clock& clock() const { return *options_.clock; }
  IdSource& ids() { return ids_; }
  AdmissionChain& admission() { return admission_; }
  const std::string& kubernetes_version() const { return options_.kubernetes_version; }
  bool fills_token_secrets() const { return options_.fills_token_secrets; }
  Authorizer& authorizer() { return authorizer_; }
  // kForbidden unless the user is authorized.
  base::Status Authorize(const User& user, const Attributes& attributes);
  // Created on first use.
  base::Result<std::shared_ptr<const Pki>> pki();
  // The authority's certificate; "" until the first use of pki().
  std::string ca_certificate() const;
  RuleContext rule_context() const;

  std::shared_ptr<const Registry> registry() const;
  // Replaces the registry by a changed copy.
  void ChangeRegistry(const std::function<void(Registry&)>& change);

 private:
  base::Result<Outcome> Apply(const Request& request, const json::Value& configuration);
  base::Result<Outcome> ApplyToExisting(const Request& request, const json::Value& wanted);
  base::Result<Outcome> ApplyToNothing(const Request& request, const json::Value& wanted);
  base::Result<Outcome> CreateOnce(const Request& request, json::Value object);
  base::Status PrepareUpdate(const Request& request, const json::Value& old, json::Value& object);
  base::Result<Outcome> WriteUpdate(const Request& request, const store::VersionPtr& current,
                                    json::Value object);
  base::Result<Outcome> DeleteOnce(const Request& request, const store::VersionPtr& current,
                                   const kube::DeleteOptions& options);

  const Options options_;
  const std::unique_ptr<store::Store> store_;
  IdSource ids_;
  AdmissionChain admission_;
  Authorizer authorizer_;
  mutable std::mutex pki_mutex_;  // Guards pki_.
  std::shared_ptr<const Pki> pki_;
  mutable std::mutex registry_mutex_;  // Guards registry_.
  std::shared_ptr<const Registry> registry_;
};

}  // namespace coppice::server
