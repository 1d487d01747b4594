#pragma once

#include <string>

#include "json/value.h"

namespace coppice::server {

// The metrics of a HorizontalPodAutoscaler as annotations of autoscaling/v1 hold them: JSON in the
// order in which Kubernetes writes it. In `kind` "target" for a specification, "current" for a
// status.
std::string MetricsToV1(const json::Value& metrics, std::string_view kind);
// Null if the text cannot be parsed.
json::Value MetricsToV2(std::string_view text, std::string_view kind);

// One member each, in the given order; null values are omitted.
class OrderedObject {
 public:
  OrderedObject& Add(std::string_view name, const json::Value& value);
  OrderedObject& AddText(std::string_view name, std::string_view text);
  std::string Text() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

}  // namespace coppice::server
