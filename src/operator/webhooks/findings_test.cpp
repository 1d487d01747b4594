#include "operator/webhooks/findings.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/executor/thread_executor.h"
#include "operator/webhooks/serving.h"
#include "server/api_server.h"

namespace coppice::operators::webhooks {
namespace {

using json::Value;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Findings : public ::testing::Test {
 protected:
  ~Findings() override {
    client_.reset();
    executor_.Stop();
  }

  kube::ThreadExecutor executor_;
  std::unique_ptr<server::ApiServer> server_ =
      *server::ApiServer::Make({.clock = &executor_.clock(), .seed = 3});
  std::unique_ptr<kube::Client> client_ = server_->NewClient(executor_);
};

TEST_F(Findings, AServiceThatNobodyServesIsFound) {
  EXPECT_THAT(UnservedWebhooks(*client_), IsEmpty());
  ASSERT_TRUE(InstallConfigurations(*client_, {.url = "", .ns = "default"}, "ca", true));
  const std::string of_sets =
      "ValidatingWebhookConfiguration podcliqueset-validating-webhook calls Service "
      "default/grove-operator, which ";
  const auto validating = [&] { return UnservedWebhooks(*client_).at(1); };
  EXPECT_EQ(UnservedWebhooks(*client_).size(), 2u);  // The others do not concern sets.
  EXPECT_EQ(validating(), of_sets + "does not exist: every change of a PodCliqueSet is refused");
  ASSERT_TRUE(client_->Create(api::kServices,
                              *json::ParseYaml("{apiVersion: v1, kind: Service, metadata: {name: "
                                               "grove-operator, namespace: default}, spec: {ports: "
                                               "[{port: 443}]}}")));
  EXPECT_EQ(validating(),
            of_sets + "has no ready endpoints: every change of a PodCliqueSet is refused");
  ASSERT_TRUE(client_->Create(
      api::kEndpointSlices,
      *json::ParseYaml("{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: e, "
                       "namespace: default, labels: {kubernetes.io/service-name: grove-operator}}, "
                       "addressType: IPv4, endpoints: [{addresses: [10.0.0.1]}], "
                       "ports: [{port: 9443}]}")));
  EXPECT_THAT(UnservedWebhooks(*client_), IsEmpty());
}

// A killed process could not remove its webhooks.
TEST_F(Findings, AUrlWhereNobodyAnswersIsFound) {
  ServedWebhooks served(*client_, executor_,
                        {.bind_address = "127.0.0.1", .port = 0, .url = "https://127.0.0.1:0"},
                        nullptr);
  ASSERT_TRUE(served.Start());
  EXPECT_THAT(UnservedWebhooks(*client_), IsEmpty());
  const std::string url = "https://127.0.0.1:1";
  ASSERT_TRUE(InstallConfigurations(*client_, {.url = url, .ns = ""}, "", true));
  const auto findings = UnservedWebhooks(*client_);
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_THAT(findings[0],
              AllOf(StartsWith("MutatingWebhookConfiguration podcliqueset-defaulting-webhook calls "
                               "https://127.0.0.1:1/webhooks/default-podcliqueset, where nobody "
                               "answers from here ("),
                    EndsWith("): every change of a PodCliqueSet is refused; start that operator "
                             "again, or kubectl delete mutatingwebhookconfiguration "
                             "podcliqueset-defaulting-webhook")));
  EXPECT_THAT(findings, Contains(HasSubstr("every change of a ClusterTopologyBinding")));
  EXPECT_THAT(findings, Contains(HasSubstr("every change of what belongs to a PodCliqueSet")));
}

// Deleting it would leave Grove without a webhook.
TEST_F(Findings, AWebhookThatWasTakenFromAServiceIsToBeGivenBack) {
  ASSERT_TRUE(InstallConfigurations(*client_, {.url = "", .ns = "grove-system"}, "", false));
  ASSERT_TRUE(InstallConfigurations(*client_, {.url = "https://127.0.0.1:1", .ns = ""}, "", false));
  const auto findings = UnservedWebhooks(*client_);
  EXPECT_EQ(findings.size(), 3u);
  EXPECT_THAT(findings, Each(EndsWith("its Service has the webhook back")));
}

TEST_F(Findings, SomebodyElsesUrlIsNotCalled) {
  Value foreign = MakeConfigurations({.url = "https://127.0.0.1:1", .ns = ""}, "", false).at(1);
  foreign.Mutable("metadata").Set("name", "of-somebody-else");
  ASSERT_TRUE(client_->Create(api::kValidatingWebhooks, foreign));
  EXPECT_THAT(UnservedWebhooks(*client_), IsEmpty());
}

// It accepts connections, but never answers.
TEST_F(Findings, WhoDoesNotAnswerInTimeIsNotThere) {
  const int silent = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(silent, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(silent, 8), 0);
  ASSERT_EQ(getsockname(silent, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string url = "https://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  ASSERT_TRUE(InstallConfigurations(*client_, {.url = url, .ns = ""}, "", false));
  EXPECT_EQ(UnservedWebhooks(*client_, std::chrono::milliseconds(50)).size(), 3u);
  close(silent);
}

}  // namespace
}  // namespace coppice::operators::webhooks
