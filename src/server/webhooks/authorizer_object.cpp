#include "server/webhooks/authorizer_object.h"

#include "api/selectors/names.h"

namespace coppice::server {
namespace {

using Arguments = std::span<const cel::Value>;

template <typename T, typename... Parts>
cel::Value Make(Parts&&... parts) {
  return cel::Value(cel::ObjectPtr(std::make_shared<T>(std::forward<Parts>(parts)...)));
}

// The text of the only argument, or null.
const std::string* TextArgument(Arguments arguments, size_t index = 0) {
  return index < arguments.size() ? arguments[index].As<std::string>() : nullptr;
}

bool IsBlank(const std::string& text) {
  return text.find_first_not_of(" \t\n") == std::string::npos;
}

class DecisionObject final : public cel::Object {
 public:
  explicit DecisionObject(Decision decision) : decision_(std::move(decision)) {}

  std::string_view TypeName() const override { return "kubernetes.authorization.Decision"; }
  cel::Value Call(std::string_view method, Arguments) const override {
    if (method == "allowed") return decision_.allowed;
    if (method == "reason") return decision_.reason;
    // There is always a decision.
    if (method == "errored") return false;
    if (method == "error") return "";
    return cel::Value::NoOverload();
  }

 private:
  const Decision decision_;
};

// The user whose permissions are checked, and the authorizer.
struct Subject {
  Authorizer& authorizer;
  User user;

  cel::Value Check(Attributes attributes, const std::string& verb) const {
    attributes.verb = verb;
    return Make<DecisionObject>(authorizer.Allow(user, attributes));
  }
};

class PathCheck final : public cel::Object {
 public:
  PathCheck(Subject subject, std::string path) : subject_(std::move(subject)) {
    attributes_.is_resource = false;
    attributes_.path = std::move(path);
  }

  std::string_view TypeName() const override { return "kubernetes.authorization.PathCheck"; }
  cel::Value Call(std::string_view method, Arguments arguments) const override {
    const std::string* verb = TextArgument(arguments);
    if (method != "check" || verb == nullptr) return cel::Value::NoOverload();
    return subject_.Check(attributes_, *verb);
  }

 private:
  const Subject subject_;
  Attributes attributes_;
};

class ResourceCheck final : public cel::Object {
 public:
  ResourceCheck(Subject subject, Attributes attributes)
      : subject_(std::move(subject)), attributes_(std::move(attributes)) {}

  std::string_view TypeName() const override { return "kubernetes.authorization.ResourceCheck"; }
  cel::Value Call(std::string_view method, Arguments arguments) const override {
    const std::string* text = TextArgument(arguments);
    if (text == nullptr) return cel::Value::NoOverload();
    if (method == "check") return subject_.Check(attributes_, *text);
    Attributes narrowed = attributes_;
    if (method == "subresource") {
      narrowed.subresource = *text;
    } else if (method == "namespace") {
      narrowed.ns = *text;
    } else if (method == "name") {
      narrowed.name = *text;
    } else if (method != "fieldSelector" && method != "labelSelector") {
      return cel::Value::NoOverload();  // Roles know no selectors: with one, as much is asked for.
    }
    return Make<ResourceCheck>(subject_, std::move(narrowed));
  }

 private:
  const Subject subject_;
  const Attributes attributes_;
};

class GroupCheck final : public cel::Object {
 public:
  GroupCheck(Subject subject, std::string group)
      : subject_(std::move(subject)), group_(std::move(group)) {}

  std::string_view TypeName() const override { return "kubernetes.authorization.GroupCheck"; }
  cel::Value Call(std::string_view method, Arguments arguments) const override {
    const std::string* resource = TextArgument(arguments);
    if (method != "resource" || resource == nullptr) return cel::Value::NoOverload();
    if (IsBlank(*resource)) return cel::Value::MakeError("resource must not be empty");
    return Make<ResourceCheck>(subject_, Attributes{.group = group_, .resource = *resource});
  }

 private:
  const Subject subject_;
  const std::string group_;
};

class AuthorizerObject final : public cel::Object {
 public:
  explicit AuthorizerObject(Subject subject, cel::Value request_resource = {})
      : subject_(std::move(subject)), request_resource_(std::move(request_resource)) {}

  std::string_view TypeName() const override { return "kubernetes.authorization.Authorizer"; }
  cel::Value Call(std::string_view method, Arguments arguments) const override {
    const std::string* text = TextArgument(arguments);
    if (text == nullptr) return cel::Value::NoOverload();
    if (method == "group") return Make<GroupCheck>(subject_, *text);
    if (method == "serviceAccount") return ServiceAccount(*text, TextArgument(arguments, 1));
    if (method != "path") return cel::Value::NoOverload();
    if (IsBlank(*text)) return cel::Value::MakeError("path must not be empty");
    return Make<PathCheck>(subject_, *text);
  }
  cel::Value Field(std::string_view name) const override {
    if (name != "requestResource" || request_resource_.IsNull()) return Object::Field(name);
    return request_resource_;
  }

 private:
  cel::Value ServiceAccount(const std::string& ns, const std::string* name) const {
    if (name == nullptr) return cel::Value::NoOverload();
    if (!api::Dns1123LabelProblems(ns).empty()) {
      return cel::Value::MakeError("Invalid service account namespace");
    }
    if (!api::Dns1123SubdomainProblems(*name).empty()) {
      return cel::Value::MakeError("Invalid service account name");
    }
    return Make<AuthorizerObject>(Subject{subject_.authorizer, User::ServiceAccount(ns, *name)});
  }

  const Subject subject_;
  const cel::Value request_resource_;
};

}  // namespace

cel::Value MakeAuthorizer(Authorizer& authorizer, const AdmissionRequest& request) {
  const Subject subject{authorizer, request.user};
  Attributes asked{.group = request.resource.group,
                   .resource = request.resource.plural,
                   .subresource = request.subresource,
                   .name = request.key.name,
                   .ns = request.key.ns};
  return Make<AuthorizerObject>(subject, Make<ResourceCheck>(subject, std::move(asked)));
}

}  // namespace coppice::server
