#include "server/crd/custom_resource.h"

#include "api/schema/prune.h"
#include "api/schema/validate/validate.h"

namespace coppice::server {
namespace {

class CustomResourceRules : public KindRules {
 public:
  CustomResourceRules(std::vector<std::string> fields, const api::Schema* schema)
      : fields_(std::move(fields)), schema_(schema) {}

  bool HasGeneration() const override { return true; }
  bool AllowsUnconditionalUpdate() const override { return false; }
  std::vector<api::SelectableField> SelectableFields() const override {
    std::vector<api::SelectableField> fields;
    for (const std::string& field : fields_) fields.emplace_back(std::string_view(field));
    return fields;
  }

  void Default(json::Value& object) const override {
    if (schema_) object = api::ApplyDefaults(*schema_, api::Prune(*schema_, object));
  }

  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    if (schema_) Append(api::ValidateObject(*schema_, object), causes);
  }

  // Complains only about what the update brought.
  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    causes.clear();
    if (schema_) Append(api::ValidateObject(*schema_, object, &old), causes);
  }

  void ValidateStatusUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                            Causes& causes) const override {
    if (schema_) Append(api::ValidateObject(*schema_, object, &old), causes);
  }

 private:
  static void Append(Causes found, Causes& causes) {
    causes.insert(causes.end(), found.begin(), found.end());
  }

  const std::vector<std::string> fields_;
  const api::Schema* const schema_;
};

}  // namespace

std::shared_ptr<const KindRules> MakeCustomResourceRules(const json::Value& version,
                                                         const api::Schema* schema) {
  std::vector<std::string> fields;
  for (const json::Value& field : version["selectableFields"].Items()) {
    std::string path = field["jsonPath"].ToString();
    if (!path.empty() && path.front() == '.') path.erase(0, 1);
    fields.push_back(std::move(path));
  }
  return std::make_shared<CustomResourceRules>(std::move(fields), schema);
}

}  // namespace coppice::server
