#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parse.h"
#include "kube/object.h"
#include "server/discovery/discovery.h"
#include "server/front/access_stage_testing.h"

// Every path of discovery × every method × a namespace or none × a name or none × subresources ×
// users with limited rights: the answer is what the rules and the discovery document say, and what
// is read or written is what was authorized.
namespace coppice::server {
namespace {

const std::vector<std::string> kMethods = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};
// Each path is tried with two of these.
const std::vector<std::string> kStrange = {"LIST",  "OPTIONS", "DELETECOLLECTION", "FOO",
                                           "WATCH", "get",     "CREATE",           "UPDATE"};

struct Walker {
  std::string name;
  std::vector<Granted> rules;

  friend void PrintTo(const Walker& walker, std::ostream* out) { *out << walker.name; }
};

const std::vector<Walker> kWalkers = {
    {"root", {{"", {"*"}, {"*"}, {}}}},
    {"tenant", {{"team", {"*"}, {"*"}, {}}}},
    {"named", {{"team", {"*"}, {"*"}, {"one"}}}},
    {"named-everywhere", {{"", {"*"}, {"*"}, {"one"}}}},
    {"status-writer", {{"", {"*"}, {"*/status"}, {}}}},
    {"pod-evicter", {{"team", {"*"}, {"pods/eviction", "pods/binding", "pods/log"}, {}}}},
    {"reader", {{"", {"get", "list", "watch"}, {"*"}, {}}}},
    {"nobody", {}},
};

class AccessWalkTest : public testing::TestWithParam<Walker> {
 protected:
  AccessWalkTest() : user_(stage_.AddUser(GetParam().name, GetParam().rules)) {}

  std::vector<std::string> Below(const std::string& resource) const;
  void WalkResource(const std::string& root, const std::string& resource);
  void WalkPath(Asked asked);
  void Ask(const Asked& asked);
  void CheckRead(const Asked& asked, const json::Value& object);
  void CheckWritten(const Asked& asked, const std::string& resource, const std::string& name);

