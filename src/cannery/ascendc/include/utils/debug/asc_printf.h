// printf of a kernel: the linker tells it from the host's.
#include "kernel_operator.h"
