#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::server {

// A webhook's response.
struct Verdict {
  std::optional<base::Error> refusal;
  json::Value patch;  // The operations of a JSON patch; null for none.
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> annotations;  // For the audit log.
};
// Fails, with kube-apiserver's message, if the response is invalid. Only a `mutating` webhook may
// return a patch.
base::Result<Verdict> ReadReview(const std::string& webhook, const std::string& uid, bool mutating,
                                 const json::Value& review);

}  // namespace coppice::server
