#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/front/access_oracle_testing.h"
#include "server/front/resource_handler.h"
#include "server/server_testing.h"

namespace coppice::server {

// One answer, and what a watch has sent so far.
struct Answered {
  int status = 0;
  std::string text;
};

// A server that holds objects "one" and "two" of every resource it serves, custom ones too, in the
// namespaces "team" and "other". Requests go through the handler that HTTP requests go through.
class AccessStage {
 public:
  using Changes = std::vector<std::pair<std::string, store::Change>>;  // By the store's resource.

  AccessStage();

  // Makes a user with these rules.
  User AddUser(const std::string& name, const std::vector<Granted>& rules);
  std::shared_ptr<Answered> Send(ResourceHandler& handler, const User& user, const Asked& asked);
  // What was written since the last call; everything is put back.
  Changes TakeChanges();
  Core& core() { return server_.server->core(); }
  kube::Stepper& stepper() { return server_.stepper; }

 private:
  void Fill(const ServedResource& served);
  api::Resource Rbac(std::string_view plural);
  void PutBack(const std::string& resource, const std::string& name);

  TestServer server_;
  std::map<std::pair<std::string, std::string>, store::VersionPtr> first_;  // All there is.
  int64_t seen_ = 0;
};

}  // namespace coppice::server
