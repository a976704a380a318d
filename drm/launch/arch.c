/* How programs of each architecture run here. */
#include "drm/launch/launch.h"

const struct drm_arch_info drm_arch_infos[DRM_ARCH_COUNT] = {
    [DRM_ARCH_AMD64] = {"amd64", "x86_64-linux-gnu", NULL},
    [DRM_ARCH_ARM64] = {"arm64", "aarch64-linux-gnu", "qemu-aarch64"},
    [DRM_ARCH_ARMHF] = {"armhf", "arm-linux-gnueabihf", "qemu-arm"},
};
