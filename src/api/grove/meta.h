#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

// What all kinds of Grove's API share. Field names are exactly those of the API; a trailing
// underscore marks names that C++ reserves and is not part of the JSON key. Times are kept as the
// API writes them (RFC 3339).
namespace coppice::api::grove {

struct Condition {
  std::string type;
  std::string status;
  std::optional<int64_t> observedGeneration;
  std::string lastTransitionTime;
  std::string reason;
  std::string message;

  friend bool operator==(const Condition&, const Condition&) = default;
};
BOOST_DESCRIBE_STRUCT(Condition, (),
                      (type, status, observedGeneration, lastTransitionTime, reason, message))

// One error of the last pass that did not complete.
struct LastError {
  std::string code;
  std::string description;
  std::string observedAt;

  friend bool operator==(const LastError&, const LastError&) = default;
};
BOOST_DESCRIBE_STRUCT(LastError, (), (code, description, observedAt))

struct NamespacedName {
  std::string namespace_;
  std::string name;

  friend bool operator==(const NamespacedName&, const NamespacedName&) = default;
};
BOOST_DESCRIBE_STRUCT(NamespacedName, (), (namespace_, name))

// An object of the API: the document as read, with its spec and status typed. The document keeps
// what the types do not know, so writing goes through patches against it.
template <typename SpecType, typename StatusType>
struct Document {
  using Spec = SpecType;
  using Status = StatusType;

  json::Value object;
  Spec spec;
  Status status;

  const json::Value& metadata() const { return object["metadata"]; }
  std::string name() const { return metadata()["name"].ToString(); }
  std::string ns() const { return metadata()["namespace"].ToString(); }
  std::string uid() const { return metadata()["uid"].ToString(); }
  int64_t generation() const { return metadata()["generation"].AsInt(); }
  bool deleting() const { return metadata().Has("deletionTimestamp"); }
  std::string label(std::string_view key) const { return metadata()["labels"][key].ToString(); }
  std::string annotation(std::string_view key) const {
    return metadata()["annotations"][key].ToString();
  }
};

}  // namespace coppice::api::grove
