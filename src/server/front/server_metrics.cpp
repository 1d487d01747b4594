#include "server/front/server_metrics.h"

#include <fmt/format.h>

namespace coppice::server {

void ServerMetrics::Count(const RequestInfo& info, int code, base::Duration took) {
  std::lock_guard lock(mutex_);
  Series& series = series_[{info.group, info.resource, info.verb, code}];
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
