#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "json/value.h"
#include "kube/executor/stepper.h"
#include "kube/process/manager.h"
#include "server/api_server.h"
#include "stack/embedded_admission.h"

namespace coppice::vectors {

// The cluster that service cases were recorded on, with all of KAI's services, and the step by step
// life of one case in it.
class ServicesWorld {
 public:
  // `seed` decides the uids, and with them the order of pods that are equal in all else.
  explicit ServicesWorld(uint64_t seed);
  ~ServicesWorld();

  // Does one step and waits until nothing changes any more. Returns refusals, as "Kind name: text".
  std::vector<std::string> Do(const json::Value& step);

  // Everything that is compared, by "Kind/name", with uids written as cases do.
  json::Value State();
  // Events that were not there the last time.
  std::vector<json::Value> NewEvents();

 private:
  void Prepare();
  void StartServices();
  base::Status Create(json::Value object);
  base::Status Change(const json::Value& step);
  std::string WithNames(std::string text);
  json::Value WithNames(const json::Value& value);
  void LearnUids();

  kube::Stepper stepper_;
  std::unique_ptr<server::ApiServer> server_;
  std::unique_ptr<stack::EmbeddedAdmission> admission_;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<kube::Manager> manager_;
  std::map<std::string, std::string> uids_;  // What to write for a uid.
  std::set<std::string> seen_events_;
};

}  // namespace coppice::vectors
