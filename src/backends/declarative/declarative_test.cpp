#include "backends/declarative/declarative.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "backends/declarative/template.h"
#include "backends/framework/registry.h"
#include "backends/gangs/translate.h"
#include "backends/tests/world_testing.h"
#include "kube/object.h"
#include "source_dir.h"

namespace coppice::backends::declarative {
namespace {

using json::Value;
using testing::HasSubstr;

const api::Resource kGangs{"acme.example.com", "v1", "gangs", "Gang", true};

std::string ReadExample(const std::string& name) {
  std::ifstream file(std::string(COPPICE_SOURCE_DIR) + "/examples/custom_backend_declared/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Value AcmeExample() { return Yaml(ReadExample("acme.yaml"))["scheduler"]["declarations"].At(0); }

Value Filled(const std::string& tmpl, const std::string& document) {
  const auto filled = Fill(Yaml(tmpl), Yaml(document));
  EXPECT_TRUE(filled.ok()) << filled.error().ToString();
  return filled ? *filled : Value();
}

std::string Error(const std::string& tmpl) {
  const auto filled = Fill(Yaml(tmpl), Yaml("{a: [1], b: x}"));
  return filled ? "" : filled.error().message();
}

TEST(Template, ExpressionsKeepTypesAndMixWithText) {
  EXPECT_EQ(Filled("{num: '${a.num}', l: '${a.l}', t: 'x-${a.num}-y', gone: '${a.none}'}",
                   "{a: {num: 3, l: [1, 2]}}"),
            Yaml("{num: 3, l: [1, 2], t: x-3-y}"));
}

TEST(Template, KeysInBrackets) {
  EXPECT_EQ(Filled("{q: '${labels[example.com/queue]}'}", "{labels: {example.com/queue: main}}"),
            Yaml("{q: main}"));
}

TEST(Template, Loops) {
  EXPECT_EQ(Filled("{roles: [{$for: gs, $as: g, name: '${g.name}', of: '${top}'}]}",
                   "{top: t, gs: [{name: a}, {name: b}]}"),
            Yaml("{roles: [{name: a, of: t}, {name: b, of: t}]}"));
  EXPECT_EQ(Filled("{by: {$for: gs, $as: g, $key: '${g.name}', $value: '${g.num}'}}",
                   "{gs: [{name: a, num: 1}, {name: b, num: 2}]}"),
            Yaml("{by: {a: 1, b: 2}}"));
  EXPECT_EQ(Filled("{by: {$for: gs, $as: g, $key: '${g.name}', $value: '${g.num}'}}",
                   "{gs: [{name: a}, {name: b, num: 2}]}"),
            Yaml("{by: {b: 2}}"));
}

TEST(Template, Conditions) {
  EXPECT_EQ(Filled("{x: {$if: p, key: '${p}'}, z: {$if: q, key: '${q}'}}", "{p: v, q: ''}"),
            Yaml("{x: {key: v}}"));
}

TEST(Template, Filters) {
  EXPECT_EQ(Filled("{a: '${x | string}', b: '${none | default(d)}', c: '${l | json}', d: "
                   "'${long | short(20)}'}",
                   "{x: 3, l: [1], long: abcdefghijklmnopqrstuvwxyz}")["a"],
            Value("3"));
  EXPECT_EQ(Filled("{b: '${none | default(d)}', c: '${l | json}'}", "{l: [1]}"),
            Yaml("{b: d, c: '[1]'}"));
  EXPECT_EQ(Filled("{d: '${long | short(20)}'}", "{long: abcdefghijklmnopqrstuvwxyz}")["d"]
                .AsString()
                .size(),
            20u);
}

TEST(Template, MistakesAreNamedWithTheirPlace) {
  EXPECT_THAT(Error("{x: {z: '${a | nope}'}}"),
              testing::AllOf(HasSubstr(".x.z"), HasSubstr("nope")));
  EXPECT_THAT(Error("{x: 'text ${a'}"), HasSubstr("without }"));
  EXPECT_THAT(Error("{x: {$what: 1}}"), HasSubstr("$what"));
  EXPECT_THAT(Error("{x: [{$for: b}]}"), HasSubstr("is not a list"));
}

TEST(Declared, MistakesAreNamed) {
  const auto error = [](const std::string& text) {
    const auto made = MakeBackend(Yaml(text));
    return made ? std::string() : made.error().message();
  };
  EXPECT_THAT(error("{}"), HasSubstr("name"));
  EXPECT_THAT(error("{name: a}"), HasSubstr("a.schedulerNames"));
  EXPECT_THAT(error("{name: a, schedulerNames: [s], objects: [{resource: {version: v1}}]}"),
              HasSubstr("a.objects[0].resource.plural"));
  EXPECT_THAT(error("{name: a, schedulerNames: [s], topology: [gang.nearby]}"),
              HasSubstr("a.topology"));
}

std::string MistakeIn(const std::string& text) {
  const auto made = MakeBackend(Yaml("{name: a, schedulerNames: [s], " + text + "}"));
  return made ? std::string() : made.error().message();
}

std::string ObjectWith(const std::string& rest) {
  return "objects: [{resource: {group: x.io, version: v1, plural: gangs, kind: Gang}, " + rest +
         "}]";
}

// Each would otherwise be ignored, or found only with the first gang.
TEST(Declared, MembersThatMeanNothingAreRefused) {
  EXPECT_EQ(MistakeIn(ObjectWith("template: {metadata: {name: x}}")), "");
  EXPECT_THAT(MistakeIn("object: []"),
              testing::AllOf(HasSubstr("a.object: unknown"), HasSubstr("objects")));
  EXPECT_THAT(MistakeIn("pod: {label: {a: b}}"), HasSubstr("a.pod.label: unknown"));
  EXPECT_THAT(MistakeIn("pod: {coreOnly: {label: {a: b}}}"), HasSubstr("a.pod.coreOnly.label"));
  EXPECT_THAT(MistakeIn("status: {unschedulable: {conditions: x}}"),
              HasSubstr("a.status.unschedulable.conditions"));
  EXPECT_THAT(MistakeIn(ObjectWith("template: {metadata: {name: x}}, foreach: gang.groups")),
              HasSubstr("a.objects[0].foreach"));
  EXPECT_THAT(MistakeIn("gate: 'not a gate'"), HasSubstr("a.gate"));
  EXPECT_THAT(MistakeIn("topology: gang.required"), HasSubstr("must be a list"));
}

TEST(Declared, TemplatesAreTriedBeforeAnyGangComes) {
  EXPECT_THAT(MistakeIn(ObjectWith("template: {metadata: {name: x}, spec: {q: "
                                   "'${gang.name | no}'}}")),
              testing::AllOf(HasSubstr("a.objects[0].template"), HasSubstr(".spec.q"),
                             HasSubstr("unknown filter \"no\"")));
  EXPECT_THAT(MistakeIn(ObjectWith("template: {metadata: {name: x}, spec: {p: {$if: "
                                   "gang.priorityClassName, x: '${a'}}}")),
              HasSubstr("${ without }"));
  EXPECT_THAT(MistakeIn("pod: {labels: {a: '${group.name | nope}'}}"), HasSubstr("a.pod"));
}

TEST(Declared, KindsWithoutNamespaceAreRefused) {
  EXPECT_THAT(MistakeIn("objects: [{resource: {group: x.io, version: v1, plural: gangs, kind: "
                        "Gang, namespaced: false}, template: {metadata: {name: x}}}]"),
              HasSubstr("would outlive the gang"));
}

TEST(Declared, ObjectsOfOneNameAreRefusedInsteadOfWrittenOverEachOther) {
  const auto backend = MakeBackend(
      Yaml("{name: acme, schedulerNames: [acme-scheduler], objects: [{resource: {group: "
           "acme.example.com, version: v1, plural: gangs, kind: Gang}, forEach: gang.groups, "
           "template: {metadata: {name: \"${gang.name}\"}, spec: {size: "
           "\"${item.minReplicas}\"}}}], topology: [gang.required]}"));
  ASSERT_TRUE(backend.ok()) << backend.error().ToString();
  const Translation translation = TranslateGang(
      **backend,
      ExampleInput(ExampleGang("acme-scheduler"), "acme-scheduler", Capabilities().Serve(kGangs)));
  ASSERT_TRUE(translation.refusal);
  EXPECT_EQ(translation.refusal->reason, reasons::kInvalidGang);
  EXPECT_THAT(translation.refusal->message, HasSubstr("gangs.acme.example.com llm-0 twice"));
  EXPECT_TRUE(translation.objects.empty());
}

TEST(Declared, MarksOfPodsAreTextWhateverTheirValue) {
  const auto backend = MakeBackend(
      Yaml("{name: acme, schedulerNames: [acme-scheduler], topology: [gang.required], pod: "
           "{annotations: {core: '${pod.core}', index: '${pod.index}', requests: "
           "'${group.requests}', none: '${gang.baseGang}'}}}"));
  ASSERT_TRUE(backend.ok()) << backend.error().ToString();
  const GangInput input =
      ExampleInput(ExampleGang("acme-scheduler"), "acme-scheduler", Capabilities().Serve(kGangs));
  Value pod = Yaml("{spec: {}}");
  ASSERT_TRUE(PrepareGangPod(**backend, input, {"llm-0-fe", 1}, pod).ok());
  EXPECT_EQ(pod["metadata"]["annotations"],
            Yaml("{core: 'true', index: '1', requests: '{\"cpu\":\"2\",\"memory\":\"4Gi\"}'}"));
}

TEST(Declared, ExampleTranslatesAGangAndItsPods) {
  const auto backend = MakeBackend(AcmeExample());
  ASSERT_TRUE(backend.ok()) << backend.error().ToString();
  Capabilities capabilities;
  capabilities.Serve(kGangs);
  const GangInput input =
      ExampleInput(ExampleGang("acme-scheduler"), "acme-scheduler", capabilities);
  const Translation translation = TranslateGang(**backend, input);
  ASSERT_FALSE(translation.refusal) << translation.refusal->message;
  EXPECT_THAT(WithoutTracking(translation), testing::ElementsAre(Yaml(R"(
apiVersion: acme.example.com/v1
kind: Gang
metadata: {name: llm-0, namespace: ai}
spec:
  minMember: 6
  queue: main
  resources: {cpu: "36", memory: 264Gi, nvidia.com/gpu: "32"}
  topologyKey: topology.kubernetes.io/rack
  roles: [{name: llm-0-fe, minimum: 2}, {name: llm-0-pf-0-wk, minimum: 4}]
  minimumByRole: {llm-0-fe: 2, llm-0-pf-0-wk: 4}
)")));
  EXPECT_EQ(translation.outcomes.at(0).outcome, "PodAffinity");
  Value pod = Yaml("{spec: {}}");
  ASSERT_TRUE(PrepareGangPod(**backend, input, {"llm-0-fe", 0}, pod).ok());
  EXPECT_EQ(pod["metadata"]["labels"],
            Yaml("{acme.example.com/gang: llm-0, acme.example.com/role: llm-0-fe}"));
  EXPECT_EQ(pod["spec"]["schedulerName"].AsString(), "acme-scheduler");
  EXPECT_EQ(pod["spec"]["schedulingGates"], Yaml("[{name: acme.example.com/gang}]"));
}

TEST(Declared, FieldsOfValuesThatNobodyGaveAreLeftOut) {
  const auto backend = MakeBackend(
      Yaml("{name: acme, schedulerNames: [acme-scheduler], objects: [{resource: {group: "
           "acme.example.com, version: v1, plural: gangs, kind: Gang}, template: {metadata: {name: "
           "\"${gang.name}\"}, spec: {rank: \"${gang.priorityClassName}\", base: "
           "\"${gang.baseGang}\", size: \"${gang.minMember}\"}}}], topology: [gang.required]}"));
  ASSERT_TRUE(backend.ok()) << backend.error().ToString();
  GangInput input =
      ExampleInput(ExampleGang("acme-scheduler"), "acme-scheduler", Capabilities().Serve(kGangs));
  input.gang.priority_class_name.clear();
  const Translation translation = TranslateGang(**backend, input);
  ASSERT_EQ(translation.objects.size(), 1u);
  EXPECT_EQ(translation.objects[0].object["spec"], Yaml("{size: 6}"));
}

TEST(Declared, MarksOfPodsAreTexts) {
  const auto backend =
      MakeBackend(Yaml("{name: acme, schedulerNames: [acme-scheduler], topology: [gang.required], "
                       "pod: {labels: {index: '${pod.index}', core: '${pod.core}'}}}"));
  ASSERT_TRUE(backend.ok()) << backend.error().ToString();
  const GangInput input =
      ExampleInput(ExampleGang("acme-scheduler"), "acme-scheduler", Capabilities());
  Value pod = Yaml("{spec: {}}");
  ASSERT_TRUE(PrepareGangPod(**backend, input, {"llm-0-fe", 1}, pod).ok());
  EXPECT_EQ(pod["metadata"]["labels"], Yaml("{index: '1', core: 'true'}"));
}

TEST(Declared, RunsOnAServerAsAnyBackend) {
  World world({.projects = {"grove"}});
  ASSERT_TRUE(world.server->InstallCrd(Yaml(ReadExample("crd.yaml"))).ok());
  BackendConfig config = world.backends->current()->config();
  config.declarations.push_back(AcmeExample());
  ASSERT_TRUE(world.backends->Reconfigure(config).ok());
  world.Create(ExampleBinding());
  world.CreateGang(ExampleGang("acme-scheduler"));
  world.Settle();
  EXPECT_EQ(world.Get(kGangs, "ai", "llm-0")["spec"]["minMember"].AsInt(), 6);
  world.Initialize("ai", "llm-0");
  world.SetStatus(kGangs, "ai", "llm-0",
                  Yaml("{conditions: [{type: Unschedulable, status: 'True', reason: Full, "
                       "message: no room}]}"));
  world.Settle();
  const Value gang = world.Get(api::kPodGangs, "ai", "llm-0");
  EXPECT_EQ(kube::Condition(gang, "Scheduled")["reason"].AsString(), "Full");
}

}  // namespace
}  // namespace coppice::backends::declarative
