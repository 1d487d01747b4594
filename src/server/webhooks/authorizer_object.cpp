#include "server/webhooks/authorizer_object.h"

#include "api/selectors/names.h"

namespace coppice::server {
namespace {

using cel::Value;
using Arguments = std::span<const Value>;

template <typename T, typename... Parts>
Value Make(Parts&&... parts) {
  return Value(cel::ObjectPtr(std::make_shared<T>(std::forward<Parts>(parts)...)));
}

// The text of the only argument, or null.
const std::string* Text(Arguments arguments, size_t index = 0) {
  return index < arguments.size() ? arguments[index].As<std::string>() : nullptr;
}

bool IsBlank(const std::string& text) {
  return text.find_first_not_of(" \t\n") == std::string::npos;
}

class Decision final : public cel::Object {
 public:
  explicit Decision(std::optional<std::string> reason) : reason_(std::move(reason)) {}

  std::string_view TypeName() const override { return "kubernetes.authorization.Decision"; }
  Value Call(std::string_view method, Arguments) const override {
    if (method == "allowed") return reason_.has_value();
    if (method == "reason") return reason_.value_or("");
    // Role-based access control always comes to a decision.
    if (method == "errored") return false;
    if (method == "error") return "";
    return Value::NoOverload();
  }

 private:
  const std::optional<std::string> reason_;
};

// Whose rights are asked for, and at whom.
struct Subject {
  RbacAuthorizer& rbac;
  User user;

  Value Check(Attributes attributes, const std::string& verb) const {
    attributes.verb = verb;
    return Make<Decision>(rbac.Allow(user, attributes));
  }
};

class PathCheck final : public cel::Object {
 public:
  PathCheck(Subject subject, std::string path) : subject_(std::move(subject)) {
    attributes_.is_resource = false;
    attributes_.path = std::move(path);
  }

  std::string_view TypeName() const override { return "kubernetes.authorization.PathCheck"; }
  Value Call(std::string_view method, Arguments arguments) const override {
    const std::string* verb = Text(arguments);
    if (method != "check" || verb == nullptr) return Value::NoOverload();
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
  Value Call(std::string_view method, Arguments arguments) const override {
    const std::string* text = Text(arguments);
    if (text == nullptr) return Value::NoOverload();
    if (method == "check") return subject_.Check(attributes_, *text);
    Attributes narrowed = attributes_;
    if (method == "subresource") {
      narrowed.subresource = *text;
    } else if (method == "namespace") {
      narrowed.ns = *text;
    } else if (method == "name") {
      narrowed.name = *text;
    } else if (method != "fieldSelector" && method != "labelSelector") {
      return Value::NoOverload();  // Roles know no selectors: with one, as much is asked for.
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
  Value Call(std::string_view method, Arguments arguments) const override {
    const std::string* resource = Text(arguments);
    if (method != "resource" || resource == nullptr) return Value::NoOverload();
    if (IsBlank(*resource)) return Value::MakeError("resource must not be empty");
    return Make<ResourceCheck>(subject_, Attributes{.group = group_, .resource = *resource});
  }

 private:
  const Subject subject_;
  const std::string group_;
};

class Authorizer final : public cel::Object {
 public:
  explicit Authorizer(Subject subject, Value request_resource = {})
      : subject_(std::move(subject)), request_resource_(std::move(request_resource)) {}

  std::string_view TypeName() const override { return "kubernetes.authorization.Authorizer"; }
  Value Call(std::string_view method, Arguments arguments) const override {
    const std::string* text = Text(arguments);
    if (text == nullptr) return Value::NoOverload();
    if (method == "group") return Make<GroupCheck>(subject_, *text);
    if (method == "serviceAccount") return ServiceAccount(*text, Text(arguments, 1));
    if (method != "path") return Value::NoOverload();
    if (IsBlank(*text)) return Value::MakeError("path must not be empty");
    return Make<PathCheck>(subject_, *text);
  }
  Value Field(std::string_view name) const override {
    if (name != "requestResource" || request_resource_.IsNull()) return Object::Field(name);
    return request_resource_;
  }

 private:
  Value ServiceAccount(const std::string& ns, const std::string* name) const {
    if (name == nullptr) return Value::NoOverload();
    if (!api::Dns1123LabelProblems(ns).empty()) {
      return Value::MakeError("Invalid service account namespace");
    }
    if (!api::Dns1123SubdomainProblems(*name).empty()) {
      return Value::MakeError("Invalid service account name");
    }
    return Make<Authorizer>(Subject{subject_.rbac, User::ServiceAccount(ns, *name)});
  }

  const Subject subject_;
  const Value request_resource_;
};

}  // namespace

cel::Value MakeAuthorizer(RbacAuthorizer& rbac, const AdmissionRequest& request) {
  const Subject subject{rbac, request.user};
  Attributes asked{.group = request.resource.group,
                   .resource = request.resource.plural,
                   .subresource = request.subresource,
                   .name = request.key.name,
                   .ns = request.key.ns};
  return Make<Authorizer>(subject, Make<ResourceCheck>(subject, std::move(asked)));
}

}  // namespace coppice::server
