#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace coppice::server {

// One thing that /healthz, /livez or /readyz looks at.
struct HealthCheck {
  std::string name;
  std::function<base::Status()> run;
};

struct HealthAnswer {
  int status = 200;
  std::string text;
};

// Answers as kube-apiserver does: "ok"; every check by name with ?verbose or when one fails; one
// check alone at /readyz/NAME; without those in ?exclude=NAME.
HealthAnswer AnswerHealth(const http::Request& request, const std::vector<HealthCheck>& checks);

}  // namespace coppice::server
