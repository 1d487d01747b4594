#include "page/serve/page_server.h"

#include <gtest/gtest.h>

#include "http/client/client.h"
#include "json/parse.h"
#include "kube/executor/thread_executor.h"
#include "page/cluster/objects_client.h"
#include "page/serve/assets.h"

namespace coppice::page {
namespace {

// A page of nothing, over a real socket.
class PageHttp : public testing::Test {
 protected:
  PageHttp() {
    PageOptions options;
    options.token = "t";
    options.why = [](Cluster&) {
      return [](const std::string& ns, const std::string& target) -> base::Result<json::Value> {
        return json::Value::Array({ns + " " + target});
      };
    };
    auto started = PageServer::Start(client_, executor_, options);
    COPPICE_CHECK(started.ok());
    page_ = *std::move(started);
    base_ = page_->Url().substr(0, page_->Url().find("/?"));
    cookie_ = "coppice-page-" + base_.substr(base_.rfind(':') + 1) + "=t";
  }

  http::Response Get(const std::string& path, http::Headers headers = {}) {
    headers.Set("cookie", cookie_);
    const http::Exchange exchange = http_->Send({.url = base_ + path, .headers = headers});
    EXPECT_TRUE(exchange.response.ok());
    return exchange.response.ok() ? *exchange.response : http::Response();
  }

  kube::ThreadExecutor executor_;
  ObjectsClient client_{{}, executor_};
  std::unique_ptr<PageServer> page_;
  std::unique_ptr<http::ClientTransport> http_ =
      *http::ClientTransport::Make({.proxy_url = "none"});
  std::string base_, cookie_;
};

TEST_F(PageHttp, ServesTheViewsAndTheirFiles) {
  for (const char* path : {"/", "/map", "/workloads/a/Job/b"}) {
    const http::Response answer = Get(path);
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_NE(answer.BodyView().find("<title>Coppice"), std::string_view::npos) << path;
    EXPECT_NE(answer.headers.Get("content-security-policy").find("default-src 'none'"),
              std::string_view::npos);
  }
  const http::Response script = Get("/app.js");
  EXPECT_TRUE(script.headers.Get("content-type").starts_with("text/javascript"));
  EXPECT_EQ(Get("/app.js", {{"if-none-match", script.headers.Get("etag")}}).status, 304);
  EXPECT_EQ(Get("/nonsense").status, 404);
}

// No file has the address of a view.
TEST_F(PageHttp, ServesEveryFileAsItself) {
  EXPECT_GT(AllAssets().size(), 10U);
  for (const Asset& asset : AllAssets()) {
    const http::Response answer = Get(std::string(asset.path));
    EXPECT_EQ(answer.headers.Get("content-type"), asset.type) << asset.path;
    EXPECT_EQ(answer.BodyView().size(), asset.content.size()) << asset.path;
  }
}

TEST_F(PageHttp, AnswersQuestions) {
  const auto state = json::Parse(Get("/api/state?sections=queues").BodyView());
  ASSERT_TRUE(state);
  EXPECT_TRUE((*state)["sections"]["queues"].IsArray());
  EXPECT_EQ(Get("/api/state?sections=secrets").status, 400);
  EXPECT_EQ(Get("/api/why?id=a/PodCliqueSet/b").BodyView(), R"(["a set/b"])");
  EXPECT_EQ(Get("/api/why?id=b").status, 400);
  const http::Response none = Get("/api/workload?id=a/Job/b");
  EXPECT_EQ(none.status, 404);
  EXPECT_NE(none.BodyView().find("there is no Job"), std::string_view::npos);
}

TEST_F(PageHttp, RefusesStrangers) {
  cookie_ = "none=1";
  EXPECT_EQ(Get("/api/state?sections=queues").status, 401);
  EXPECT_EQ(Get("/?token=t").status, 303);
}

}  // namespace
}  // namespace coppice::page
