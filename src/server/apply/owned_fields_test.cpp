#include "server/apply/owned_fields.h"

#include <gtest/gtest.h>

#include <random>

#include "json/write.h"

namespace coppice::server {
namespace {

// A set of up to `size` places in a tree of three levels, with a place in between owned at times.
FieldSet RandomSet(std::mt19937& random, int size) {
  FieldSet set;
  const auto name = [&] { return std::string("f:") + static_cast<char>('a' + random() % 3); };
  for (int i = 0; i < size; ++i) {
    FieldSet* place = &set;
    for (unsigned depth = 1 + random() % 3; depth > 0; --depth) place = &place->At(name());
    place->member = true;
  }
  return set;
}

json::Value AsFields(const FieldSet& set) {
  return set.empty() ? json::Value::Object() : set.ToJson();
}

TEST(OwnedFields, ChangeAsSetsOfFieldsDo) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const FieldSet owned = RandomSet(random, static_cast<int>(random() % 6));
    const FieldSet other = RandomSet(random, static_cast<int>(random() % 4));
    FieldSet united = owned, left = owned;
    united.UniteWith(other);
    left.Subtract(other);
    EXPECT_EQ(json::Write(UniteFields(AsFields(owned), other)), json::Write(AsFields(united)));
    EXPECT_EQ(json::Write(SubtractFields(AsFields(owned), other)), json::Write(AsFields(left)));
  }
}

// As many as an object can have.
TEST(OwnedFields, ManyAreChangedAtOnce) {
  FieldSet all;
  for (int i = 0; i < 200'000; ++i) all.At("f:" + std::to_string(i)).member = true;
  const auto start = std::chrono::steady_clock::now();
  const json::Value fields =
      UniteFields(json::Value::Object({{"f:x", json::Value::Object()}}), all);
  EXPECT_EQ(fields.size(), 200'001u);
  EXPECT_EQ(json::Write(SubtractFields(fields, all)), R"({"f:x":{}})");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(OwnedFields, NoChangeIsTheSameValue) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    const FieldSet owned = RandomSet(random, 5);
    const json::Value fields = AsFields(owned);
    EXPECT_TRUE(UniteFields(fields, owned).SameAs(fields));
    FieldSet elsewhere;
    elsewhere.At("f:z").member = true;
    EXPECT_TRUE(SubtractFields(fields, elsewhere).SameAs(fields));
  }
}

}  // namespace
}  // namespace coppice::server
