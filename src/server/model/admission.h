#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/resource.h"
#include "base/result.h"
#include "json/value.h"
#include "server/model/user.h"

namespace coppice::server {

enum class Operation { kCreate, kUpdate, kDelete, kConnect };

// What a request returns besides its response: warnings for the client, and annotations for the
// audit log. Each at most once.
class Remarks {
 public:
  void Warn(std::string text);
  // Different values of one key are listed, with commas.
  void Annotate(const std::string& key, const std::string& value);
  // The name of the object, for a request without a name in its path.
  void SetName(std::string_view name) { name_ = name; }

  const std::string& name() const { return name_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::map<std::string, std::string>& annotations() const { return annotations_; }

 private:
  std::string name_;
  std::vector<std::string> warnings_;
  std::map<std::string, std::string> annotations_;
};

// What an admission plugin sees; the same as in an AdmissionReview.
struct AdmissionRequest {
  Operation operation;
  api::Resource resource;
  std::string subresource;
  api::ObjectKey key;
  const json::Value& object;      // The new state. Null for kDelete.
  const json::Value& old_object;  // The current state. Null for kCreate.
  User user;
  bool dry_run = false;
  Remarks* remarks = nullptr;  // Null if they are not needed.

  void Warn(std::string text) const {
    if (remarks) remarks->Warn(std::move(text));
  }
  void Annotate(const std::string& key, const std::string& value) const {
    if (remarks) remarks->Annotate(key, value);
  }
};

// Admission within the process, with the semantics of webhooks: Mutate of every plugin runs first,
// in the order they were added, before the object is validated; Validate runs after that and must
// not change anything. A failed status rejects the request with that error (kForbidden and kInvalid
// reach the client unchanged).
//
// Called on the requesting thread, concurrently.
class AdmissionPlugin {
 public:
  virtual ~AdmissionPlugin() = default;
  virtual const std::string& name() const = 0;
  // True if the plugin handles requests of this kind.
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
