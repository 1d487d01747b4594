#pragma once

#include <vector>

#include "services/binder/model/plugin.h"
#include "services/binder/reservation/reservation.h"

namespace coppice::services::binder {

// The steps of one bind, and their rollback (docs/behaviour/binder.md K-53 and K-54).
class Binder {
 public:
  Binder(kube::Runtime runtime, const Options& options, std::vector<NamedPlugin> plugins)
      : runtime_(runtime), plugins_(std::move(plugins)), reservation_(runtime, options) {}

  // May be called again until it is done.
  base::Result<Progress> Bind(BindContext& context);
  // All errors in one.
  base::Status Rollback(const BindContext& context);

  Reservation& reservation() { return reservation_; }

 private:
  base::Result<Progress> ReserveGpus(BindContext& context);
  base::Result<Progress> PreBind(const BindContext& context);
  static json::Value Annotations(const BindContext& context);
  base::Status PostBinding(const BindContext& context);
  base::Status RemoveGroupLabels(const json::Value& pod);

  kube::Runtime runtime_;
  std::vector<NamedPlugin> plugins_;
  Reservation reservation_;
};

}  // namespace coppice::services::binder
