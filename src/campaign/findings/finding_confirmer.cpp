// SPDX-License-Identifier: Apache-2.0
#include "campaign/findings/finding_confirmer.h"

#include "base/file.h"
#include "base/text.h"
#include "campaign/make_variant.h"
#include "campaign/retrying_runner.h"

namespace refract {
inline namespace campaign {

KeptState StateAfterRuns(FailureClass verdict, uint32_t runs, uint32_t confirmed) {
  const uint32_t least = verdict == FailureClass::kHang ? runs : 1;
  return confirmed >= least ? KeptState::kConfirmed : KeptState::kNotRepeated;
}

Status FindingConfirmer::Confirm(const Bucket& bucket, KeptTest kept, Harness& harness,
                                 double now) {
  if (kept.target == kRefractTarget) return ConfirmFault(bucket, std::move(kept), now);
  const Result<LoadedFinding> loaded = loader_.Load(bucket, kept, harness);
  if (!loaded) {
    if (filer_.IsTargetLost(kept, harness)) return {};
    kept.folder.clear();
    return filer_.FileFailed(std::move(kept), loaded.error());
  }
  kept.folder = filer_.FolderOf(bucket.folder, kept.test);
  Result<TestRecord> written = Error{};
  if (const auto* original = std::get_if<LoadedOriginal>(&*loaded)) {
    written = WriteFailingOriginal(
        filer_.PathOf(kept), original->Failing(bucket.signature, setup_.confirm), {}, harness);
    // The target may be lost. That is no fault of the campaign.
    if (!written) return filer_.FileFailed(std::move(kept), written.error());
  } else if (const auto* program = std::get_if<LoadedProgram>(&*loaded)) {
    written = WriteFailingProgram(
        filer_.PathOf(kept), program->Failing(bucket.signature, setup_.confirm), nullptr, harness);
    kept.steps = 0;
  } else {
    written = WriteFailingVariant(
        filer_.PathOf(kept), std::get<LoadedVariant>(*loaded).Failing(setup_.confirm), harness);
  }
  if (!written && filer_.IsTargetLost(kept, harness)) return {};
  if (!written) return written.error();
  kept.runs = written->runs;
  kept.confirmed = written->confirmed;
  kept.state = StateAfterRuns(bucket.verdict, kept.runs, kept.confirmed);
  return filer_.FileConfirmed(bucket, kept, now);
}

// Makes the test again, and writes it with fault.txt, which has the command that reproduces the
// fault.
Status FindingConfirmer::ConfirmFault(const Bucket& bucket, KeptTest kept, double now) {
  const TestPlan plan = PlanOf(setup_, kept.test);
  kept.folder = TestFolder(bucket.folder, kept.test);
  const std::string folder = filer_.PathOf(kept);
  if (Status made = MakeFolder(folder); !made) return made;
  const Result<LoadedFault> fault = loader_.LoadFault(kept);
  kept.detail = fault ? bucket.signature : fault.error().message;
  kept.runs = 1;
  kept.confirmed = fault ? 0 : 1;
  kept.state = KeptState::kConfirmed;
  const std::string command = MakeVariantCommand(setup_, plan);
  const bool varied = plan.varied && (!fault || !fault->recording.empty());
  const std::string text =
      varied ? format(
                   "{}\n\nTo reproduce the fault (--self-check finds the step to blame):\n"
                   "  {} --self-check\n",
                   kept.detail, command)
             : format("{}\n\nTo reproduce the fault:\n  {}\n", kept.detail, command);
  if (Status written = WriteFile(folder + "/fault.txt", text); !written) return written;
  if (fault) {
    const std::string_view words(reinterpret_cast<const char*>(fault->words.data()),
                                 4 * fault->words.size());
    if (Status written = WriteFile(folder + "/variant.spv", words); !written) return written;
    if (!fault->recording.empty()) {
      Status written = WriteFile(folder + "/variant.refract", fault->recording);
      if (!written) return written;
    }
  }
  return filer_.FileConfirmed(bucket, kept, now);
}

}  // namespace campaign
}  // namespace refract
