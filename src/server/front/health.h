#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace coppice::server {

// One check of /healthz, /livez or /readyz.
struct HealthCheck {
  std::string name;
  std::function<base::Status()> run;
};

struct HealthAnswer {
  int status = 200;
  std::string text;
};

// Answers as kube-apiserver does: "ok"; every check by name with ?verbose or when one fails; a
// single check at /readyz/NAME; without those in ?exclude=NAME.
HealthAnswer AnswerHealth(const http::Request& request, const std::vector<HealthCheck>& checks);

}  // namespace coppice::server