  AccessStage stage_;
  const User user_;
  ResourceHandler handler_{stage_.core(), stage_.stepper()};
  json::Value discovery_;  // Of the group and version at hand.
  std::vector<std::pair<Asked, std::shared_ptr<Answered>>> watches_;
  size_t asked_ = 0, served_ = 0, strange_ = 0;
};

Answer AnswerOf(const Answered& answered) {
  const bool denied = answered.text.find(" is forbidden: User ") != std::string::npos;
  if (answered.status == 403 && denied) return Answer::kForbidden;
  if (answered.status == 405) return Answer::kMethodNotAllowed;
  return answered.status == 404 ? Answer::kNotFound : Answer::kServed;  // All objects exist.
}

void AccessWalkTest::CheckRead(const Asked& asked, const json::Value& object) {
  const std::string name(kube::Name(object)), ns(kube::Namespace(object));
  const std::string wanted = asked.AuthorizedName();
  EXPECT_TRUE(wanted.empty() || name == wanted) << asked.ToString() << " shows " << name;
  EXPECT_TRUE(asked.ns.empty() || ns == asked.ns) << asked.ToString() << " shows " << ns;
}

// A write reaches the object named, or new ones or all of the collection.
void AccessWalkTest::CheckWritten(const Asked& asked, const std::string& resource,
                                  const std::string& name) {
  const std::string slash = asked.ns.empty() ? "" : asked.ns + "/";
  const auto served = stage_.core().registry()->Find(
      asked.Group(), asked.root.substr(asked.root.rfind('/') + 1), asked.resource);
  ASSERT_TRUE(served) << asked.ToString();
  // A new namespace is filled.
  if (asked.resource == "namespaces" && name.starts_with("three/")) return;
  EXPECT_EQ(resource, served->storage) << asked.ToString() << " wrote " << name;
  if (asked.name.empty()) {
    EXPECT_TRUE(name.starts_with(slash)) << asked.ToString() << " wrote " << name;
  } else {
    EXPECT_EQ(name, slash + asked.name) << asked.ToString();
  }
}

void AccessWalkTest::Ask(const Asked& asked) {
  ++asked_;
  const Answer expected = Expect(asked, GetParam().rules, discovery_);
  const std::shared_ptr<Answered> answered = stage_.Send(handler_, user_, asked);
  ASSERT_EQ(AnswerOf(*answered), expected)
      << asked.ToString() << ": " << answered->status << " " << answered->text;
  const bool served = expected == Answer::kServed;
  served_ += served;
  if (answered->status == 200 && asked.Verb() == "watch") watches_.emplace_back(asked, answered);
  for (const auto& [resource, change] : stage_.TakeChanges()) {
    ASSERT_TRUE(served) << asked.ToString() << " wrote " << change.current->name();
    CheckWritten(asked, resource, change.current->name());
  }
  const bool read = asked.method == "GET" && asked.Verb() != "watch";
  if (!served || !read || answered->status != 200) return;
  const json::Value body = *json::Parse(answered->text);
  if (!body.Has("items")) return CheckRead(asked, body);
  for (const json::Value& item : body["items"].Items()) CheckRead(asked, item);
}

void AccessWalkTest::WalkPath(Asked asked) {
  for (const char* prefix : {"", "watch"}) {
    asked.prefix = prefix;
    std::vector<std::string> methods = kMethods;
    for (int i = 0; i < 2; ++i) methods.push_back(kStrange[++strange_ % kStrange.size()]);
    for (const std::string& method : methods) {
      asked.method = method;
      asked.query = "";
      Ask(asked);
      if (HasFatalFailure()) return;
    }
    asked.method = "GET";
    for (const char* query :
         {"watch=1", "fieldSelector=metadata.name=one", "fieldSelector=metadata.name=two"}) {
      asked.query = query;
      Ask(asked);
    }
  }
}

// Those of discovery, and some that only others have.
std::vector<std::string> AccessWalkTest::Below(const std::string& resource) const {
  std::vector<std::string> below = {"status", "nothing"};
  // namespaces/NAME/nothing is the resource "nothing" in a namespace.
  if (resource == "namespaces") below = {"status"};
  for (const json::Value& entry : discovery_["resources"].Items()) {
    const std::string name = entry["name"].ToString();
    if (name.starts_with(resource + "/")) below.push_back(name.substr(resource.size() + 1));
  }
  return below;
}

void AccessWalkTest::WalkResource(const std::string& root, const std::string& resource) {
  for (const char* ns : {"", "team", "other"}) {
    Asked asked{.root = root, .ns = ns, .resource = resource};
    WalkPath(asked);
    asked.name = "two";
    WalkPath(asked);
    asked.name = "one";
    WalkPath(asked);
    for (const std::string& subresource : Below(resource)) {
      asked.subresource = subresource;
      WalkPath(asked);
      if (HasFatalFailure()) return;
    }
    asked.below = "deeper";
    WalkPath(asked);
  }
}

TEST_P(AccessWalkTest, IsAnsweredAsTheRulesAndDiscoverySay) {
  std::map<std::string, json::Value> lists;
  for (const ServedPtr& served : stage_.core().registry()->all()) {
    const std::string version = served->resource.ApiVersion();
    const std::string root = (served->resource.group.empty() ? "/api/" : "/apis/") + version;
    if (!lists.contains(root)) lists[root] = *Discover(stage_.core(), root);
  }
  for (const auto& [root, list] : lists) {
    discovery_ = list;
    for (const json::Value& entry : list["resources"].Items()) {
      const std::string name = entry["name"].ToString();
      if (name.find('/') == name.npos) WalkResource(root, name);
      if (HasFatalFailure()) return;
    }
  }
  ASSERT_TRUE(stage_.stepper().RunUntilIdle());
  for (const auto& [asked, answered] : watches_) {
    std::istringstream lines(answered->text);
    for (std::string line; std::getline(lines, line);) {
      CheckRead(asked, (*json::Parse(line))["object"]);
    }
  }
  EXPECT_GT(asked_, 10'000u);
  EXPECT_EQ(served_ == 0, GetParam().rules.empty());
}

INSTANTIATE_TEST_SUITE_P(All, AccessWalkTest, testing::ValuesIn(kWalkers), [](const auto& one) {
  std::string name = one.param.name;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace coppice::server
