#include "server/http_front.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/client.h"
#include "json/parse.h"
#include "json/write.h"
#include "json/yaml.h"
#include "kube/thread_executor.h"
#include "server/base64.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A server over TLS on loopback, with an administrator's client.
class HttpFrontTest : public testing::Test {
 protected:
  HttpFrontTest() {
    server_ = *ApiServer::Make({.clock = &executor_.clock()});
    server_->StartControllers(executor_);
    front_ = *HttpFront::Start(*server_, executor_, {});
    const json::Value config = *json::ParseYaml(*front_->AdminKubeconfig());
    const json::Value& user = config["users"].At(0)["user"];
    http::ClientOptions options;
    options.proxy_url = "none";
    options.tls.ca_pem =
        *DecodeBase64(config["clusters"].At(0)["cluster"]["certificate-authority-data"].AsString());
    anonymous_ = *http::ClientTransport::Make(options);
    options.tls.certificate_pem = *DecodeBase64(user["client-certificate-data"].AsString());
    options.tls.key_pem = *DecodeBase64(user["client-key-data"].AsString());
    admin_ = *http::ClientTransport::Make(options);
  }
  ~HttpFrontTest() override {
    admin_.reset();
    anonymous_.reset();
    front_->Stop();
    executor_.Stop();
    front_.reset();
    server_.reset();
  }

  http::Response Send(http::ClientTransport& transport, std::string method, std::string path,
                      std::string body = "", http::Headers headers = {}) {
    if (!body.empty() && !headers.Has("content-type")) {
      headers.Set("content-type", "application/yaml");
    }
    http::Exchange exchange = transport.Send({.method = std::move(method),
                                              .url = front_->Url() + path,
                                              .headers = std::move(headers),
                                              .body = std::move(body)});
    if (!exchange.response) {
      ADD_FAILURE() << exchange.response.error().ToString();
      return {};
    }
    return *std::move(exchange.response);
  }
  http::Response Admin(std::string method, std::string path, std::string body = "",
                       http::Headers headers = {}) {
    return Send(*admin_, std::move(method), std::move(path), std::move(body), std::move(headers));
  }
  static json::Value Json(const http::Response& response) {
    auto parsed = json::Parse(response.BodyView());
    return parsed ? *parsed : json::Value();
  }

  kube::ThreadExecutor executor_;
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<HttpFront> front_;
  std::unique_ptr<http::ClientTransport> admin_, anonymous_;
};

constexpr const char* kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {containers: [{name: main, image: busybox}]}
)";
constexpr const char* kPods = "/api/v1/namespaces/default/pods";

TEST_F(HttpFrontTest, CreatesAndReads) {
  const http::Response created = Admin("POST", kPods, kPod);
  EXPECT_EQ(created.status, 201);
  const http::Response read = Admin("GET", std::string(kPods) + "/a");
  EXPECT_EQ(read.status, 200);
  EXPECT_EQ(Json(read), Json(created));
  const json::Value list = Json(Admin("GET", "/api/v1/pods"));
  EXPECT_EQ(list["kind"].AsString(), "PodList");
  EXPECT_EQ(list["items"].size(), 1u);
}

TEST_F(HttpFrontTest, AnswersErrorsWithAStatus) {
  const http::Response missing = Admin("GET", std::string(kPods) + "/nobody");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(Json(missing), Doc(R"({
    "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure",
    "message": "pods \"nobody\" not found", "reason": "NotFound", "code": 404,
    "details": {"name": "nobody", "kind": "pods"}})"));
  const http::Response broken =
      Admin("POST", kPods, "{\"kind\":", {{"content-type", "application/json"}});
  EXPECT_EQ(broken.status, 400);
  EXPECT_EQ(Json(broken)["reason"].AsString(), "BadRequest");
  EXPECT_EQ(Admin("GET", "/apis/nothing/v1/things").status, 404);
  EXPECT_EQ(Admin("PUT", kPods, kPod).status, 405);
}

TEST_F(HttpFrontTest, TellsProtobufClientsApart) {
  EXPECT_EQ(Admin("GET", kPods, "", {{"accept", "application/vnd.kubernetes.protobuf"}}).status,
            406);
  EXPECT_EQ(
      Admin("GET", kPods, "", {{"accept", "application/vnd.kubernetes.protobuf,application/json"}})
          .status,
      200);
  EXPECT_EQ(
      Admin("POST", kPods, "k8s", {{"content-type", "application/vnd.kubernetes.protobuf"}}).status,
      415);
}

