#include "kube/cache/packing/trim.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/write.h"

namespace coppice::kube {
namespace {

std::string Trimmed(const std::vector<std::string_view>& paths, std::string_view text) {
  return json::Write(TrimTo(paths)(*json::Parse(text)));
}

TEST(TrimTo, AlwaysKeepsWhatIdentifiesAnObject) {
  EXPECT_EQ(
      Trimmed({}, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","uid":"u",
                            "annotations":{"x":"y"},"labels":{"l":"1"}},"spec":{"a":1}})"),
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"l":"1"},"name":"a","uid":"u"}})");
}

TEST(TrimTo, KeepsNamedFieldsAlsoThroughLists) {
  EXPECT_EQ(Trimmed({"spec.containers.resources", "spec.containers.name", "status.phase"},
                    R"({"spec":{"containers":[{"name":"a","image":"i","resources":{"r":{"c":1}}},
                        {"name":"b"}],"nodeName":"n"},"status":{"phase":"P","x":1}})"),
            R"({"spec":{"containers":[{"name":"a","resources":{"r":{"c":1}}},{"name":"b"}]},)"
            R"("status":{"phase":"P"}})");
}

TEST(TrimTo, AWholeFieldWinsOverItsParts) {
  EXPECT_EQ(Trimmed({"spec", "spec.a"}, R"({"spec":{"a":1,"b":2}})"), R"({"spec":{"a":1,"b":2}})");
  EXPECT_EQ(Trimmed({"spec.a", "spec"}, R"({"spec":{"a":1,"b":2}})"), R"({"spec":{"a":1,"b":2}})");
}

TEST(TrimTo, LeavesUnexpectedShapesAlone) {
  EXPECT_EQ(Trimmed({"spec.a.b"}, R"({"spec":"text"})"), R"({"spec":"text"})");
  EXPECT_EQ(Trimmed({"spec.a.b"}, R"({"spec":{"a":7}})"), R"({"spec":{"a":7}})");
}

}  // namespace
}  // namespace coppice::kube
