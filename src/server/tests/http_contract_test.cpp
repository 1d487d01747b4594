// The contract of kube::Client over HTTPS: against the embedded server, with the kubeconfig that it
// writes for its administrator, or against the cluster of the kubeconfig that
// COPPICE_CONTRACT_KUBECONFIG names (tests/real runs it on a real kube-apiserver).

#include <cstdlib>
#include <filesystem>

#include "http/crypto/crypto.h"
#include "kube/client/client_contract_testing.h"
#include "kube/config/kubeconfig.h"
#include "kube/executor/thread_executor.h"
#include "kube/transport/http_client.h"
#include "server/front/http_front.h"

namespace coppice::server {
namespace {

// One server for all cases: each has its own namespace.
class Environment {
 public:
  static Environment& Get() {
    static Environment environment;
    return environment;
  }
  kube::Client& client() { return *client_; }

 private:
  Environment() {
    const char* given = std::getenv("COPPICE_CONTRACT_KUBECONFIG");
    auto config = given != nullptr ? *kube::LoadKubeconfig({.path = given}, executor_.clock())
                                   : StartServer();
    // Two attempts, at once: the cases are about answers, not about patience.
    kube::HttpClientOptions options{.retry = {.max_attempts = 2}};
    options.pause = [](std::chrono::milliseconds) {};
    client_ = *kube::MakeHttpClient(std::move(config), executor_, options);
  }
  ~Environment() {
    client_.reset();
    if (front_) front_->Stop();
    executor_.Stop();
  }

  kube::ClusterConfig StartServer() {
    server_ = *ApiServer::Make({.clock = &executor_.clock()});
    server_->StartControllers(executor_);
    front_ = *HttpFront::Start(*server_, executor_, {});
    char dir[] = "/tmp/coppice_contract_XXXXXX";
    COPPICE_CHECK(mkdtemp(dir) != nullptr);
    const std::string path = std::string(dir) + "/kubeconfig";
    COPPICE_CHECK(front_->WriteKubeconfig(path).ok());
    auto config = *kube::LoadKubeconfig({.path = path}, executor_.clock());
    std::filesystem::remove_all(dir);
    return config;
  }

  kube::ThreadExecutor executor_;
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<HttpFront> front_;
  std::unique_ptr<kube::Client> client_;
};

class HttpContractTest : public testing::TestWithParam<kube::contract::Case> {};

TEST_P(HttpContractTest, Holds) {
  kube::contract::Run(GetParam(),
                      {.client = Environment::Get().client(),
                       .eventually = &kube::contract::PollForTwentySeconds,
                       // Unique among runs too: a real cluster keeps what earlier ones left.
                       .ns = "contract-" + http::Sha256Hex(http::RandomBytes(8)).substr(0, 8)});
}

INSTANTIATE_TEST_SUITE_P(All, HttpContractTest, testing::ValuesIn(kube::contract::Cases()),
                         kube::contract::CaseName);

}  // namespace
}  // namespace coppice::server
