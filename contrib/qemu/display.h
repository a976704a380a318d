/* A display beside the GPU, for QEMU: see display.c. */
#ifndef VITRAIL_QEMU_DISPLAY_H
#define VITRAIL_QEMU_DISPLAY_H

#include "compat.h"

extern const TypeInfo display_type;

#endif
