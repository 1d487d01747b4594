#pragma once

#include "kube/contract/changes_testing.h"
#include "kube/contract/kinds_testing.h"
#include "kube/contract/objects_testing.h"
#include "kube/contract/watches_testing.h"

// What every kube::Client must do, whatever is behind it. Header only, so that each layer with an
// implementation can run it:
//
//   class MyContract : public testing::TestWithParam<kube::contract::Case> {};
//   TEST_P(MyContract, Holds) { … kube::contract::Run(GetParam(), {.client = …, …}); }
//   INSTANTIATE_TEST_SUITE_P(All, MyContract, testing::ValuesIn(kube::contract::Cases()),
//                            kube::contract::CaseName);
namespace coppice::kube::contract {

// Every case, in the order of the files.
inline const std::vector<Case>& Cases() {
#define COPPICE_CONTRACT_CASE(name) {#name, &name}
  static const std::vector<Case> cases = {
      COPPICE_CONTRACT_CASE(CreatesReadsAndDeletes),
      COPPICE_CONTRACT_CASE(RefusesToCreateTwice),
      COPPICE_CONTRACT_CASE(GeneratesNames),
      COPPICE_CONTRACT_CASE(NamesTheFieldThatIsWrong),
      COPPICE_CONTRACT_CASE(RefusesUnknownNamespaces),
      COPPICE_CONTRACT_CASE(RefusesWrongTypes),
      COPPICE_CONTRACT_CASE(GuardsUpdatesByVersion),
      COPPICE_CONTRACT_CASE(KeepsTheVersionWhenNothingChanges),
      COPPICE_CONTRACT_CASE(RefusesToUpdateWhatIsMissing),
      COPPICE_CONTRACT_CASE(ListsInPages),
      COPPICE_CONTRACT_CASE(ListsThePast),
      COPPICE_CONTRACT_CASE(RefusesVersionsOfTheFuture),
      COPPICE_CONTRACT_CASE(RefusesVersionsThatAreNone),
      COPPICE_CONTRACT_CASE(ListsObjectsWithTheirTypes),
      COPPICE_CONTRACT_CASE(ListsAllNamespaces),
      COPPICE_CONTRACT_CASE(SelectsByLabel),
      COPPICE_CONTRACT_CASE(SelectsByField),
      COPPICE_CONTRACT_CASE(RefusesBadSelectors),
      COPPICE_CONTRACT_CASE(WatchesChangesInOrder),
      COPPICE_CONTRACT_CASE(ResumesAWatchWithoutGaps),
      COPPICE_CONTRACT_CASE(WatchesWhatEntersAndLeavesASelection),
      COPPICE_CONTRACT_CASE(StreamsInitialLists),
      COPPICE_CONTRACT_CASE(StopsAWatchForGood),
      COPPICE_CONTRACT_CASE(PatchesWithJsonPatch),
      COPPICE_CONTRACT_CASE(PatchesWithMergePatch),
      COPPICE_CONTRACT_CASE(PatchesListsByTheirKeys),
      COPPICE_CONTRACT_CASE(AppliesAndRemovesOwnFields),
      COPPICE_CONTRACT_CASE(RefusesToApplyOverOthers),
      COPPICE_CONTRACT_CASE(GuardsDeletesByPrecondition),
      COPPICE_CONTRACT_CASE(WaitsForFinalizers),
      COPPICE_CONTRACT_CASE(DeletesCollections),
      COPPICE_CONTRACT_CASE(DeletesTheOwnedWithTheirOwner),
      COPPICE_CONTRACT_CASE(LeavesOrphansBehind),
      COPPICE_CONTRACT_CASE(SeparatesStatusFromSpec),
      COPPICE_CONTRACT_CASE(Scales),
      COPPICE_CONTRACT_CASE(BindsOnce),
      COPPICE_CONTRACT_CASE(RefusesToBindAnotherPodOfTheName),
      COPPICE_CONTRACT_CASE(HoldsGatedPods),
      COPPICE_CONTRACT_CASE(Evicts),
      COPPICE_CONTRACT_CASE(TriesWithoutEffect),
      COPPICE_CONTRACT_CASE(RefusesUnknownFieldsWhenStrict),
      COPPICE_CONTRACT_CASE(CountsGenerations),
      COPPICE_CONTRACT_CASE(KeepsImmutableFields),
      COPPICE_CONTRACT_CASE(AnswersPaths),
      COPPICE_CONTRACT_CASE(RefusesUnknownResources),
      COPPICE_CONTRACT_CASE(ServesCustomResources),
  };
#undef COPPICE_CONTRACT_CASE
  return cases;
}

// Runs one case in a namespace of its own.
inline void Run(const Case& test_case, World world) {
  COPPICE_CONTRACT_OK(
      world.client.Create(api::kNamespaces, NewObject(api::kNamespaces, "", world.ns)));
  // A controller makes it, and pods need it.
  ASSERT_TRUE(world.eventually(
      [&] { return world.client.Get(api::kServiceAccounts, {world.ns, "default"}).ok(); }));
  test_case.run(world);
}

}  // namespace coppice::kube::contract
