#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/resource.h"
#include "api/selectors/field_selector.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "json/value.h"
#include "store/store.h"

namespace coppice::server {

using Causes = std::vector<base::FieldCause>;

// What a kind's rules may use besides the object itself.
struct RuleContext {
  const store::Store& store;
  base::Time now;
  // "1.35": some fields exist only in some releases.
  std::string_view kubernetes_version;
};

enum class NameForm { kDns1123Subdomain, kDns1123Label, kDns1035Label, kPathSegment };

// What is specific to a kind: its defaults and its validation. Most kinds override one or two of
// these; a kind without rules is stored unchanged.
//
// The order on a write: Default, Prepare…, admission, Validate….
class KindRules {
 public:
  virtual ~KindRules() = default;

  virtual NameForm name_form(std::string_view kubernetes_version) const {
    (void)kubernetes_version;
    return NameForm::kDns1123Subdomain;
  }
  // Whether metadata.generation counts changes of the desired state.
  virtual bool HasGeneration() const { return false; }
  // Whether an update without resourceVersion is unconditional.
  virtual bool AllowsUnconditionalUpdate() const { return true; }
  // Whether a create may include a status.
  virtual bool KeepsStatusOnCreate() const { return false; }
  // Seconds of grace that a delete without gracePeriodSeconds gets; 0 deletes at once.
  virtual int64_t DefaultGraceSeconds(const json::Value& object) const {
    (void)object;
    return 0;
  }
  // The effective grace period, from the requested one.
  virtual int64_t EffectiveGraceSeconds(const json::Value& object, int64_t asked) const {
    (void)object;
    return asked;
  }
  virtual bool IsGracefullyDeletable() const { return false; }
  // Field selectors beyond metadata.name and metadata.namespace.
  virtual std::vector<api::SelectableField> SelectableFields() const { return {}; }

  // Fills what the client left out. Must be idempotent.
  virtual void Default(json::Value& object) const { (void)object; }
  virtual base::Status PrepareForCreate(const RuleContext& context, json::Value& object) const {
    (void)context, (void)object;
    return {};
  }
  virtual base::Status PrepareForUpdate(const RuleContext& context, json::Value& object,
                                        const json::Value& old) const {
    (void)context, (void)object, (void)old;
    return {};
  }
  // Rejects a deletion that must not happen.
  virtual base::Status CheckDelete(const json::Value& object, std::string_view name) const {
    (void)object, (void)name;
    return {};
  }
  // Keeps a deleted object although its metadata has no finalizer.
  virtual bool StaysWhenDeleted(const json::Value& object) const {
    (void)object;
    return false;
  }
  // Changes made together with setting deletionTimestamp.
  virtual void PrepareForDelete(json::Value& object) const { (void)object; }
  virtual void Validate(const RuleContext& context, const json::Value& object,
                        Causes& causes) const {
    (void)context, (void)object, (void)causes;
  }
  virtual void ValidateUpdate(const RuleContext& context, const json::Value& object,
                              const json::Value& old, Causes& causes) const {
    (void)context, (void)object, (void)old, (void)causes;
  }
  // An update through a subresource that is part of the object: pods/ephemeralcontainers.
  virtual void ValidatePartUpdate(const RuleContext& context, std::string_view subresource,
                                  const json::Value& object, const json::Value& old,
                                  Causes& causes) const {
    (void)subresource;
    ValidateUpdate(context, object, old, causes);
  }
  virtual void ValidateStatusUpdate(const RuleContext& context, const json::Value& object,
                                    const json::Value& old, Causes& causes) const {
    (void)context, (void)object, (void)old, (void)causes;
  }
};

}  // namespace coppice::server
