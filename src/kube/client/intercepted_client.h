#pragma once

#include <string>

#include "kube/client/client.h"

namespace coppice::kube {

enum class Verb {
  kGet,
  kList,
  kWatch,
  kCreate,
  kUpdate,
  kPatch,
  kDelete,
  kDeleteCollection,
  kGetPath
};

// "get", "deletecollection", …
std::string_view ToString(Verb verb);
inline bool IsWrite(Verb verb) { return verb >= Verb::kCreate && verb <= Verb::kDeleteCollection; }

// One call of a client, as decorators see it.
struct Call {
  Verb verb;
  const Resource& resource;  // All empty for kGetPath.
  ObjectKey key;             // Of the object, if the call is about one.
  std::string subresource;
  bool dry_run = false;

  bool writes() const { return IsWrite(verb); }
  // "pods" or "pods/status", with the group: "podcliques.grove.io/status".
  std::string What() const;
};

// The base of decorators: forwards every call to another client, which must outlive it, and calls
// hooks of the subclass before and after. Watches are intercepted when they start.
class InterceptedClient : public Client {
 public:
  explicit InterceptedClient(Client& inner) : inner_(inner) {}

  base::Result<json::Value> Get(const Resource& resource, const ObjectKey& key,
                                const GetOptions& options = {}) override;
  base::Result<ObjectList> List(const Resource& resource, const ListOptions& options = {}) override;
  base::Result<std::unique_ptr<Watch>> StartWatch(const Resource& resource,
                                                  const WatchOptions& options,
                                                  WatchSink& sink) override;
  base::Result<json::Value> Create(const Resource& resource, const json::Value& object,
                                   const WriteOptions& options = {}) override;
  base::Result<json::Value> Update(const Resource& resource, const json::Value& object,
                                   const WriteOptions& options = {}) override;
  base::Result<json::Value> Patch(const Resource& resource, const ObjectKey& key, PatchType type,
                                  const json::Value& patch,
                                  const WriteOptions& options = {}) override;
  base::Status Delete(const Resource& resource, const ObjectKey& key,
                      const DeleteOptions& options = {}) override;
  base::Status DeleteCollection(const Resource& resource, const ListOptions& which,
                                const DeleteOptions& options = {}) override;
  base::Result<json::Value> GetPath(std::string_view path) override;

 protected:
  // An error prevents the call and is returned to the caller.
  virtual base::Status Before(const Call&) { return {}; }
  // Sees the outcome. An error replaces a success.
  virtual base::Status After(const Call&, const base::Status& outcome) { return outcome; }

  Client& inner() { return inner_; }

 private:
  template <typename Result, typename Function>
  Result Around(const Call& call, Function&& function);

  Client& inner_;
};

}  // namespace coppice::kube
