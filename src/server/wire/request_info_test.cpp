#include "server/wire/request_info.h"

#include <gtest/gtest.h>

namespace coppice::server {
namespace {

RequestInfo Info(std::string_view method, std::string_view path, std::string_view query = "") {
  return RequestInfo::Parse(method, path, http::Query::Parse(query));
}

// "VERB NAMESPACE/RESOURCE/NAME/SUBRESOURCE", as authorization sees it.
std::string Seen(std::string_view method, std::string_view path, std::string_view query = "") {
  const RequestInfo info = Info(method, path, query);
  return info.verb + " " + info.ns + "/" + info.resource + "/" + info.name + "/" + info.subresource;
}

TEST(RequestInfo, ReadsVerbsFromMethodsAndNames) {
  constexpr std::string_view kAll = "/api/v1/namespaces/a/pods",
                             kOne = "/api/v1/namespaces/a/pods/x";
  EXPECT_EQ(Seen("GET", kAll), "list a/pods//");
  EXPECT_EQ(Seen("HEAD", kAll), "list a/pods//");
  EXPECT_EQ(Seen("POST", kAll), "create a/pods//");
  EXPECT_EQ(Seen("DELETE", kAll), "deletecollection a/pods//");
  EXPECT_EQ(Seen("GET", kOne), "get a/pods/x/");
  EXPECT_EQ(Seen("PUT", kOne), "update a/pods/x/");
  EXPECT_EQ(Seen("PATCH", kOne), "patch a/pods/x/");
  EXPECT_EQ(Seen("DELETE", kOne), "delete a/pods/x/");
  EXPECT_EQ(Seen("GET", kOne, "watch=1"), "get a/pods/x/");
}

TEST(RequestInfo, UnknownMethodsAreNoVerbs) {
  for (const char* method : {"LIST", "WATCH", "DELETECOLLECTION", "get", "OPTIONS", "FOO"}) {
    EXPECT_EQ(Seen(method, "/api/v1/namespaces/a/secrets/x"), " a/secrets/x/") << method;
    EXPECT_EQ(Seen(method, "/api/v1/namespaces/a/secrets"), " a/secrets//") << method;
  }
}

TEST(RequestInfo, FlagsMeanYesUnlessTheySayNo) {
  for (const char* query : {"watch=1", "watch=true", "watch=yes", "watch", "watch="}) {
    EXPECT_EQ(Seen("GET", "/api/v1/pods", query), "watch /pods//") << query;
  }
  for (const char* query : {"watch=0", "watch=false", "watch=False", ""}) {
    EXPECT_EQ(Seen("GET", "/api/v1/pods", query), "list /pods//") << query;
  }
}

TEST(RequestInfo, AFieldSelectorNamesAnObjectWhereThePathDoesNot) {
  constexpr std::string_view kAll = "/api/v1/secrets";
  EXPECT_EQ(Seen("GET", kAll, "fieldSelector=metadata.name%3Dx"), "list /secrets/x/");
  EXPECT_EQ(Seen("GET", kAll, "watch=1&fieldSelector=metadata.name%3Dx"), "watch /secrets/x/");
  EXPECT_EQ(Seen("GET", "/api/v1/namespaces/a/secrets/y", "fieldSelector=metadata.name%3Dx"),
            "get a/secrets/y/");
  EXPECT_EQ(Seen("DELETE", kAll, "fieldSelector=metadata.name%3Dx"), "deletecollection /secrets//");
  EXPECT_EQ(Seen("GET", "/api/v1/watch/secrets", "fieldSelector=metadata.name%3Dx"),
            "watch /secrets//");
  for (const char* name : {"..", ".", "a/b", "a%2525b"}) {
    EXPECT_EQ(Seen("GET", kAll, std::string("fieldSelector=metadata.name%3D") + name),
              "list /secrets//")
        << name;
  }
}

TEST(RequestInfo, NamespacesAreResourcesAndScopes) {
  EXPECT_EQ(Seen("GET", "/api/v1/namespaces"), "list /namespaces//");
  EXPECT_EQ(Seen("GET", "/api/v1/namespaces/a"), "get a/namespaces/a/");
  EXPECT_EQ(Seen("PUT", "/api/v1/namespaces/a/status"), "update a/namespaces/a/status");
  EXPECT_EQ(Seen("PUT", "/api/v1/namespaces/a/finalize"), "update a/namespaces/a/finalize");
  EXPECT_EQ(Seen("GET", "/api/v1/namespaces/status/pods"), "list status/pods//");
  EXPECT_FALSE(Info("GET", "/api/v1/namespaces/a/status").in_namespace);
  EXPECT_EQ(Seen("GET", "/api/v1/namespaces/a/namespaces/b"), "get a/namespaces/b/");
  EXPECT_TRUE(Info("GET", "/api/v1/namespaces/a/namespaces/b").in_namespace);
}

TEST(RequestInfo, TheOldFormsHaveTheVerbInThePath) {
  EXPECT_EQ(Seen("GET", "/api/v1/watch/namespaces/a/pods"), "watch a/pods//");
  EXPECT_EQ(Seen("GET", "/api/v1/watch/namespaces/a/pods/x"), "watch a/pods/x/");
  EXPECT_EQ(Seen("DELETE", "/apis/apps/v1/watch/deployments"), "watch /deployments//");
  EXPECT_EQ(Seen("GET", "/api/v1/proxy/nodes/x/metrics"), "proxy /nodes/x/");
}

TEST(RequestInfo, EmptyPartsBetweenSlashesCount) {
  EXPECT_EQ(Seen("GET", "/api/v1/namespaces/a/pods/x/"), "get a/pods/x/");
  EXPECT_EQ(Seen("GET", "/api/v1/namespaces//pods"), "list /pods//");
  EXPECT_EQ(Seen("GET", "/api/v1/namespaces/a/pods//status"), "list a/pods//status");
  EXPECT_EQ(Info("GET", "/api/v1/namespaces/a/pods//status").parts.size(), 3u);
}

TEST(RequestInfo, OtherPathsKeepTheirMethod) {
  for (const char* path : {"/", "/api", "/api/v1", "/apis/apps/v1", "/metrics", "/API/v1/pods"}) {
    EXPECT_FALSE(Info("GET", path).is_resource) << path;
    EXPECT_EQ(Info("Foo", path).verb, "foo") << path;
  }
}

}  // namespace
}  // namespace coppice::server
