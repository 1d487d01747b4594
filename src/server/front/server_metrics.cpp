#include "server/front/server_metrics.h"

#include <fmt/format.h>

#include <set>

namespace coppice::server {
namespace {

bool IsCommonMethod(const std::string& lower_case) {
  static const std::set<std::string> methods = {"get",   "head",   "post",   "put",
                                                "patch", "delete", "options"};
  return methods.contains(lower_case);
}

}  // namespace

void ServerMetrics::Count(const Registry& registry, const RequestInfo& info, int code,
                          base::Duration took) {
  const bool served = registry.Find(info.group, info.version, info.resource) != nullptr;
  const bool known = info.is_resource || IsCommonMethod(info.verb);
  std::lock_guard lock(mutex_);
  Series& series = series_[{served ? info.group : "", served ? info.resource : "",
                            known ? info.verb : "", code}];
  ++series.count;
  series.seconds += std::chrono::duration<double>(took).count();
}

std::string ServerMetrics::Text(Core& core) const {
  std::string text =
      "# HELP apiserver_request_total Requests by group, resource, verb and HTTP code.\n"
      "# TYPE apiserver_request_total counter\n";
  {
    std::lock_guard lock(mutex_);
    for (const auto& [labels, series] : series_) {
      const auto& [group, resource, verb, code] = labels;
      text += fmt::format(
          "apiserver_request_total{{group=\"{}\",resource=\"{}\",verb=\"{}\",code=\"{}\"}} {}\n",
          group, resource, verb, code, series.count);
    }
    text +=
        "# HELP apiserver_request_duration_seconds_sum Time spent on requests.\n"
        "# TYPE apiserver_request_duration_seconds_sum counter\n";
    for (const auto& [labels, series] : series_) {
      const auto& [group, resource, verb, code] = labels;
      text += fmt::format(
          "apiserver_request_duration_seconds_sum{{group=\"{}\",resource=\"{}\",verb=\"{}\","
          "code=\"{}\"}} {:.6f}\n",
          group, resource, verb, code, series.seconds);
    }
  }
  text +=
      "# HELP apiserver_storage_objects Objects in the store.\n"
      "# TYPE apiserver_storage_objects gauge\n";
  for (const std::string& resource : core.store().Resources()) {
    text += fmt::format("apiserver_storage_objects{{resource=\"{}\"}} {}\n",
                        resource[0] == '/' ? resource.substr(1) : resource,
                        core.store().Count(resource));
  }
  text += fmt::format(
      "# HELP apiserver_storage_revision The newest revision.\n"
      "# TYPE apiserver_storage_revision counter\napiserver_storage_revision {}\n",
      core.store().revision());
  return text;
}

}  // namespace coppice::server
