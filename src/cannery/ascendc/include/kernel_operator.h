// Everything a kernel in Ascend C includes.
#ifndef CANNERY_KERNEL_OPERATOR_H
#define CANNERY_KERNEL_OPERATOR_H

#include "cannery/copies.h"
#include "cannery/debug.h"
#include "cannery/launch.h"
#include "cannery/sync.h"
#include "cannery/vector.h"
#include "cannery/unsupported.h"

#endif
