/* The card's files under /dev and /sys, as libdrm, Mesa and their like read them: a platform device with its
 * two DRM nodes. Links are relative, so that the tree may stand anywhere. */
#include "drm/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drm/drivers.h"
#include "drm/launch/tree.h"
#include "drm/protocol.h"

#define DEVICE (&DRM_PLATFORM_DEVICE[1])

/* One DRM node of the device: /dev/dri/NAME and all that leads to it. */
static int make_node(int root, const char *name, unsigned minor)
{
    char path[256], text[256];
    int r;
    snprintf(path, sizeof path, "%s/drm/%s", DEVICE, name);
    if ((r = drm_tree_folders(root, path)))
        return r;
    snprintf(path, sizeof path, "%s/drm/%s/dev", DEVICE, name);
    snprintf(text, sizeof text, "%d:%u\n", DRM_NODE_MAJOR, minor);
    if ((r = drm_tree_file(root, path, text)))
        return r;
    snprintf(path, sizeof path, "%s/drm/%s/uevent", DEVICE, name);
    snprintf(text, sizeof text, "MAJOR=%d\nMINOR=%u\nDEVNAME=dri/%s\nDEVTYPE=drm_minor\n", DRM_NODE_MAJOR,
             minor, name);
    if ((r = drm_tree_file(root, path, text)))
        return r;
    snprintf(path, sizeof path, "%s/drm/%s/device", DEVICE, name);
    if ((r = drm_tree_link(root, path, "../..")))
        return r;
    snprintf(path, sizeof path, "%s/drm/%s/subsystem", DEVICE, name);
    if ((r = drm_tree_link(root, path, "../../../../../class/drm")))
        return r;
    snprintf(text, sizeof text, "../../%s/drm/%s", DEVICE + strlen("sys/"), name);
    snprintf(path, sizeof path, "sys/dev/char/%d:%u", DRM_NODE_MAJOR, minor);
    if ((r = drm_tree_link(root, path, text)))
        return r;
    /* What udev has written of it: libudev passes over devices of which there is nothing. */
    snprintf(path, sizeof path, "run/udev/data/c%d:%u", DRM_NODE_MAJOR, minor);
    if ((r = drm_tree_file(root, path, "I:1\nG:seat\nG:master-of-seat\nQ:seat\nQ:master-of-seat\nV:1\n")))
        return r;
    snprintf(path, sizeof path, "sys/class/drm/%s", name);
    if ((r = drm_tree_link(root, path, text)))
        return r;
    snprintf(path, sizeof path, "dev/dri/%s", name);
    return drm_tree_file(root, path, "");
}

/* The uevent file: the alias lists all that the device is compatible with. */
static int make_uevent(int root, const struct drm_driver *driver, const struct drm_driver_gpu *gpu)
{
    char path[256], text[512];
    unsigned count = gpu->compatible[1] ? 2 : 1;
    int n = snprintf(text, sizeof text, "DRIVER=%s\nOF_NAME=%s\nOF_FULLNAME=%s\n", driver->platform,
                     gpu->node, gpu->path);
    for (unsigned i = 0; i < count; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "OF_COMPATIBLE_%u=%s\n", i, gpu->compatible[i]);
    n += snprintf(text + n, sizeof text - (size_t)n, "OF_COMPATIBLE_N=%u\nMODALIAS=of:N%sT(null)", count,
                  gpu->node);
    for (unsigned i = 0; i < count; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "C%s", gpu->compatible[i]);
    snprintf(text + n, sizeof text - (size_t)n, "\n");
    snprintf(path, sizeof path, "%s/uevent", DEVICE);
    return drm_tree_file(root, path, text);
}

static int make_device(int root, const struct drm_driver *driver, const struct drm_driver_gpu *gpu)
{
    char path[256];
    int r = make_uevent(root, driver, gpu);
    if (r)
        return r;
    snprintf(path, sizeof path, "%s/subsystem", DEVICE);
    return drm_tree_link(root, path, "../../../bus/platform");
}

int drm_tree_create(const char *path, const char *gpu)
{
    static const char *const folders[] = {"dev/dri",       "run/udev/data",    "sys/dev/char",
                                          "sys/class/drm", "sys/bus/platform", DEVICE};
    const struct drm_driver_gpu *row;
    const struct drm_driver *driver = drm_driver_find(gpu, &row);
    if (!driver)
        return -ENODEV;
    int root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return -errno;
    int r = 0;
    for (unsigned i = 0; !r && i < sizeof folders / sizeof *folders; i++)
        r = drm_tree_folders(root, folders[i]);
    if (!r)
        r = make_device(root, driver, row);
    if (!r)
        r = make_node(root, "card0", DRM_MINOR_CARD);
    if (!r)
        r = make_node(root, "renderD128", DRM_MINOR_RENDER);
    if (!r)
        r = drm_tree_input(root);
    close(root);
    return r;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    remove(path);
    return 0;
}

/* The tool and its broker may be at it at once: a walk ends where the other has taken a folder from under it.
 */
void drm_tree_remove(const char *path)
{
    for (unsigned tries = 0; tries < 8; tries++) {
        nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
        if (access(path, F_OK) && errno == ENOENT)
            return;
    }
}
