#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/finalizers.h"
#include "api/labels.h"

namespace coppice::operators {

namespace labels = api::labels;

using StringMap = std::map<std::string, std::string>;

// Values of the label app.kubernetes.io/component on PodCliques: of a set, of a scaling group.
inline constexpr std::string_view kComponentStandaloneClique = "pcs-podclique";
inline constexpr std::string_view kComponentMemberClique = "pcsg-podclique";

// The two labels on everything that the operator creates for a set.
StringMap DefaultLabels(std::string_view set);
// "k=v,k2=v2", keys sorted.
std::string Selector(const StringMap& labels);

}  // namespace coppice::operators
