#include "server/protobuf/decode.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "json/parse.h"
#include "json/write.h"

namespace coppice::server {
namespace {

// Bodies as client-go writes them, in base64, and the same objects as it writes them in JSON
// (without an empty status).
void ExpectSame(std::string_view encoded, std::string_view expected) {
  const auto body = base::Base64Decode(encoded);
  ASSERT_TRUE(body);
  const auto decoded = DecodeProtobuf(*body);
  ASSERT_TRUE(decoded) << decoded.error().ToString();
  const auto object = json::Parse(expected);
  ASSERT_TRUE(object) << object.error().ToString();
  EXPECT_EQ(json::Write(*decoded), json::Write(*object));
}

TEST(ProtobufTest, ReadsPodsWithAllTheirForms) {
  ExpectSame(
      "azhzAAoJCgJ2MRIDUG9kEvIBCjgKAWESABoBbiIAKgAyADgAQgBaCAoDYXBwEgFhWgkKBWVtcHR5EgBq"
      "DwoBSxoBbyIBdSoCdjEwARKgAQoJCgF2EgQSAgoAEnIKBG1haW4SAWkiACIBeCoAMgoKABAAGFAiACoA"
      "OhEKAUUSABoKIggKAwoBcxIBa0IPCg0KA2NwdRIGCgQxMDBtUiAKFBISCgEvEgkIARAAGgN3ZWIaACIA"
      "EAAYACAHKAAwAGoAcgCAAQCIAQCQAQCiAQAaACAAMgBCAEoAUgBYAGAAaACCAQCKAQCaAQCoAQDCAQAa"
      "EwoAGgAiACoAMgBKAFoAcgCIAQAaACIA",
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n","labe)"
      R"(ls":{"app":"a","empty":""},"ownerReferences":[{"apiVersion":"v1","kind":"K",)"
      R"("name":"o","uid":"u","controller":true}]},"spec":{"volumes":[{"name":"v","em)"
      R"(ptyDir":{}}],"containers":[{"name":"main","image":"i","args":["","x"],"ports)"
      R"(":[{"containerPort":80}],"env":[{"name":"E","valueFrom":{"secretKeyRef":{"na)"
      R"(me":"s","key":"k"}}}],"resources":{"limits":{"cpu":"100m"}},"livenessProbe":)"
      R"({"httpGet":{"path":"/","port":"web"},"periodSeconds":7}}],"terminationGraceP)"
      R"(eriodSeconds":0,"automountServiceAccountToken":false}})");
}

TEST(ProtobufTest, ReadsBytesAsBase64) {
  ExpectSame("azhzAAoMCgJ2MRIGU2VjcmV0Eh4KEQoBcxIAGgAiACoAMgA4AEIAEgcKAWsSAgD/GgAaACIA",
             R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"},"data":{"k":"AP8=)"
             R"("}})");
}

TEST(ProtobufTest, ReadsTimesWithMicroseconds) {
  ExpectSame(
      "azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRImChEKAWwSABoAIgAqADIAOABCABIR"
      "CgJtZRAPIgkIpevcygYQ8C4aACIA",
      R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l")"
      R"(},"spec":{"holderIdentity":"me","leaseDurationSeconds":15,"renewTime":"2026-)"
      R"(01-02T03:04:05.000006Z"}})");
}

TEST(ProtobufTest, ReadsMapsOfLists) {
  ExpectSame(
      "azhzAAouChdhdXRob3JpemF0aW9uLms4cy5pby92MRITU3ViamVjdEFjY2Vzc1JldmlldxI0ChAKABIA"
      "GgAiACoAMgA4AEIAEhYaAXUqDwoFc2NvcGUSBgoBYQoBYjIAGggIABIAGgAgABoAIgA=",
      R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":)"
      R"({"user":"u","extra":{"scope":["a","b"]}}})");
}

TEST(ProtobufTest, RefusesWhatItCannotRead) {
  const std::string secret = *base::Base64Decode(
      "azhzAAoMCgJ2MRIGU2VjcmV0Eh4KEQoBcxIAGgAiACoAMgA4AEIAEgcKAWsSAgD/GgAaACIA");
  // Every truncation is refused or still an object: never a crash.
  for (size_t size = 0; size < secret.size(); ++size) {
    const auto decoded = DecodeProtobuf(std::string_view(secret).substr(0, size));
    EXPECT_TRUE(decoded.ok() || decoded.Is(base::ErrorCode::kUnsupportedMedia));
  }
  std::string unknown = secret;
  unknown.replace(unknown.find("Secret"), 6, "Sacred");
  EXPECT_TRUE(DecodeProtobuf(unknown).Is(base::ErrorCode::kUnsupportedMedia));
  EXPECT_TRUE(DecodeProtobuf("{}").Is(base::ErrorCode::kUnsupportedMedia));
}

}  // namespace
}  // namespace coppice::server
