#pragma once

#include <memory>

#include "server/kind_rules.h"

// The rules of the built-in kinds, one file each.
namespace coppice::server {

std::shared_ptr<const KindRules> PlainRules();
// Like PlainRules, with a generation that counts changes of the spec.
std::shared_ptr<const KindRules> GenerationRules();
std::shared_ptr<const KindRules> PodRules();
std::shared_ptr<const KindRules> NamespaceRules();
std::shared_ptr<const KindRules> CrdRules();
std::shared_ptr<const KindRules> RbacRules();

}  // namespace coppice::server
