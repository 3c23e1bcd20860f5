// Everything a kernel in Ascend C includes.
#ifndef CANNERY_KERNEL_OPERATOR_H
#define CANNERY_KERNEL_OPERATOR_H

#include "cannery/advanced.h"
#include "cannery/copies.h"
#include "cannery/cube.h"
#include "cannery/debug.h"
#include "cannery/launch.h"
#include "cannery/rearrange.h"
#include "cannery/sync.h"
#include "cannery/system.h"
#include "cannery/tools.h"
#include "cannery/vector.h"
#include "cannery/unsupported.h"

#endif
