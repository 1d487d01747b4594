#include "server/crd/custom_resource.h"

namespace coppice::server {
namespace {

class CustomResourceRules : public KindRules {
 public:
  explicit CustomResourceRules(std::vector<std::string> fields) : fields_(std::move(fields)) {}

  bool HasGeneration() const override { return true; }
  bool AllowsUnconditionalUpdate() const override { return false; }
  std::vector<std::string_view> SelectableFields() const override {
    return {fields_.begin(), fields_.end()};
  }

 private:
  const std::vector<std::string> fields_;
};

}  // namespace

std::shared_ptr<const KindRules> MakeCustomResourceRules(const json::Value& crd,
                                                         const json::Value& version) {
  (void)crd;
  std::vector<std::string> fields;
  for (const json::Value& field : version["selectableFields"].Items()) {
    std::string path = field["jsonPath"].ToString();
    if (!path.empty() && path.front() == '.') path.erase(0, 1);
    fields.push_back(std::move(path));
  }
  return std::make_shared<CustomResourceRules>(std::move(fields));
}

}  // namespace coppice::server
