// SPDX-License-Identifier: Apache-2.0
// Generated from proto/.
#pragma once

#include "message/any.h"
#include "message/plant_tree.h"
#include "message/rest.h"
#include "message/shared.h"
