#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/edit/core.h"
#include "api/view/core.h"
#include "kube/cache/cache.h"
#include "kube/client/client.h"
#include "kube/events/events.h"
#include "kube/process/manager.h"

namespace coppice::services::workloads {

// The pods that one kind of controller owns.
class OwnedPods {
 public:
  explicit OwnedPods(kube::Runtime runtime);

  struct Snapshot {
    std::vector<json::Value> active;    // Not terminating, not finished; oldest first.
    std::vector<json::Value> finished;  // Succeeded or Failed.
    int64_t terminating = 0;
  };
  Snapshot Look(const json::Value& owner);

  // Creates a pod from `pod_template`, owned by `owner`. `change` may edit it before it is sent; a
  // pod without a name gets one generated from the owner's.
  base::Status Create(const json::Value& owner, view::core::PodTemplateSpec pod_template,
                      const std::function<void(edit::core::Pod pod)>& change = {});
  base::Status Delete(const json::Value& pod);

 private:
  kube::Client& client_;
  kube::EventRecorder& events_;
  kube::Informer& pods_;
};

bool IsReady(const json::Value& pod);

}  // namespace coppice::services::workloads
