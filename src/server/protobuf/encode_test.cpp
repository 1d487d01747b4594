#include "server/protobuf/encode.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/wire_reader.h"
#include "json/parse.h"
#include "json/write.h"
#include "kube/object.h"
#include "server/core/core.h"
#include "server/protobuf/decode.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

// What is read back is what was written.
void ExpectRoundTrip(std::string_view text) {
  const json::Value object = *json::Parse(text);
  const auto encoded = EncodeProtobuf(object);
  ASSERT_TRUE(encoded) << encoded.error().ToString();
  const auto decoded = DecodeProtobuf(*encoded);
  ASSERT_TRUE(decoded) << decoded.error().ToString();
  EXPECT_EQ(json::Write(*decoded), json::Write(object));
}

TEST(ProtobufEncodeTest, WritesEveryForm) {
  ExpectRoundTrip(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n",
    "creationTimestamp":"2026-01-02T03:04:05Z","labels":{"app":"a","empty":""},
    "managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1",
      "fieldsV1":{"f:metadata":{"f:labels":{}}}}],
    "ownerReferences":[{"apiVersion":"v1","kind":"K","name":"o","uid":"u","controller":true}]},
    "spec":{"volumes":[{"name":"v","emptyDir":{}}],
      "tolerations":[{"key":"k","operator":"Exists","tolerationSeconds":-1}],
      "containers":[{"name":"main","image":"i","args":["","x"],"ports":[{"containerPort":80}],
        "env":[{"name":"E","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}],
        "resources":{"limits":{"cpu":"100m"}},
        "livenessProbe":{"httpGet":{"path":"/","port":"web"},"periodSeconds":7},
        "readinessProbe":{"httpGet":{"path":"/","port":8080}}}],
      "terminationGracePeriodSeconds":0,"automountServiceAccountToken":false}})");
  ExpectRoundTrip(
      R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"},"data":{"k":"AP8="}})");
  ExpectRoundTrip(R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l"},
    "spec":{"holderIdentity":"me","leaseDurationSeconds":15,
      "renewTime":"2026-01-02T03:04:05.000006Z"}})");
  ExpectRoundTrip(R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview",
    "spec":{"user":"u","extra":{"scope":["a","b"]}}})");
  ExpectRoundTrip(R"({"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"r"},
    "data":{"any":["thing",1]},"revision":3})");
  ExpectRoundTrip(R"({"apiVersion":"v1","kind":"Status","metadata":{"resourceVersion":"7"},
    "status":"Failure","message":"no","reason":"NotFound","code":404,
    "details":{"name":"a","kind":"pods","causes":[{"reason":"r","message":"m","field":"f"}]}})");
}

TEST(ProtobufEncodeTest, WritesSchemas) {
  ExpectRoundTrip(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"gadgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
      "names":{"plural":"gadgets","kind":"Gadget"},
      "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{
        "type":"object","x-kubernetes-preserve-unknown-fields":true,
        "properties":{
          "a":{"type":"array","items":{"type":"string","enum":["x","y"]},"maxItems":3},
          "b":{"type":"object","additionalProperties":{"type":"integer","minimum":0.5}},
          "c":{"type":"object","additionalProperties":false},
          "d":{"type":"string","default":"x","nullable":true}},
        "dependencies":{"a":["b","c"]}}}}]}})");
}

// client-go wrote the body that this was read from, so it can read this as well.
TEST(ProtobufEncodeTest, WritesWhatClientsWrite) {
  const std::string theirs = *base::Base64Decode(
      "azhzAAoMCgJ2MRIGU2VjcmV0Eh4KEQoBcxIAGgAiACoAMgA4AEIAEgcKAWsSAgD/GgAaACIA");
  const auto ours = EncodeProtobuf(*DecodeProtobuf(theirs));
  ASSERT_TRUE(ours);
  EXPECT_EQ(base::Base64Encode(*ours), "azhzAAoMCgJ2MRIGU2VjcmV0Eg4KAwoBcxIHCgFrEgIA/w==");
}

TEST(ProtobufEncodeTest, ListsHaveMetadataAndItems) {
  const auto encoded = EncodeProtobuf(*json::Parse(
      R"({"apiVersion":"v1","kind":"ConfigMapList","metadata":{"resourceVersion":"5"},
          "items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})"));
  ASSERT_TRUE(encoded);
  // k8s\0, then the kind, then the list: its metadata and two items.
  EXPECT_EQ(base::Base64Encode(*encoded),
            "azhzAAoTCgJ2MRINQ29uZmlnTWFwTGlzdBITCgMSATUSBQoDCgFhEgUKAwoBYg==");
}

TEST(ProtobufEncodeTest, FramesOfAWatchSayTheirLength) {
  const auto frame = EncodeWatchFrame(
      "ADDED", *json::Parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})"));
  ASSERT_TRUE(frame);
  ASSERT_GT(frame->size(), 4U);
  EXPECT_EQ(frame->substr(0, 3), std::string(3, '\0'));
  EXPECT_EQ(static_cast<size_t>((*frame)[3]), frame->size() - 4);
  base::WireReader event(std::string_view(*frame).substr(4));
  EXPECT_EQ(event.Next()->bytes, "ADDED");
  base::WireReader object(event.Next()->bytes);
  EXPECT_EQ(kube::Name(*DecodeProtobuf(object.Next()->bytes)), "a");
}

TEST(ProtobufEncodeTest, OtherKindsHaveNone) {
  EXPECT_TRUE(EncodeProtobuf(*json::Parse(R"({"apiVersion":"example.com/v1","kind":"Thing"})"))
                  .Is(base::ErrorCode::kNotAcceptable));
}

// Whatever Kubernetes itself serves in protobuf, we do.
TEST(ProtobufEncodeTest, EveryBuiltInKindHasOne) {
  TestServer server;
  for (const ServedPtr& served : server.server->core().registry()->all()) {
    const api::Resource& resource = served->resource;
    if (served->custom) continue;
    EXPECT_TRUE(HasProtobuf(resource.ApiVersion(), resource.kind))
        << resource.ApiVersion() << " " << resource.kind;
    EXPECT_TRUE(HasProtobuf(resource.ApiVersion(), served->list_kind));
  }
}

}  // namespace
}  // namespace coppice::server
