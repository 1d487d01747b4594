#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/base64.h"
#include "http/client/client.h"
#include "json/parse.h"
#include "json/write.h"
#include "json/yaml/yaml.h"
#include "kube/executor/thread_executor.h"
#include "server/front/http_front.h"
#include "server/server_testing.h"
#include "source_dir.h"

// Requests and the answers they must get, as files: src/server/transcripts/*.yaml. Each is a list
// of steps:
//
//   - send: POST /api/v1/namespaces/default/pods
//     body: {…}            # An object, or a text that is sent as it is.
//     bytes: /w==          # Or any bytes, in base64.
//     headers: {accept: application/json}
//     status: 201
//     has: {…}             # Members that the answer must have, at any depth.
//     lacks: [status.x]    # Places that it must not have.
//     header: {warning: '299 - "…"'}
namespace coppice::server {
namespace {

std::vector<std::filesystem::path> Transcripts() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path dir =
      std::filesystem::path(COPPICE_SOURCE_DIR) / "src/server/transcripts";
  for (const auto& entry : std::filesystem::directory_iterator(dir)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Whether `actual` has everything that `wanted` shows; lists must agree item by item.
bool Has(const json::Value& actual, const json::Value& wanted) {
  if (wanted.IsObject()) {
    for (const json::Member& member : wanted.Members()) {
      if (!Has(actual[member.name()], member.value)) return false;
    }
    return actual.IsObject();
  }
  if (wanted.IsArray()) {
    if (actual.size() != wanted.size()) return false;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (!Has(actual.At(i), wanted.At(i))) return false;
    }
    return true;
  }
  return actual == wanted;
}

bool HasPath(const json::Value& actual, std::string_view path) {
  const json::Value* at = &actual;
  while (!path.empty()) {
    const size_t dot = std::min(path.find('.'), path.size());
    at = at->Find(path.substr(0, dot));
    if (!at) return false;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return true;
}

class TranscriptTest : public testing::TestWithParam<std::filesystem::path> {
 protected:
  TranscriptTest() {
    server_ = *ApiServer::Make({.clock = &executor_.clock()});
    server_->StartControllers(executor_);
    front_ = *HttpFront::Start(*server_, executor_, {.tls = false});
    http::ClientOptions options;
    options.proxy_url = "none";
    transport_ = *http::ClientTransport::Make(options);
  }
  ~TranscriptTest() override {
    transport_.reset();
    front_->Stop();
    executor_.Stop();
    front_.reset();
    server_.reset();
  }

  static std::string BodyOf(const json::Value& step) {
    if (step["repeat"].IsObject()) {
      std::string body;
      for (int64_t i = 0; i < step["repeat"]["times"].AsInt(); ++i) {
        body += step["repeat"]["text"].AsString();
      }
      return body;
    }
    if (step.Has("bytes")) return base::Base64Decode(step["bytes"].AsString()).value_or("");
    if (!step.Has("body")) return "";
    return step["body"].IsString() ? step["body"].ToString() : json::Write(step["body"]);
  }

  http::Response Send(const json::Value& step) {
    const std::string line = step["send"].ToString();
    http::ClientRequest request;
    request.method = line.substr(0, line.find(' '));
    request.url = front_->Url() + line.substr(line.find(' ') + 1);
    request.body = BodyOf(step);
    if (!request.body.empty()) request.headers.Set("content-type", "application/json");
    for (const json::Member& header : step["headers"].Members()) {
      request.headers.Set(header.name(), header.value.AsString());
    }
    http::Exchange exchange = transport_->Send(std::move(request));
    if (exchange.response) return *std::move(exchange.response);
    ADD_FAILURE() << line << ": " << exchange.response.error().ToString();
    return {};
  }

  void Check(const json::Value& step, size_t number) {
    const http::Response response = Send(step);
    const std::string where = "step " + std::to_string(number) + ": " + step["send"].ToString() +
                              "\n" + std::string(response.BodyView().substr(0, 2000));
    EXPECT_EQ(response.status, step["status"].AsInt(200)) << where;
    const auto answer = json::Parse(response.BodyView());
    if (step.Has("has")) {
      EXPECT_TRUE(answer && Has(*answer, step["has"]))
          << where << "\nlacks " << json::Write(step["has"]);
    }
    for (const json::Value& path : step["lacks"].Items()) {
      EXPECT_TRUE(answer && !HasPath(*answer, path.AsString())) << where;
    }
    for (const json::Member& header : step["header"].Members()) {
      EXPECT_EQ(response.headers.Get(header.name()), header.value.AsString()) << where;
    }
  }

  kube::ThreadExecutor executor_;
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<HttpFront> front_;
  std::unique_ptr<http::ClientTransport> transport_;
};

TEST_P(TranscriptTest, IsAnsweredAsWritten) {
  std::ifstream file(GetParam());
  std::stringstream text;
  text << file.rdbuf();
  const json::Value steps = Doc(text.str());
  ASSERT_TRUE(steps.IsArray());
  for (size_t i = 0; i < steps.size(); ++i) Check(steps.At(i), i + 1);
}

INSTANTIATE_TEST_SUITE_P(Files, TranscriptTest, testing::ValuesIn(Transcripts()),
                         [](const auto& instance) { return instance.param.stem().string(); });

}  // namespace
}  // namespace coppice::server
