#include "server/front/http_front.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/base64.h"
#include "http/client/client.h"
#include "json/parse.h"
#include "json/write.h"
#include "json/yaml/yaml.h"
#include "kube/executor/thread_executor.h"
#include "kube/object.h"
#include "server/protobuf/decode.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr char kProtobuf[] = "application/vnd.kubernetes.protobuf";

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
    options.tls.ca_pem = *base::Base64Decode(
        config["clusters"].At(0)["cluster"]["certificate-authority-data"].AsString());
    anonymous_ = *http::ClientTransport::Make(options);
    options.tls.certificate_pem = *base::Base64Decode(user["client-certificate-data"].AsString());
    options.tls.key_pem = *base::Base64Decode(user["client-key-data"].AsString());
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

TEST_F(HttpFrontTest, InventedNamesAndMethodsMakeNoNewSeries) {
  Send(*anonymous_, "GET", "/apis/made.up/v1/inventions");
  Send(*anonymous_, "GET", "/apis/made.up/v2/others");
  Send(*anonymous_, "INVENTED", "/nothing/here");
  const http::Response metrics = Admin("GET", "/metrics");
  const std::string text(metrics.BodyView());
  EXPECT_THAT(text, HasSubstr(R"({group="",resource="",verb="list",code="403"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"({group="",resource="",verb="",code="403"} 1)"));
  for (const char* invented : {"made.up", "inventions", "others", "invented"}) {
    EXPECT_THAT(text, testing::Not(HasSubstr(invented)));
  }
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

TEST_F(HttpFrontTest, AnswersInProtobufWhoTakesNothingElse) {
  const http::Headers only{{"accept", kProtobuf}};
  const http::Response made = Admin("POST", kPods, kPodBody, only);
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.headers.Get("content-type"), kProtobuf);
  EXPECT_EQ(kube::Name(*DecodeProtobuf(made.BodyView())), "a");
  const http::Response list = Admin("GET", kPods, "", only);
  EXPECT_EQ(list.headers.Get("content-type"), kProtobuf);
  EXPECT_THAT(std::string(list.BodyView()), StartsWith(std::string("k8s\0", 4)));
  EXPECT_THAT(std::string(list.BodyView()), HasSubstr("PodList"));
  const http::Response missing = Admin("GET", std::string(kPods) + "/nobody", "", only);
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ((*DecodeProtobuf(missing.BodyView()))["reason"].AsString(), "NotFound");
  const http::Response partial = Admin(
      "GET", kPods, "",
      {{"accept", std::string(kProtobuf) + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}});
  EXPECT_THAT(std::string(partial.BodyView()), HasSubstr("PartialObjectMetadataList"));
}

TEST_F(HttpFrontTest, PrefersJsonToProtobuf) {
  const http::Response list =
      Admin("GET", kPods, "", {{"accept", std::string(kProtobuf) + ",application/json"}});
  EXPECT_EQ(list.headers.Get("content-type"), "application/json");
}

// Tables are JSON alone, and so are custom resources.
TEST_F(HttpFrontTest, RefusesProtobufWhereThereIsNone) {
  const http::Headers only{{"accept", kProtobuf}};
  EXPECT_EQ(
      Admin("GET", kPods, "", {{"accept", std::string(kProtobuf) + ";as=Table;v=v1;g=meta.k8s.io"}})
          .status,
      406);
  ASSERT_EQ(Admin("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: gadgets, kind: Gadget}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
)")
                .status,
            201);
  const http::Response gadgets = Admin("GET", "/apis/example.com/v1/gadgets", "", only);
  EXPECT_EQ(gadgets.status, 406);
  EXPECT_EQ(Json(gadgets)["reason"].AsString(), "NotAcceptable");
  EXPECT_EQ(Admin("POST", "/apis/example.com/v1/gadgets",
                  "{apiVersion: example.com/v1, kind: Gadget, metadata: {name: a}}", only)
                .status,
            406);
  EXPECT_EQ(Admin("GET", "/apis/example.com/v1/gadgets/a").status, 404) << "nothing was made";
  EXPECT_EQ(Admin("POST", kPods, "k8s", {{"content-type", kProtobuf}}).status, 415);
}

TEST_F(HttpFrontTest, ShowsNoReviewAsATable) {
  const char* kReviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const std::string review =
      "{apiVersion: authorization.k8s.io/v1, kind: SelfSubjectAccessReview, "
      "spec: {resourceAttributes: {verb: get, resource: pods}}}";
  EXPECT_EQ(Admin("POST", kReviews, review).status, 201);
  EXPECT_EQ(
      Admin("POST", kReviews, review, {{"accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}})
          .status,
      406);
}

TEST_F(HttpFrontTest, RefusesATimeoutThatIsNoDuration) {
  EXPECT_EQ(Admin("GET", std::string(kPods) + "?timeout=30s", "").status, 200);
  const http::Response refused = Admin("GET", std::string(kPods) + "?timeout=invalid", "");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(Json(refused)["message"].AsString(), "invalid timeout specified in the request URL");
}

TEST_F(HttpFrontTest, SelectsNodesThatAreNotCordoned) {
  const char* kNodes = "/api/v1/nodes";
  Admin("POST", kNodes, "{apiVersion: v1, kind: Node, metadata: {name: open}}");
  Admin("POST", kNodes,
        "{apiVersion: v1, kind: Node, metadata: {name: cordoned}, spec: {unschedulable: true}}");
  const json::Value open =
      Json(Admin("GET", std::string(kNodes) + "?fieldSelector=spec.unschedulable%3Dfalse", ""));
  ASSERT_EQ(open["items"].size(), 1u);
  EXPECT_EQ(open["items"].At(0)["metadata"]["name"].AsString(), "open");
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

// A write may depend on a lease: see lease_guard.h.
TEST_F(HttpFrontTest, AWriteMayNameItsLease) {
  Admin("POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", R"(
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: lock}
spec: {holderIdentity: me, leaseDurationSeconds: 15, leaseTransitions: 4}
)");
  const auto create = [&](const std::string& lease) {
    return Admin("POST", kPods, kPodBody, {{"coppice-lease", lease}});
  };
  EXPECT_EQ(create("default/lock 3 me").status, 403);
  EXPECT_EQ(create("default/lock 4 another").status, 403);
  EXPECT_EQ(create("default/nothing 4 me").status, 403);
  EXPECT_EQ(create("nonsense").status, 400);
  EXPECT_EQ(Admin("GET", std::string(kPods) + "/a").status, 404) << "nothing was written";
  EXPECT_EQ(create("default/lock 4 me").status, 201);
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

// Beyond any clock, or ended already: what a client may wish for.
TEST_F(HttpFrontTest, WatchesLastAsLongAsTheyAreAskedTo) {
  for (const char* seconds : {"4611686018427387904", "9223372036854775807", "31536001", "%2B60"}) {
    LineSink sink;
    auto call = admin_->Stream(
        {.url = front_->Url() + kPods + "?watch=true&resourceVersion=0&timeoutSeconds=" + seconds,
         .timeout = std::chrono::milliseconds(0)},
        sink);
    Admin("POST", kPods, kPodBody);
    EXPECT_TRUE(sink.WaitFor("\"type\":\"ADDED\"")) << seconds << sink.text;
    Admin("DELETE", std::string(kPods) + "/a?gracePeriodSeconds=0");
    EXPECT_TRUE(sink.WaitFor("\"type\":\"DELETED\"")) << seconds << sink.text;
  }
  for (const char* seconds : {"-1", "-9223372036854775808"}) {
    const http::Response ended =
        Admin("GET", std::string(kPods) + "?watch=true&timeoutSeconds=" + seconds);
    EXPECT_EQ(ended.status, 200) << seconds;
  }
}

TEST_F(HttpFrontTest, NumbersOfAQueryAreNumbers) {
  Admin("POST", kPods, kPodBody);
  for (const auto& [value, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"x", "invalid syntax"},
           {"", "invalid syntax"},
           {"1s", "invalid syntax"},
           {"1.5", "invalid syntax"},
           {"0x10", "invalid syntax"},
           {"%2B-1", "invalid syntax"},
           {"99999999999999999999x", "invalid syntax"},
           {"9223372036854775808", "value out of range"},
           {"-9223372036854775809", "value out of range"}}) {
    for (const auto& [method, query] : std::initializer_list<std::pair<const char*, const char*>>{
             {"GET", "?timeoutSeconds="},
             {"GET", "?watch=true&timeoutSeconds="},
             {"DELETE", "?timeoutSeconds="},
             {"GET", "?limit="}}) {
      const http::Response refused = Admin(method, std::string(kPods) + query + value);
      EXPECT_EQ(refused.status, 400) << method << query << value;
      EXPECT_THAT(Json(refused)["message"].ToString(), testing::EndsWith(why));
    }
  }
  EXPECT_EQ(Admin("GET", std::string(kPods) + "/a").status, 200) << "nothing was deleted";
}

// Authenticated connections may stay idle; anonymous ones, or those with a bad token, may not.
TEST_F(HttpFrontTest, OnlyThoseWhoAreKnownStayConnected) {
  const json::Value made =
      Json(Admin("POST", "/api/v1/namespaces/default/serviceaccounts/default/token", "{spec: {}}"));
  const std::string token = "Bearer " + made["status"]["token"].ToString();
  HttpFront::Options options;
  options.limits.unauthenticated_idle_timeout = std::chrono::milliseconds(50);
  auto strict = *HttpFront::Start(*server_, executor_, options);
  std::swap(front_, strict);
  const auto connect = [&] {
    http::ClientOptions made_options{.proxy_url = "none"};
    made_options.tls.insecure_skip_verify = true;
    return *http::ClientTransport::Make(made_options);
  };
  const auto with_token = connect(), with_nothing = connect(), with_wrong = connect();
  EXPECT_EQ(Send(*with_token, "GET", "/api", "", {{"authorization", token}}).status, 200);
  EXPECT_EQ(Admin("GET", "/api").status, 200);
  EXPECT_EQ(Send(*with_nothing, "GET", "/healthz").status, 200);
  EXPECT_EQ(Send(*with_wrong, "GET", "/api", "", {{"authorization", "Bearer x"}}).status, 401);
  const auto wait_for = [&](size_t count) {
    for (int i = 0; i < 2'000 && front_->connections() > count; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  };
  wait_for(2);
  // Long enough for the others to go too, were they not known.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(front_->connections(), 2u);
  std::swap(front_, strict);
  strict->Stop();
}

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

// All of them at once would exceed what a stream may hold, and many streams the memory.
TEST_F(HttpFrontTest, WatchesOfLargeObjectsAreSentAsTheyAreRead) {
  constexpr int kCount = 30;
  for (int i = 0; i < kCount; ++i) {
    const json::Value map = json::Value::Object(
        {{"apiVersion", "v1"},
         {"kind", "ConfigMap"},
         {"metadata", json::Value::Object({{"name", fmt::format("m{}", i)},
                                           {"labels", json::Value::Object({{"big", "yes"}})}})},
         {"data", json::Value::Object({{"k", std::string(300'000, 'x')}})}});
    ASSERT_EQ(Admin("POST", "/api/v1/namespaces/default/configmaps", json::Write(map)).status, 201);
  }
  HttpFront::Options options;
  options.limits.max_stream_buffer = 4 << 20;
  auto small = *HttpFront::Start(*server_, executor_, options);
  std::swap(front_, small);
  const http::Response events = Admin(
      "GET",
      "/api/v1/configmaps?watch=true&resourceVersion=0&timeoutSeconds=3&labelSelector=big%3Dyes");
  EXPECT_EQ(std::ranges::count(events.BodyView(), '\n'), kCount);
  std::swap(front_, small);
  small->Stop();
}

TEST_F(HttpFrontTest, StreamsWatchesInProtobuf) {
  LineSink sink;
  auto call = admin_->Stream({.url = front_->Url() + "/api/v1/pods?watch=true&resourceVersion=0",
                              .headers = {{"accept", std::string(kProtobuf) + ";stream=watch"}},
                              .timeout = std::chrono::milliseconds(0)},
                             sink);
  Admin("POST", kPods, kPodBody);
  EXPECT_TRUE(sink.WaitFor("ADDED"));
  Admin("DELETE", std::string(kPods) + "/a");
  EXPECT_TRUE(sink.WaitFor("DELETED"));
  std::lock_guard lock(sink.mutex);
  size_t frames = 0;
  for (size_t at = 0; at + 4 <= sink.text.size(); ++frames) {
    size_t size = 0;
    for (int i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(sink.text[at + i]);
    at += 4 + size;
    ASSERT_LE(at, sink.text.size()) << "a frame is as long as it says";
  }
  EXPECT_GE(frames, 2U);
}

}  // namespace
}  // namespace coppice::server
