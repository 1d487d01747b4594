#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::kube {

// What a cached resource looks like. One per resource, field selector and process: the first caller
// of Cache::InformerFor decides the options; later callers share the informer.
struct InformerOptions {
  std::string ns;
  std::string label_selector;
  std::string field_selector;
  // Keeps only what the process needs of each object; called from any thread. managedFields go.
  std::function<json::Value(json::Value)> trim;
  // Optional: controllers start, and the process is ready, even if the server does not let us list
  // and watch the resource. Callers check Following() before they read. One caller without this
  // option makes the resource required.
  bool optional = false;
};

enum class ChangeType { kAdded, kUpdated, kDeleted };

struct Change {
  ChangeType type;
  json::Value old_object;  // Null for kAdded.
  json::Value object;      // The last known state for kDeleted.
  // The deletion was seen only as an absence from a new list, so `object` may be out of date.
  bool final_state_unknown = false;
};

// A local copy of one resource, kept up to date by a watch. Reads are thread-safe and cheap: the
// values share memory with the cache.
class Informer {
 public:
  // The values of `object` under an index, e.g. its owner's uid.
  using IndexFunction = std::function<std::vector<std::string>(const json::Value& object)>;
  using Handler = std::function<void(const Change& change)>;

  virtual ~Informer() = default;

  virtual const Resource& resource() const = 0;
  virtual bool Synced() const = 0;
  // Ok if synced and up to date. Otherwise the reason: kUnavailable during the first list, else the
  // server's last error. Retries never end.
  virtual base::Status Following() const = 0;
  virtual std::optional<json::Value> Get(const ObjectKey& key) const = 0;
  // In key order. "" means all namespaces.
  virtual std::vector<json::Value> List(std::string_view ns = "") const = 0;
  virtual std::vector<json::Value> ByIndex(std::string_view index,
                                           std::string_view value) const = 0;
  // Number of objects.
  virtual size_t size() const = 0;

  // An index of this name that exists already is kept. Before or after start.
  virtual void AddIndex(std::string name, IndexFunction function) = 0;
  // Sees every change once, in order, one at a time; objects present already come as kAdded first.
  virtual void AddHandler(Handler handler) = 0;
  // Called in order with the handlers: initially, when Following() becomes ok, and at every
  // rejection.
  virtual void OnFollowing(std::function<void()> handler) = 0;
};

// The informers of one process, shared by all its controllers.
class Cache {
 public:
  virtual ~Cache() = default;
  // Creates the informer on first use; it starts with the manager, or at once if the manager runs.
  virtual Informer& InformerFor(const Resource& resource, const InformerOptions& options = {}) = 0;
};

// Names of indexes that many controllers share; see index.h for their functions.
inline constexpr std::string_view kOwnerIndex = "owner-uid";  // Uids of all owner references.

}  // namespace coppice::kube
