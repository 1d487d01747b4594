#include "services/admission/topology.h"

#include <set>

namespace coppice::services::admission {
namespace {

std::string Join(const std::set<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out;
}

}  // namespace

Verdict ValidateTopology(const json::Value& topology) {
  std::set<std::string> labels, aliases, duplicates, collisions;
  for (const json::Value& level : topology["spec"]["levels"].Items()) {
    labels.insert(level["nodeLabel"].ToString());
  }
  for (const json::Value& level : topology["spec"]["levels"].Items()) {
    const std::string alias = level["alias"].ToString();
    if (alias.empty()) continue;
    if (!aliases.insert(alias).second) duplicates.insert(alias);
    if (labels.contains(alias)) collisions.insert(alias);
  }
  if (duplicates.empty() && collisions.empty()) return {};
  std::string message = "invalid topology aliases:";
  if (!duplicates.empty()) message += fmt::format(" duplicate aliases [{}]", Join(duplicates));
  if (!collisions.empty()) {
    message += fmt::format("{} aliases equal to a node label [{}]", duplicates.empty() ? "" : ";",
                           Join(collisions));
  }
  return Verdict::Refuse(message);
}

}  // namespace coppice::services::admission
