// SPDX-License-Identifier: Apache-2.0
// Leaves out a step on whose names later steps depend.
#pragma once

#include <cstddef>
#include <vector>

#include "message/recording.h"
#include "shrink/replayed.h"

namespace refract {
inline namespace shrink {

/// Returns copies of the recording without the step at `position`. In later steps, each name of an
/// instruction that the step copied or made for another one becomes the name of that other
/// instruction. The name of something else that the step made becomes a name from the message of
/// the step, such as the end of a region: a label becomes a label. There are several recordings if
/// the message has several such names. Returns nothing if no later step names what the step made,
/// or if the message has no such name. The later steps may be impossible.
std::vector<message::Recording> WithoutStep(const ReplayedRecording& replayed, size_t position);

}  // namespace shrink
}  // namespace refract
