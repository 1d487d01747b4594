#include "server/front/health.h"

#include <algorithm>

namespace coppice::server {
namespace {

bool IsExcluded(const http::Request& request, const std::string& name) {
  const auto excluded = request.query.All("exclude");
  return std::find(excluded.begin(), excluded.end(), name) != excluded.end();
}

HealthAnswer AnswerOne(const HealthCheck& check) {
  const base::Status status = check.run();
  if (status) return HealthAnswer{200, "ok"};
  return HealthAnswer{500, "internal server error: " + status.error().message() + "\n"};
}

}  // namespace

HealthAnswer AnswerHealth(const http::Request& request, const std::vector<HealthCheck>& checks) {
  const size_t slash = request.path.find('/', 1);
  const std::string name = request.path.substr(1, slash == std::string::npos ? slash : slash - 1);
  if (slash != std::string::npos && slash + 1 < request.path.size()) {
    const auto named = std::find_if(
        checks.begin(), checks.end(),
        [only = request.path.substr(slash + 1)](const auto& each) { return each.name == only; });
    return named != checks.end() ? AnswerOne(*named) : HealthAnswer{404, "404 page not found\n"};
  }
  std::string text;
  bool failed = false;
  for (const HealthCheck& check : checks) {
    if (IsExcluded(request, check.name)) {
      text += "[+]" + check.name + " excluded: ok\n";
      continue;
    }
    const base::Status status = check.run();
    failed |= !status.ok();
    text += status ? "[+]" + check.name + " ok\n"
                   : "[-]" + check.name + " failed: " + status.error().message() + "\n";
  }
  if (failed) return HealthAnswer{500, text + name + " check failed\n"};
  return HealthAnswer{200, request.query.Has("verbose") ? text + name + " check passed\n" : "ok"};
}

}  // namespace coppice::server
