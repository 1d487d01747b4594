#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/view/kai.h"
#include "base/result.h"
#include "json/value.h"
#include "kube/process/manager.h"
#include "services/binder/model/options.h"

namespace coppice::services::binder {

// Progress of a bind step. A bind never blocks: the request is requeued when what it waits for
// changes, or after `retry`.
struct Progress {
  bool done = true;
  base::Duration retry{};

  static Progress Done() { return {}; }
  static Progress Wait(base::Duration retry) { return {false, retry}; }
};

// One bind in progress.
struct BindContext {
  json::Value request;
  json::Value pod;
  json::Value node;
  base::Instant started;  // First attempt of this request.
  std::vector<std::string> gpu_ids;

  // The request's spec.
  view::kai::BindRequestSpec Wanted() const { return view::kai::BindRequest(request).spec(); }
  bool IsFraction() const { return Wanted().receivedResourceType() == "Fraction"; }
};

// Prepares a pod for its node. PreBind may be called again until it is done; Rollback undoes it if
// the bind is given up. Called concurrently for different requests.
class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual base::Result<Progress> PreBind(const BindContext& context) = 0;
  virtual void PostBind(const BindContext&) {}
  virtual base::Status Rollback(const BindContext&) { return {}; }
};

struct NamedPlugin {
  std::string name;
  std::unique_ptr<Plugin> plugin;
};

// The enabled plugins in order; an unknown name or a bad argument is an error.
base::Result<std::vector<NamedPlugin>> MakePlugins(kube::Runtime runtime, const Options& options);

}  // namespace coppice::services::binder
