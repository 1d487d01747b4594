#pragma once

#include <mutex>
#include <random>
#include <string>

#include "api/resource.h"
#include "api/view/core.h"
#include "api/view/kai.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "services/admission/gpu_sharing.h"
#include "services/admission/options.h"
#include "services/admission/queue.h"
#include "services/admission/verdict.h"

namespace coppice::services::admission {

enum class Operation { kCreate, kUpdate, kDelete };

struct Request {
  Operation operation = Operation::kCreate;
  api::Resource resource;
  std::string ns;  // Of the request; an object may omit its own.
  json::Value object;
  json::Value old_object;
};

// All of KAI's admission in one place: pods, queues, pod groups and topologies. The webhook server
// and the embedded API server both call it. Thread-safe.
class Admission {
 public:
  // Looks queues up through `client`, which must outlive it. `seed` is for generated names.
  Admission(kube::Client& client, Options options, uint64_t seed);

  static bool Handles(const api::Resource& resource);
  // Changes request.object.
  base::Status Mutate(Request& request);
  Verdict Validate(const Request& request);

 private:
  bool IsOurs(view::core::Pod pod) const {
    return pod.spec().schedulerName() == options_.scheduler_name;
  }
  base::Status MutatePod(const std::string& ns, json::Value& pod);
  Verdict ValidatePod(const Request& request);
  Verdict ValidateQueueRequest(const Request& request);
  base::Result<QueueFamily> FamilyOf(view::kai::Queue queue, bool is_update);
  std::string Random(int count);

  kube::Client& client_;
  const Options options_;
  std::mutex mutex_;  // Guards random_.
  std::mt19937_64 random_;
};

}  // namespace coppice::services::admission
