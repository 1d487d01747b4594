#include "cel/device.h"

namespace coppice::cel {
namespace {

// Finds an empty map for every domain that is not there.
class DomainMap final : public Map {
 public:
  explicit DomainMap(Value domains) : domains_(std::move(domains)) {}

  size_t size() const override { return domains_.AsMap()->size(); }
  bool Find(const Value& key, Value& out) const override {
    if (!domains_.AsMap()->Find(key, out)) out = Value::MakeMap({});
    return true;
  }
  Value KeyAt(size_t index) const override { return domains_.AsMap()->KeyAt(index); }

 private:
  Value domains_;
};

template <typename T>
Value ByDomain(const std::map<std::string, T>& entries, const std::string& driver) {
  std::map<std::string, std::vector<std::pair<Value, Value>>> domains;
  for (const auto& [name, value] : entries) {
    const size_t slash = name.find('/');
    const bool qualified = slash != std::string::npos;
    const std::string domain = qualified ? name.substr(0, slash) : driver;
    domains[domain].emplace_back(qualified ? name.substr(slash + 1) : name, Value(value));
  }
  std::vector<std::pair<Value, Value>> out;
  for (auto& [domain, members] : domains) {
    out.emplace_back(domain, Value::MakeMap(std::move(members)));
  }
  return Value(MapPtr(std::make_shared<DomainMap>(Value::MakeMap(std::move(out)))));
}

}  // namespace

Value DeviceValue(const Device& device) {
  return Value::MakeMap({{"driver", device.driver},
                         {"attributes", ByDomain(device.attributes, device.driver)},
                         {"capacity", ByDomain(device.capacity, device.driver)},
                         {"allowMultipleAllocations", device.allow_multiple_allocations}});
}

base::Result<DeviceSelector> DeviceSelector::Compile(std::string_view expression) {
  COPPICE_ASSIGN(Program program, Program::Compile(expression, {"device"}));
  return DeviceSelector(std::move(program));
}

base::Result<bool> DeviceSelector::Matches(const Value& device) const {
  size_t budget = kSelectorBudget;
  COPPICE_ASSIGN(const Value out, program_.EvaluateWithin({&device, 1}, budget));
  if (const auto* matches = out.As<bool>()) return *matches;
  return base::Error(base::ErrorCode::kInvalid, "the selector must be true or false");
}

}  // namespace coppice::cel
