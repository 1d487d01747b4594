#include "engine/actions/actions.h"

#include "engine/framework/framework.h"

namespace coppice::engine {

bool RunNamedAction(std::string_view name, ActionContext& context) {
  for (const ActionEntry& action : ActionTable()) {
    if (action.name != name) continue;
    context.session.BeginAction(name);
    action.run(context);
    return true;
  }
  return false;
}

}  // namespace coppice::engine
