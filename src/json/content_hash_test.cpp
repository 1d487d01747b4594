#include "json/content_hash.h"

#include <gtest/gtest.h>

#include <set>

#include "json/parse.h"

namespace coppice::json {
namespace {

ContentHash HashOf(const Value& value) {
  ContentHash hash;
  hash.Add(value);
  return hash;
}

TEST(ContentHash, EqualDocumentsHaveEqualHashes) {
  EXPECT_EQ(HashOf(*Parse(R"({"a": [1, "x"], "b": null})")),
            HashOf(*Parse(R"({"b": null, "a": [1, "x"]})")));
}

TEST(ContentHash, DifferentDocumentsDiffer) {
  std::set<std::pair<uint64_t, uint64_t>> seen;
  const char* documents[] = {
      "null",
      "false",
      "true",
      "0",
      "1",
      "1.5",
      R"("")",
      R"("a")",
      R"("b")",
      R"("12345678")",
      R"("123456789")",
      "[]",
      "[[]]",
      "[null]",
      R"(["a", "b"])",
      R"(["ab"])",
      "{}",
      R"({"a": "b"})",
      R"({"b": "a"})",
      R"({"a": {}})",
      R"({"a": []})",
  };
  for (const char* document : documents) {
    const ContentHash hash = HashOf(*Parse(document));
    EXPECT_TRUE(seen.emplace(hash.a, hash.b).second) << document;
  }
}

}  // namespace
}  // namespace coppice::json
