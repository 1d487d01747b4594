#include "server/http_front.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

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

constexpr const char* kPodBody = R"(
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {containers: [{name: main, image: busybox}]}
)";
constexpr const char* kPods = "/api/v1/namespaces/default/pods";

TEST_F(HttpFrontTest, CreatesAndReads) {
  const http::Response created = Admin("POST", kPods, kPodBody);
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
  EXPECT_EQ(Admin("PUT", kPods, kPodBody).status, 405);
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
  Admin("POST", kPods, kPodBody);
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
  EXPECT_EQ(Send(*anonymous_, "POST", kPods, kPodBody, write).status, 403);
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

TEST_F(HttpFrontTest, RequestsAreLogged) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("coppice-audit-" + std::to_string(getpid()) + ".log");
  std::filesystem::remove(file);
  {
    auto logged = *HttpFront::Start(*server_, executor_, {.audit_log = file.string()});
    std::swap(front_, logged);
    EXPECT_EQ(Admin("POST", kPods, kPodBody).status, 201);
    EXPECT_EQ(Admin("GET", std::string(kPods) + "/nobody").status, 404);
    EXPECT_EQ(Send(*anonymous_, "DELETE", std::string(kPods) + "/a").status, 403);
    std::swap(front_, logged);
    logged->Stop();
  }
  std::ifstream lines(file);
  std::vector<std::string> seen;
  for (std::string line; std::getline(lines, line);) {
    const json::Value entry = *json::Parse(line);
    EXPECT_FALSE(entry["time"].AsString().empty());
    seen.push_back(entry["user"].ToString() + " " + entry["verb"].ToString() + " " +
                   entry["resource"].ToString() + " " + entry["namespace"].ToString() + "/" +
                   entry["name"].ToString() + " " + std::to_string(entry["code"].AsInt()));
  }
  std::filesystem::remove(file);
  // In whatever order: a request is logged after its answer has gone.
  EXPECT_THAT(seen, testing::UnorderedElementsAre("kubernetes-admin create pods default/a 201",
                                                  "kubernetes-admin get pods default/nobody 404",
                                                  "system:anonymous delete pods default/a 403"));
}

TEST_F(HttpFrontTest, MoreRequestsThanItTakesAreTurnedAway) {
  auto busy = *HttpFront::Start(*server_, executor_, {.max_requests_in_flight = 0});
  std::swap(front_, busy);
  const http::Response refused = Admin("GET", kPods);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.Get("retry-after"), "1");
  EXPECT_EQ(Json(refused)["reason"].AsString(), "TooManyRequests");
  std::swap(front_, busy);
  busy->Stop();
}

TEST_F(HttpFrontTest, ARateLimitTurnsAwayWhatIsTooMuch) {
  auto limited = *HttpFront::Start(*server_, executor_, {.max_requests_per_second = 0.0001});
  std::swap(front_, limited);
  EXPECT_EQ(Admin("GET", kPods).status, 200);
  const http::Response refused = Admin("GET", kPods);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.Get("retry-after"), "1");
  EXPECT_EQ(Json(refused)["reason"].AsString(), "TooManyRequests");
  std::swap(front_, limited);
  limited->Stop();
}

TEST_F(HttpFrontTest, PlainHttpStaysOnThisMachine) {
  EXPECT_FALSE(HttpFront::Start(*server_, executor_, {.address = "0.0.0.0", .tls = false}));
}

TEST_F(HttpFrontTest, WarningsAreHeaders) {
  const http::Response made = Admin("POST", kPods, R"(
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {containers: [{name: main, image: busybox}], nonsense: 1}
)");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.headers.Get("warning"), "299 - \"unknown field \\\"spec.nonsense\\\"\"");
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
  Admin("POST", kPods, kPodBody);
  EXPECT_TRUE(sink.WaitFor("\"type\":\"ADDED\"")) << sink.text;
  Admin("DELETE", std::string(kPods) + "/a");
  EXPECT_TRUE(sink.WaitFor("\"type\":\"DELETED\"")) << sink.text;
}

}  // namespace
}  // namespace coppice::server
