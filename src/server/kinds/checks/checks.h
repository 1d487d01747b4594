#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "api/schema/errors/field_error.h"
#include "api/selectors/names.h"
#include "json/value.h"
#include "server/model/kind_rules.h"

// Checks that many kinds share. Each adds what is wrong to `causes`.
namespace coppice::server {

void CheckOneOf(const json::Value& value, std::initializer_list<const char*> allowed,
                const std::string& path, Causes& causes);
void CheckNotNegative(const json::Value& value, const std::string& path, Causes& causes);
void CheckProblems(const json::Value& value, const api::Problems& problems, const std::string& path,
                   Causes& causes);
// A required name of the form "example.com".
void CheckSubdomain(const json::Value& name, const std::string& path, Causes& causes);
// These members of `object` must be unchanged.
void CheckImmutable(const json::Value& now, const json::Value& old, const std::string& path,
                    Causes& causes);
// A key of a ConfigMap or Secret.
void CheckConfigKey(const json::Value& key, const std::string& path, Causes& causes);
// A relative path without "..".
void CheckRelativePath(const json::Value& relative, const std::string& path, Causes& causes);
// The second half of it.
void CheckNoDots(const json::Value& file, const std::string& path, Causes& causes);
// A count, or a part of one: 3, "25%".
void CheckShare(const json::Value& share, const std::string& path, Causes& causes);
// A network: "10.9.8.0/24".
void CheckNetwork(const json::Value& network, const std::string& path, Causes& causes);
// A label selector that is required, well formed and not empty; matched by the template's labels.
void CheckTemplateSelector(const json::Value& spec, const std::string& path, Causes& causes);
// -1, 0 or 1; an invalid quantity counts as negative.
int SignOf(const json::Value& quantity);
// A quantity in text that is more than 0.
bool IsPositive(const json::Value& quantity);
// A quantity that is not negative.
void CheckQuantity(const json::Value& quantity, const std::string& path, Causes& causes);
void CheckAddress(const json::Value& address, const std::string& path, Causes& causes);
// An integer between 1 and 65535.
void CheckPort(const json::Value& value, const std::string& path, Causes& causes);

}  // namespace coppice::server
