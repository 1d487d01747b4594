#include "cel/values/function.h"

// The methods of Kubernetes' authorizer and of what it gives. The objects that have them belong to
// the API server; here is which names there are.
namespace coppice::cel {
namespace {

constexpr std::string_view kMethods[] = {
    "path",      "group",  "serviceAccount", "resource",      "subresource",
    "namespace", "name",   "fieldSelector",  "labelSelector", "check",
    "allowed",   "reason", "errored",        "error"};

// So that an expression may ask twice.
constexpr size_t kCheckCost = 350'000;
constexpr size_t kSelectorCost = 10;

// Selectors have a requirement for every two bytes, at most.
size_t MethodCost(std::string_view method, Arguments arguments) {
  if (method == "check") return kCheckCost;
  if (!method.ends_with("Selector")) return 0;
  const size_t size = arguments[1].TextSize();
  return kSelectorCost + TraversalCost(size) + size / 2 * 50;
}

template <size_t Method>
Value CallMethod(Arguments arguments, Budget& budget) {
  if (!budget.Spend(MethodCost(kMethods[Method], arguments))) return CostLimit();
  const Object* object = arguments[0].AsObject();
  return object == nullptr ? Value::NoOverload()
                           : object->Call(kMethods[Method], arguments.subspan(1));
}

template <size_t Method>
constexpr Function Entry(size_t arguments) {
  return {kMethods[Method], true, arguments + 1, CallMethod<Method>};
}

constexpr Function kFunctions[] = {
    Entry<0>(1), Entry<1>(1), Entry<2>(2), Entry<3>(1),  Entry<4>(1),  Entry<5>(1),  Entry<6>(1),
    Entry<7>(1), Entry<8>(1), Entry<9>(1), Entry<10>(0), Entry<11>(0), Entry<12>(0), Entry<13>(0)};

}  // namespace

std::span<const Function> AuthorizerFunctions() { return kFunctions; }

}  // namespace coppice::cel
