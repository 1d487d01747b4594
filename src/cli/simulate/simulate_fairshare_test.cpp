#include "cli/simulate/simulate_fairshare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/client/client.h"
#include "json/parse.h"
#include "json/write.h"

namespace coppice::cli {
namespace {

using json::Value;

Value Divide(const std::string& question) {
  const auto parsed = json::Parse(question);
  EXPECT_TRUE(parsed) << question;
  const auto answer = SimulateFairShare(*parsed);
  EXPECT_TRUE(answer) << answer.error().message();
  return answer ? *answer : Value();
}

TEST(FairShareSimulator, DividesByQuotaThenWeight) {
  const Value answer = Divide(R"({"totalResource": {"GPU": 100}, "queues": [
    {"uid": "q1", "resourceShare": {"gpu": {"deserved": 10, "overQuotaWeight": 3, "request": 100}}},
    {"uid": "q2", "resourceShare": {"gpu": {"deserved": 10, "overQuotaWeight": 1, "request": 100}}}
  ]})");
  EXPECT_EQ(answer["q1"]["gpu"].AsDouble(), 70);
  EXPECT_EQ(answer["q2"]["gpu"].AsDouble(), 30);
}

TEST(FairShareSimulator, HigherPriorityFirstAndLimitsHold) {
  const Value answer = Divide(R"({"totalResource": {"GPU": 10}, "queues": [
    {"uid": "low", "resourceShare": {"gpu": {"overQuotaWeight": 100, "request": 10}}},
    {"uid": "high", "priority": 2, "resourceShare": {"gpu": {"maxAllowed": 4, "request": 10}}}
  ]})");
  EXPECT_EQ(answer["high"]["gpu"].AsDouble(), 4);
  EXPECT_EQ(answer["low"]["gpu"].AsDouble(), 6);
}

TEST(FairShareSimulator, WhatIsNotSaidHasItsDefault) {
  // No GPU quota and equal weights; CPU and memory without quota do not limit anyone.
  const Value answer = Divide(R"({"totalResource": {"GPU": 10, "CPU": 8, "Memory": 5},
    "queues": [{"uid": "b", "creationTimestamp": "2026-01-02T00:00:00Z"},
               {"uid": "a", "creationTimestamp": "2026-01-03T00:00:00Z"}]})");
  EXPECT_EQ(answer["a"]["gpu"].AsDouble(), 5);
  EXPECT_EQ(answer["b"]["gpu"].AsDouble(), 5);
  EXPECT_EQ(answer["a"]["cpu"].AsDouble(), 8);
  EXPECT_EQ(answer["b"]["memory"].AsDouble(), 5);
}

TEST(FairShareSimulator, SpeaksHttp) {
  const auto server = StartFairShareServer({.port = 0, .enable_cors = true});
  ASSERT_TRUE(server) << server.error().message();
  const std::string url = "http://127.0.0.1:" + std::to_string((*server)->port());
  const auto transport = http::ClientTransport::Make({.proxy_url = "none"});
  ASSERT_TRUE(transport) << transport.error().message();
  const auto ask = [&](const std::string& method, const std::string& path,
                       const std::string& body) {
    http::ClientRequest request;
    request.method = method;
    request.url = url + path;
    request.body = body;
    http::Exchange exchange = (*transport)->Send(request);
    EXPECT_TRUE(exchange.response) << exchange.response.error().message();
    return exchange.response ? *exchange.response : http::Response{};
  };
  const auto good =
      ask("POST", "/simulate", R"({"totalResource": {"GPU": 4}, "queues": [{"uid": "only"}]})");
  EXPECT_EQ(good.status, 200);
  EXPECT_EQ(good.headers.Get("access-control-allow-origin"), "*");
  EXPECT_EQ((*json::Parse(good.BodyView()))["only"]["gpu"].AsDouble(), 4);
  EXPECT_EQ(ask("POST", "/simulate", "{").status, 400);
  EXPECT_EQ(ask("POST", "/simulate", R"({"queues": [{}]})").status, 400);
  EXPECT_EQ(ask("GET", "/simulate", "").status, 405);
  EXPECT_EQ(ask("POST", "/else", "").status, 404);
}

}  // namespace
}  // namespace coppice::cli
