// Part of kernel_operator.h, which is small enough to be included whole.
#include "kernel_operator.h"
