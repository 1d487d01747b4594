#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::server {

// What a webhook answered.
struct Verdict {
  std::optional<base::Error> refusal;
  json::Value patch;  // The operations of a JSON patch; null for none.
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> annotations;  // For the audit log.
};
// Fails, in kube-apiserver's words, when the answer makes no sense. Only a `mutating` webhook may
// answer with a patch.
base::Result<Verdict> ReadReview(const std::string& webhook, const std::string& uid, bool mutating,
                                 const json::Value& review);

}  // namespace coppice::server
