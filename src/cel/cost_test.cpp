#include <gtest/gtest.h>

#include "cel/program.h"

// What an evaluation is charged grows with what it does, so that the budget bounds its time.
namespace coppice::cel {
namespace {

// Texts and lists of this size, in the worst shape for a search.
Value SelfOf(size_t size) {
  std::vector<Value> texts;
  std::vector<std::pair<Value, Value>> entries;
  for (size_t i = 0; i < size / 16; ++i) {
    texts.emplace_back("item-" + std::to_string(100'000 + i));
    entries.emplace_back("key-" + std::to_string(i), Value(static_cast<int64_t>(i)));
  }
  return Value::MakeMap(
      {{"text", std::string(size, 'a')},
       {"half", std::string(size / 2, 'a') + "b"},
       {"digits", std::string(size, '1')},
       {"texts", Value::MakeList(texts)},
       {"map", Value::MakeMap(std::move(entries))},
       {"few", Value::MakeList({std::string(size, 'x'), std::string(size, 'y')})}});
}

struct Charged {
  size_t cost = 0;
  std::string error;
};

Charged Charge(std::string_view source, const Value& self, size_t limit = kCallLimit) {
  const auto program = Program::Compile(source, {"self"});
  if (!program) return {0, "compile: " + program.error().message()};
  size_t left = limit;
  const auto value = program->EvaluateWithin({&self, 1}, left);
  return {limit - left, value ? "" : value.error().message()};
}

constexpr const char* kTooMuch = "operation cancelled: actual cost limit exceeded";

TEST(CelCost, APatternIsChargedForEveryByteOfTheText) {
  const Value self = Value::MakeMap({{"s", std::string(999, 'a')}, {"p", std::string(400, 'a')}});
  EXPECT_GE(Charge("self.s.matches(self.p)", self).cost, 100u * 100);
  EXPECT_GE(Charge("self.s.find(self.p) == ''", self).cost, 100u * 100);
  EXPECT_GE(Charge("self.s.findAll(self.p) == []", self).cost, 100u * 100);
  const Value large =
      Value::MakeMap({{"s", std::string(20'000, 'a')}, {"p", std::string(20'000, 'a')}});
  EXPECT_EQ(Charge("self.s.matches(self.p)", large).error, kTooMuch);
  EXPECT_EQ(Charge("self.s.contains(self.p)", large).error, kTooMuch);
}

TEST(CelCost, AShortPatternIsChargedForItsProgram) {
  const Value self = Value::MakeMap({{"s", std::string(999, 'a')}, {"p", "((a|b){30}){30}"}});
  EXPECT_GE(Charge("self.s.matches('((a|b){30}){30}')", self).cost, 100u * 200);
  EXPECT_GE(Charge("self.s.matches(self.p)", self).cost, 100u * 200);
  std::string vast;
  for (int i = 0; i < 100; ++i) vast += "\\pL{900}";
  const Charged refused = Charge("''.matches(self)", vast);
  EXPECT_TRUE(refused.error.starts_with("error parsing regexp")) << refused.error;
  EXPECT_GE(refused.cost, 100'000u) << "it takes time to see that it is too large";
}

// Eight times the size costs at least four times as much, whatever the function.
TEST(CelCost, NothingWalksOverLargeValuesForNothing) {
  for (const char* source : {"size(self.text) > 0",
                             "self.text.charAt(1) == 'a'",
                             "self.text == self.text",
                             "self.text != self.half",
                             "self.text < self.text",
                             "self.half in self.few",
                             "self.text.contains('b')",
                             "self.text.startsWith(self.text)",
                             "self.text.endsWith('b')",
                             "self.text.matches('b')",
                             "self.text.find('b') == ''",
                             "self.text.findAll('b') == []",
                             "self.text.indexOf(self.half) == 0",
                             "self.text.lastIndexOf(self.half) == 0",
                             "self.text.substring(1) == ''",
                             "self.text.upperAscii() == ''",
                             "self.text.trim() == ''",
                             "self.text.replace('a', 'b') == ''",
                             "self.text.replace('b', 'c') == ''",
                             "self.text.split('a') == []",
                             "self.text.split('b') == []",
                             "self.texts.join(',') == ''",
                             "['a', 'b'].join(self.text) == ''",
                             "'%s'.format([self.text]) == ''",
                             "'%s'.format([self.texts]) == ''",
                             "self.text.format([]) == ''",
                             "string(self.text) == ''",
                             "bytes(self.text) == b''",
                             "self.texts == self.texts",
                             "self.map == self.map",
                             "self.texts + self.texts == []",
                             "self.text + self.text == ''",
                             "'x' in self.texts",
                             "self.texts.indexOf('x') == 0",
                             "self.texts.lastIndexOf('x') == 0",
                             "self.texts.isSorted()",
                             "self.texts.min() == ''",
                             "self.texts.max() == ''",
                             "self.few.isSorted()",
                             "self.few.max() == ''",
                             "sets.contains(self.texts, ['x'])",
                             "sets.intersects(self.texts, ['x'])",
                             "sets.equivalent(self.texts, ['x'])",
                             "self.texts.all(t, true)",
                             "self.few.all(t, true)",
                             "self.map.all(k, true)",
                             "self.map.all(k, v, true)",
                             "self.few.map(t, t) == []",
                             "self.few.exists(t, t == 'z')",
                             "isQuantity(self.digits)",
                             "isSemver(self.digits)",
                             "self.map.transformMap(k, v, v) == {}",
                             "[self.text, self.text] == []"}) {
    const Charged small = Charge(source, SelfOf(1 << 11));
    const Charged large = Charge(source, SelfOf(1 << 14));
    EXPECT_EQ(small.error, "") << source;
    EXPECT_EQ(large.error, "") << source;
    EXPECT_GE(large.cost, 4 * small.cost - 40) << source << ": " << small.cost;
  }
}

TEST(CelCost, WhatGrowsInsideAFunctionEndsIt) {
  const Value self = SelfOf(1 << 18);
  EXPECT_EQ(Charge("self.text.replace('a', self.text) == ''", self).error, kTooMuch);
  EXPECT_EQ(Charge("self.texts.join(self.text) == ''", self).error, kTooMuch);
  EXPECT_EQ(Charge("sets.contains(self.texts, self.texts)", self).error, kTooMuch);
  EXPECT_EQ(Charge("self.texts.map(t, self.text).size() == 0", self).error, kTooMuch);
  EXPECT_EQ(Charge("self.text.findAll('a').size() == 0", self).error, kTooMuch);
  EXPECT_EQ(Charge("self.texts.all(t, self.text != t)", self).error, kTooMuch);
}

TEST(CelCost, SearchesOfLongTextsFindTheSame) {
  const auto holds = [](std::string_view source) {
    const auto program = Program::Compile(source, {});
    return program->Evaluate({})->IsTrue();
  };
  EXPECT_TRUE(holds("'abcabc'.lastIndexOf('abc') == 3"));
  EXPECT_TRUE(holds("'abc'.lastIndexOf('') == 3"));
  EXPECT_TRUE(holds("'abc'.lastIndexOf('x') == -1"));
  EXPECT_TRUE(holds("'äbä'.lastIndexOf('ä') == 2"));
  EXPECT_TRUE(holds("'abc'.indexOf('', 3) == 3"));
  EXPECT_TRUE(holds("'äb'.charAt(1) == 'b' && 'äb'.charAt(0) == 'ä' && 'äb'.charAt(2) == ''"));
  EXPECT_TRUE(holds("'abab'.replace('ab', 'x') == 'xx'"));
}

TEST(CelCost, MapsFindKeysOfEveryKind) {
  const auto evaluated = [](std::string_view source) {
    const auto value = Program::Compile(source, {})->Evaluate({});
    return value ? (value->IsTrue() ? "true" : "false") : value.error().message();
  };
  EXPECT_EQ(evaluated("{1: 'a', 2u: 'b', 'x': 'c', true: 'd'}[2] == 'b'"), "true");
  EXPECT_EQ(evaluated("{1: 'a', 2u: 'b', 'x': 'c', true: 'd'}[1.0] == 'a'"), "true");
  EXPECT_EQ(evaluated("{1: 'a', 2u: 'b', 'x': 'c', true: 'd'}['x'] == 'c'"), "true");
  EXPECT_EQ(evaluated("{1: 'a', 2u: 'b', 'x': 'c', true: 'd'}[true] == 'd'"), "true");
  EXPECT_EQ(evaluated("1.5 in {1: 'a'}"), "false");
  EXPECT_EQ(evaluated("{'b': 1, 'a': 2, 'b': 3} == {'a': 2, 'b': 3}"), "true");
  EXPECT_EQ(evaluated("{[1]: 'a'} == {}"), "unsupported key type");
}

// Rules of one object share a budget.
TEST(CelCost, SeveralEvaluationsShareABudget) {
  const auto program = Program::Compile("self.texts.all(t, t != '')", {"self"});
  const Value self = SelfOf(1 << 14);
  size_t budget = 10'000;
  ASSERT_TRUE(program->EvaluateWithin({&self, 1}, budget));
  const size_t used = 10'000 - budget;
  EXPECT_GT(used, 1'000u);
  size_t little = used - 1;
  EXPECT_TRUE(program->EvaluateWithin({&self, 1}, little).Is(base::ErrorCode::kTooManyRequests));
  EXPECT_EQ(little, 0u);
}

}  // namespace
}  // namespace coppice::cel
