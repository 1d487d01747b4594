// The contract of kube::Client, in process: no sockets between the client and the server.
#include "kube/client/client_contract_testing.h"
#include "kube/executor/thread_executor.h"
#include "server/api_server.h"

namespace coppice::server {
namespace {

class LocalContractTest : public testing::TestWithParam<kube::contract::Case> {
 protected:
  LocalContractTest() : server_(*ApiServer::Make({.clock = &executor_.clock()})) {
    server_->StartControllers(executor_);
    client_ = server_->NewClient(executor_);
  }
  ~LocalContractTest() override {
    client_.reset();
    executor_.Stop();
  }

  kube::ThreadExecutor executor_;
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<kube::Client> client_;
};

TEST_P(LocalContractTest, Holds) {
  kube::contract::Run(
      GetParam(),
      {.client = *client_, .eventually = &kube::contract::PollForTwentySeconds, .ns = "contract"});
}

INSTANTIATE_TEST_SUITE_P(All, LocalContractTest, testing::ValuesIn(kube::contract::Cases()),
                         kube::contract::CaseName);

}  // namespace
}  // namespace coppice::server
