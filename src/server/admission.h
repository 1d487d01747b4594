#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/resource.h"
#include "base/result.h"
#include "json/value.h"
#include "server/user.h"

namespace coppice::server {

enum class Operation { kCreate, kUpdate, kDelete, kConnect };

// Texts for the client, shown beside the answer; each once.
class Warnings {
 public:
  void Add(std::string text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
};

// What an admission plugin gets to see; the same things an AdmissionReview carries.
struct AdmissionRequest {
  Operation operation;
  api::Resource resource;
  std::string subresource;
  api::ObjectKey key;
  const json::Value& object;      // The new state. Null for kDelete.
  const json::Value& old_object;  // The present state. Null for kCreate.
  User user;
  bool dry_run = false;
  Warnings* warnings = nullptr;  // Null when nobody would read them.

  void Warn(std::string text) const {
    if (warnings) warnings->Add(std::move(text));
  }
};

// Admission within the process, with the semantics of webhooks: Mutate of every plugin runs first,
// in the order they were added, before the object is validated; Validate runs after that and must
// not change anything. A failed status refuses the request with that error (kForbidden and kInvalid
// reach the client as they are).
//
// Called on the requesting thread, from many threads at once.
class AdmissionPlugin {
 public:
  virtual ~AdmissionPlugin() = default;
  virtual const std::string& name() const = 0;
  // True when the plugin wants to see requests of this kind.
  virtual bool Handles(const AdmissionRequest& request) const = 0;
  virtual base::Status Mutate(const AdmissionRequest& request, json::Value& object) {
    (void)request, (void)object;
    return {};
  }
  virtual base::Status Validate(const AdmissionRequest& request) {
    (void)request;
    return {};
  }
};

}  // namespace coppice::server
