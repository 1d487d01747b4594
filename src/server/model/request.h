#pragma once

#include <string>
#include <vector>

#include "json/value.h"
#include "kube/client/write_fence.h"
#include "server/model/admission.h"
#include "server/model/registry.h"
#include "server/model/user.h"
#include "store/version.h"

namespace coppice::server {

// One request, after the path and the options have been read.
struct Request {
  ServedPtr served;
  std::string ns;
  std::string name;
  std::string subresource;
  std::string tracked_as;  // The subresource in managedFields, where it is not the one written to.
  User user;
  std::string field_manager;
  bool default_manager = false;  // The manager was derived from the client, not named by it.
  std::string field_validation;  // "Strict", "Warn", "Ignore"; "" is Ignore within the process.
  bool dry_run = false;
  bool is_apply = false;  // managedFields are set already.
  bool force = false;
  std::vector<std::string> duplicate_fields;  // Duplicate keys in the body.
  kube::WriteFencePtr fence;                  // The lease that the write depends on, if any.
  Remarks* remarks = nullptr;                 // Null if they are not needed.

  const std::string& tracked() const { return tracked_as.empty() ? subresource : tracked_as; }
  const api::Resource& resource() const { return served->resource; }
  std::string stored_name() const { return served->NameOf(ns, name); }
};

// The result of a request.
struct Outcome {
  json::Value object;         // In the version that was asked for.
  store::VersionPtr version;  // The stored state it shows, if it is one; carries ready bytes.
  bool created = false;
};

}  // namespace coppice::server
