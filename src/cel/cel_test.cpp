#include <gtest/gtest.h>

#include "cel/device.h"
#include "cel/program.h"

namespace coppice::cel {
namespace {

Value Self() {
  return Value::MakeMap({{"name", "frontend"},
                         {"replicas", 3},
                         {"weight", 0.5},
                         {"tags", Value::MakeList({"a", "b", "c"})},
                         {"limits", Value::MakeMap({{"cpu", "2"}, {"memory", "1Gi"}})},
                         {"levels", Value::MakeList({Value::MakeMap({{"key", "zone"}}),
                                                     Value::MakeMap({{"key", "host"}})})},
                         {"nothing", Value()}});
}

// The result as text: "true", "false", a string itself, or "error: …".
std::string Evaluated(std::string_view source) {
  const auto program = Program::Compile(source, {"self"});
  if (!program) return "compile: " + program.error().message();
  const Value self = Self();
  const auto value = program->Evaluate({&self, 1});
  if (!value) return "error: " + value.error().message();
  if (const auto* b = value->As<bool>()) return *b ? "true" : "false";
  if (const auto* i = value->As<int64_t>()) return std::to_string(*i);
  if (const auto* text = value->As<std::string>()) return *text;
  return std::string(value->TypeName());
}

void ExpectTrue(std::initializer_list<const char*> sources) {
  for (const char* source : sources) EXPECT_EQ(Evaluated(source), "true") << source;
}

TEST(Cel, Literals) {
  ExpectTrue({"'a' == \"a\"", "'''a\nb''' == 'a\\nb'", "r'\\n' == '\\\\n'", "'\\u00e9' == 'é'",
              "0x10 == 16", "10u == 10", "1.5e1 == 15.0", "-9223372036854775808 < 0",
              "b'abc' == bytes('abc')", "null == null", "[1, 2,] == [1, 2]", "{'a': 1} == {'a': 1}",
              "// comment\ntrue", "'\\x41\\101' == 'AA'"});
  EXPECT_EQ(Evaluated("9223372036854775808"), "compile: 1:1: invalid int literal");
}

TEST(Cel, Arithmetic) {
  ExpectTrue({"1 + 2 * 3 == 7", "(1 + 2) * 3 == 9", "7 / 2 == 3", "-7 % 3 == -1",
              "1.0 / 2.0 == 0.5", "'a' + 'b' == 'ab'", "[1] + [2] == [1, 2]", "-(-3) == 3",
              "2 - 3 - 4 == -5", "1 < 1.5", "2u > 1", "1 == 1.0"});
  EXPECT_EQ(Evaluated("1 / 0"), "error: division by zero");
  EXPECT_EQ(Evaluated("1 % 0"), "error: modulus by zero");
  EXPECT_EQ(Evaluated("9223372036854775807 + 1"), "error: integer overflow");
  EXPECT_EQ(Evaluated("1 + 1.0"), "error: no such overload");
  EXPECT_EQ(Evaluated("'a' < 1"), "error: no such overload");
}

TEST(Cel, LogicAbsorbsErrors) {
  ExpectTrue({"true || self.missing", "self.missing || true", "!(false && self.missing)",
              "!(self.missing && false)", "true ? true : self.missing", "!false",
              "self.tags.exists(t, t == 'a' || t.missing)"});
  EXPECT_EQ(Evaluated("self.missing && true"), "error: no such key: missing");
  EXPECT_EQ(Evaluated("'x' && true"), "error: no such overload");
  EXPECT_EQ(Evaluated("'x' ? 1 : 2"), "error: no such overload");
}

TEST(Cel, SelectionAndIndexing) {
  ExpectTrue({"self.limits.cpu == '2'", "self.limits['memory'] == '1Gi'", "self.tags[1] == 'b'",
              "self.tags[1.0] == 'b'", "has(self.name)", "!has(self.nope)", "'cpu' in self.limits",
              "'b' in self.tags", "!('z' in self.tags)", "self.nothing == null",
              "self.levels[size(self.levels) - 1].key == 'host'", "self.`name` == 'frontend'"});
  EXPECT_EQ(Evaluated("self.tags[3]"), "error: index out of bounds: 3");
  EXPECT_EQ(Evaluated("self.limits['gpu']"), "error: no such key: gpu");
  EXPECT_EQ(Evaluated("self.name.x"), "error: no such overload");
}

TEST(Cel, Macros) {
  ExpectTrue({"self.tags.all(t, size(t) == 1)", "!self.tags.all(t, t == 'a')",
              "self.tags.exists(t, t == 'c')", "self.tags.exists_one(t, t == 'c')",
              "self.tags.map(t, t + t) == ['aa', 'bb', 'cc']",
              "self.tags.map(t, t != 'b', t) == ['a', 'c']",
              "self.tags.filter(t, t > 'a') == ['b', 'c']", "self.limits.all(k, k.size() > 2)",
              "self.limits.exists(k, v, k == 'cpu' && v == '2')",
              "self.tags.all(i, t, self.tags[i] == t)",
              "size(self.tags.filter(i, size(self.tags.filter(j, j == i)) > 1)) == 0",
              "cel.bind(n, self.replicas, n + n) == 6",
              "[1, 2].map(x, [3, 4].map(y, x * y)) == [[3, 4], [6, 8]]",
              "{'a': 1}.transformMap(k, v, v + 1)['a'] == 2", "{'a': 1, 'a': 2} == {'a': 2}",
              "[has(self.name), has(self.nope)].filter(x, x == true).size() == 1"});
  EXPECT_EQ(Evaluated("has(self)"), "compile: 1:1: invalid argument to has() macro");
  EXPECT_EQ(Evaluated("self.tags.all(1, true)"), "compile: 1:15: argument must be a simple name");
}

TEST(Cel, Strings) {
  ExpectTrue({"'hello'.contains('ell')",
              "'hello'.startsWith('he')",
              "'hello'.endsWith('lo')",
              "'abc123'.matches('^[a-z]+[0-9]+$')",
              "!'abc'.matches('^b')",
              "size('é') == 1",
              "'hello'.charAt(1) == 'e'",
              "'hello'.substring(1, 3) == 'el'",
              "'hello'.indexOf('l') == 2",
              "'hello'.lastIndexOf('l') == 3",
              "'AbC'.lowerAscii() == 'abc'",
              "'AbC'.upperAscii() == 'ABC'",
              "' x '.trim() == 'x'",
              "'aaa'.replace('a', 'b', 2) == 'bba'",
              "'a,b,c'.split(',') == ['a', 'b', 'c']",
              "'a,b,c'.split(',', 2) == ['a', 'b,c']",
              "['a', 'b'].join('-') == 'a-b'",
              "'ab'.split('') == ['a', 'b']",
              "''.split('') == []",
              "'baaac'.findAll('a*') == ['', 'aaa', '']",
              "'a1b22'.find('[0-9]+') == '1'",
              "'a1b22'.findAll('[0-9]+') == ['1', '22']"});
  EXPECT_EQ(Evaluated("'a'.matches('(')").substr(0, 41),
            "compile: 1:5: invalid matches argument: m");
  EXPECT_EQ(Evaluated("'abc'.substring(4)"), "error: index out of range: 4");
}

TEST(Cel, Format) {
  ExpectTrue(
      {"'%s-%d'.format(['a', 1]) == 'a-1'", "'%.2f|%x|%b'.format([1.5, 255, 5]) == '1.50|ff|101'",
       "'%s'.format([[1, 'a', true]]) == '[1, \"a\", true]'", "'100%%'.format([]) == '100%'"});
  EXPECT_EQ(Evaluated("'%d'.format(['x'])"),
            "error: error during formatting: %d does not take this value");
  EXPECT_EQ(Evaluated("'%s'.format([])"), "error: index out of range");
}

TEST(Cel, ListsAndConversions) {
  ExpectTrue({"[1, 2, 3].sum() == 6", "[3, 1].min() == 1", "[3, 1].max() == 3", "[1, 2].isSorted()",
              "!['b', 'a'].isSorted()", "[1, 2].indexOf(2) == 1", "sets.contains([1, 2], [2])",
              "sets.equivalent([1, 2, 2], [2, 1])", "int('12') == 12", "int(1.9) == 1",
              "double('1.5') == 1.5", "string(12) == '12'", "string(true) == 'true'",
              "uint(3) == 3u", "bool('true')", "type(1) == int", "type('') == string",
              "dyn(1) == 1"});
  EXPECT_EQ(Evaluated("int('x')"), "error: type conversion error from 'string' to 'int'");
  EXPECT_EQ(Evaluated("uint(-1)"), "error: unsigned integer overflow");
}

TEST(Cel, TimeAndQuantities) {
  ExpectTrue(
      {"duration('90s') == duration('1m30s')",
       "duration('1h').getMinutes() == 60",
       "timestamp('2026-01-02T03:04:05Z').getFullYear() == 2026",
       "timestamp('2026-01-02T03:04:05Z').getMonth() == 0",
       "timestamp('2026-01-02T03:04:05Z').getDate() == 2",
       "timestamp('2026-01-02T03:04:05Z').getHours() == 3",
       "timestamp('2026-01-01T00:00:00Z') + duration('24h') == timestamp('2026-01-02T00:00:00Z')",
       "timestamp('2026-01-02T00:00:00Z') - timestamp('2026-01-01T00:00:00Z') == duration('24h')",
       "string(duration('1.5s')) == '1.5s'",
       "string(timestamp('2020-01-01T00:00:00.5Z')) == '2020-01-01T00:00:00.5Z'",
       "duration('1s') < duration('2s')",
       "quantity('1Gi').compareTo(quantity('1024Mi')) == 0",
       "quantity('2').isGreaterThan(quantity('1500m'))",
       "isQuantity('1.5')",
       "!isQuantity('x')",
       "quantity('1').add(quantity('1')).asInteger() == 2",
       "quantity('3').sub(1).asApproximateFloat() == 2.0",
       "quantity('-1').sign() == -1",
       "semver('1.2.3').isLessThan(semver('1.10.0'))",
       "semver('1.2.3-rc.1').major() == 1",
       "semver('1.2.3-rc.1').isLessThan(semver('1.2.3'))",
       "!isSemver('1.2')",
       "isSemver('v1.2', true)"});
}

TEST(Cel, TimeDoesNotOverflow) {
  EXPECT_EQ(Evaluated("duration('9223372036s') + duration('9223372036s')"),
            "error: integer overflow");
  EXPECT_EQ(Evaluated("timestamp(9000000000) + duration('9223372036s')"),
            "error: integer overflow");
  EXPECT_EQ(Evaluated("(timestamp(-9000000000) - duration('223372036s')).getHours()"),
            "error: integer overflow");
}

TEST(Cel, Optionals) {
  ExpectTrue({"optional.of(1).hasValue()", "!optional.none().hasValue()",
              "optional.of(1).value() == 1", "self.?name.orValue('x') == 'frontend'",
              "self.?nope.orValue('x') == 'x'", "!self.?nope.?deeper.hasValue()",
              "self.limits[?'gpu'].orValue('0') == '0'", "self.tags[?7].orValue('z') == 'z'",
              "optional.ofNonZeroValue('').or(optional.of('y')).value() == 'y'",
              "optional.of(2).optMap(x, x * 2).value() == 4", "[?self.?nope, 'a'] == ['a']",
              "{?'a': self.?nope} == {}"});
  EXPECT_EQ(Evaluated("optional.none().value()"), "error: optional.none() dereference");
}

TEST(Cel, ExplainsWhatItCannotCompile) {
  EXPECT_EQ(Evaluated("self.a +"), "compile: 1:9: Syntax error: unexpected end of expression");
  EXPECT_EQ(Evaluated("other"), "compile: 1:1: undeclared reference to 'other' (in container '')");
  EXPECT_EQ(Evaluated("frob(1)"), "compile: 1:1: undeclared reference to 'frob' (in container '')");
  EXPECT_EQ(Evaluated("'a"), "compile: 1:3: Syntax error: unterminated string");
  EXPECT_EQ(Evaluated("while"), "compile: 1:1: reserved identifier: while");
  EXPECT_EQ(Evaluated("1 @ 2"), "compile: 1:3: Syntax error: token recognition error at: '@'");
}

TEST(Cel, LimitsDepthAndCost) {
  EXPECT_NE(Evaluated(std::string(500, '(') + "1" + std::string(500, ')')).find("nests too deeply"),
            std::string::npos);
  EXPECT_NE(Evaluated(std::string(500, '!') + "true").find("nests too deeply"), std::string::npos);
  std::string sum = "1";
  for (int i = 0; i < 500; ++i) sum += "+1";
  EXPECT_NE(Evaluated(sum).find("nests too deeply"), std::string::npos);
  std::string ors = "true";
  for (int i = 0; i < 500; ++i) ors += "||true";
  EXPECT_EQ(Evaluated(ors), "true");
  const std::string l = "[1,2,3,4,5,6,7,8,9,0]";
  EXPECT_EQ(Evaluated(l + ".all(a," + l + ".all(b," + l + ".all(c," + l + ".all(d," + l +
                      ".all(e," + l + ".all(f, true))))))"),
            "error: operation cancelled: actual cost limit exceeded");
}

TEST(Cel, ReportsWhichVariablesItUses) {
  const auto program = Program::Compile("self.all(oldSelf, oldSelf)", {"self", "oldSelf"});
  ASSERT_TRUE(program);
  EXPECT_TRUE(program->Uses("self"));
  EXPECT_FALSE(program->Uses("oldSelf"));
}

TEST(DeviceSelector, ReadsAttributesByDomain) {
  Device device;
  device.driver = "gpu.example.com";
  device.attributes = {{"model", Value("h200")},
                       {"ext.example.com/family", Value("hopper")},
                       {"driverVersion", Value(*Semver::Parse("1.2.3"))}};
  device.capacity = {{"memory", *base::Quantity::Parse("141Gi")}};
  const Value value = DeviceValue(device);
  const auto matches = [&](std::string_view expression) {
    const auto selector = DeviceSelector::Compile(expression);
    const auto out = selector->Matches(value);
    return out ? (*out ? "true" : "false") : out.error().message();
  };
  EXPECT_EQ(matches("device.driver == 'gpu.example.com'"), "true");
  EXPECT_EQ(matches("device.attributes['gpu.example.com'].model == 'h200'"), "true");
  EXPECT_EQ(matches("device.attributes['ext.example.com'].family == 'hopper'"), "true");
  EXPECT_EQ(matches("device.capacity['gpu.example.com'].memory.compareTo(quantity('80Gi')) >= 0"),
            "true");
  EXPECT_EQ(matches("device.attributes['gpu.example.com'].driverVersion"
                    ".isGreaterThan(semver('1.0.0'))"),
            "true");
  EXPECT_EQ(matches("has(device.attributes['other.example.com'].x)"), "false");
  EXPECT_EQ(matches("device.attributes['gpu.example.com'].nope == 1"), "no such key: nope");
  EXPECT_EQ(matches("device.driver"), "the selector must be true or false");
  const std::string l = "[1,2,3,4,5,6,7,8,9,0]";
  EXPECT_EQ(matches(l + ".all(a," + l + ".all(b," + l + ".all(c," + l + ".all(d, true))))"),
            "operation cancelled: actual cost limit exceeded");
}

}  // namespace
}  // namespace coppice::cel
