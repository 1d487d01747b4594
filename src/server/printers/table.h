#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "json/value.h"
#include "server/model/registry.h"

namespace coppice::server {

struct TableOptions {
  bool with_columns = true;  // Watches send the column definitions once.
  std::string include;       // "None", "Metadata" (also ""), "Object".
};

// Objects as rows, as `kubectl get` shows them.
json::Value MakeTable(const ServedResource& served, const std::vector<json::Value>& objects,
                      const TableOptions& options, base::Time now);

// "5d", "3h20m", "45s": how long something has existed.
std::string HumanDuration(base::Duration duration);

}  // namespace coppice::server
