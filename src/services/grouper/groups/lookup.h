#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::services::grouper {

// The cluster as groupers see it. Implemented over the API, and by an empty cluster in tests.
class Lookup {
 public:
  virtual ~Lookup() = default;
  // NotFound when there is none.
  virtual base::Result<json::Value> Get(std::string_view api_version, std::string_view kind,
                                        std::string_view ns, std::string_view name) = 0;
  virtual base::Result<std::vector<json::Value>> List(std::string_view api_version,
                                                      std::string_view kind, std::string_view ns,
                                                      std::string_view label_selector) = 0;
};

inline constexpr std::string_view kPodGroupVersion = "scheduling.run.ai/v2alpha2";
inline constexpr std::string_view kPriorityClassVersion = "scheduling.k8s.io/v1";

}  // namespace coppice::services::grouper