TEST_F(HttpFrontTest, ShowsTables) {
  Admin("POST", kPods, kPod);
  const json::Value table =
      Json(Admin("GET", kPods, "", {{"accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}}));
  EXPECT_EQ(table["kind"].AsString(), "Table");
  const json::Value& cells = table["rows"].At(0)["cells"];
  EXPECT_EQ(cells.At(0).AsString(), "a");
  EXPECT_EQ(cells.At(1).AsString(), "0/1");
  EXPECT_EQ(cells.At(2).AsString(), "Pending");
}

TEST_F(HttpFrontTest, AnonymousSeesHealthAndVersionOnly) {
  EXPECT_EQ(Send(*anonymous_, "GET", "/readyz").BodyView(), "ok");
  EXPECT_EQ(Send(*anonymous_, "GET", "/version").status, 200);
  const http::Response refused = Send(*anonymous_, "GET", kPods);
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(Json(refused)["message"].AsString(),
            "pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in API "
            "group \"\" in the namespace \"default\"");
  EXPECT_EQ(Send(*anonymous_, "GET", "/api", "", {{"authorization", "Bearer nonsense"}}).status,
            401);
}

TEST_F(HttpFrontTest, ServiceAccountsActByTheirRoles) {
  const json::Value token =
      Json(Admin("POST", "/api/v1/namespaces/default/serviceaccounts/default/token", "{spec: {}}"));
  const http::Headers headers = {
      {"authorization", "Bearer " + token["status"]["token"].ToString()}};
  EXPECT_EQ(Send(*anonymous_, "GET", kPods, "", headers).status, 403);
  Admin("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: viewer}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: default, namespace: default}]
)");
  EXPECT_EQ(Send(*anonymous_, "GET", kPods, "", headers).status, 200);
  EXPECT_EQ(Send(*anonymous_, "GET", "/api/v1/nodes", "", headers).status, 403);
  http::Headers write = headers;
  write.Set("content-type", "application/yaml");
  EXPECT_EQ(Send(*anonymous_, "POST", kPods, kPod, write).status, 403);
}

TEST_F(HttpFrontTest, Discovers) {
  EXPECT_EQ(Json(Admin("GET", "/apis/apps/v1"))["kind"].AsString(), "APIResourceList");
  const json::Value all = Json(
      Admin("GET", "/apis", "",
            {{"accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}}));
  EXPECT_EQ(all["kind"].AsString(), "APIGroupDiscoveryList");
  EXPECT_GT(all["items"].size(), 10u);
  const json::Value index = Json(Admin("GET", "/openapi/v3"));
  EXPECT_TRUE(index["paths"].Has("apis/apps/v1"));
  const json::Value apps = Json(Admin("GET", "/openapi/v3/apis/apps/v1"));
  EXPECT_TRUE(apps["components"]["schemas"].Has("io.k8s.api.apps.v1.Deployment"));
}

class LineSink : public http::StreamSink {
 public:
  void OnHead(int s, const http::Headers&) override { status = s; }
  void OnData(std::string_view bytes) override {
    std::lock_guard lock(mutex);
    text.append(bytes);
    changed.notify_all();
  }
  void OnEnd(base::Status) override {
    std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
  }
  bool WaitFor(std::string_view what) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(10), [&] {
      return ended || text.find(what) != std::string::npos;
    }) && text.find(what) != std::string::npos;
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::string text;
  int status = 0;
  bool ended = false;
};

TEST_F(HttpFrontTest, StreamsWatches) {
  LineSink sink;
  auto call = admin_->Stream({.url = front_->Url() + "/api/v1/pods?watch=true&resourceVersion=0",
                              .timeout = std::chrono::milliseconds(0)},
                             sink);
  Admin("POST", kPods, kPod);
  EXPECT_TRUE(sink.WaitFor("\"type\":\"ADDED\"")) << sink.text;
  Admin("DELETE", std::string(kPods) + "/a");
  EXPECT_TRUE(sink.WaitFor("\"type\":\"DELETED\"")) << sink.text;
}

}  // namespace
}  // namespace coppice::server
