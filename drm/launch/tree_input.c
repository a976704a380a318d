/* The files of event devices under /dev, /sys and /run/udev, as libudev, libinput, SDL and Qt read them: virtual
 * devices `inputN` with an `eventN` each (drivers/input/input.c: input_dev_uevent and its attributes). */
#include "drm/input/input.h"

#include <linux/input.h>
#include <stdio.h>
#include <string.h>

#include "drm/launch/tree.h"
#include "drm/protocol.h"

#define DEVICES (&DRM_INPUT_DEVICES[1])

enum { TEXT = 1024 };

/* Bits as the kernel prints them: longs in hexadecimal, the highest first, from the first that is not 0. */
static void print_bits(const struct drm_input_device *device, unsigned type, char text[TEXT])
{
    uint64_t words[KEY_CNT / 64] = {0};
    size_t n = 0;
    drm_input_bits(device, type, (uint8_t *)words, sizeof words);
    for (unsigned i = KEY_CNT / 64; i-- > 0;)
        if ((n || words[i] || !i) && n < TEXT)
            n += (size_t)snprintf(text + n, TEXT - n, "%s%llx", n ? " " : "", (unsigned long long)words[i]);
}

static const struct {
    const char *file, *property;
    unsigned type;
} capabilities[] = {{"ev", "EV", 0},        {"key", "KEY", EV_KEY}, {"rel", "REL", EV_REL},
                    {"abs", "ABS", EV_ABS}, {"msc", NULL, EV_MSC},  {"led", NULL, EV_LED},
                    {"snd", NULL, EV_SND},  {"ff", NULL, EV_FF},    {"sw", NULL, EV_SW}};
enum { CAPABILITIES = sizeof capabilities / sizeof *capabilities };

static int put(int root, const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return drm_tree_file(root, path, text);
}

/* What the device says of itself, a file each. */
static int make_attributes(int root, const char *folder, const struct drm_input_device *device)
{
    const struct {
        const char *name;
        unsigned value;
    } id[] = {
        {"bustype", BUS_VIRTUAL}, {"vendor", DRM_INPUT_VENDOR}, {"product", device->product}, {"version", 1}};
    char text[TEXT + 1], path[256];
    int r;
    snprintf(text, sizeof text, "%s\n", device->name);
    if ((r = put(root, folder, "name", text)) || (r = put(root, folder, "phys", "\n")) ||
        (r = put(root, folder, "uniq", "\n")) || (r = put(root, folder, "properties", "0\n")))
        return r;
    snprintf(path, sizeof path, "%s/id", folder);
    r = drm_tree_folders(root, path);
    for (unsigned i = 0; !r && i < sizeof id / sizeof *id; i++) {
        snprintf(text, sizeof text, "%04x\n", id[i].value);
        r = put(root, path, id[i].name, text);
    }
    snprintf(path, sizeof path, "%s/capabilities", folder);
    if (!r)
        r = drm_tree_folders(root, path);
    for (unsigned i = 0; !r && i < CAPABILITIES; i++) {
        print_bits(device, capabilities[i].type, text);
        strcat(text, "\n");
        r = put(root, path, capabilities[i].file, text);
    }
    return r;
}

static int make_uevent(int root, const char *folder, const struct drm_input_device *device)
{
    char text[4 * TEXT], bits[TEXT];
    int n = snprintf(text, sizeof text, "PRODUCT=%x/%x/%x/1\nNAME=\"%s\"\nPROP=0\n", BUS_VIRTUAL,
                     DRM_INPUT_VENDOR, device->product, device->name);
    for (unsigned i = 0; i < CAPABILITIES; i++) {
        print_bits(device, capabilities[i].type, bits);
        if (capabilities[i].property && strcmp(bits, "0") != 0)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s=%s\n", capabilities[i].property, bits);
    }
    return put(root, folder, "uevent", text);
}

/* What udev has written: properties, and that the device belongs to the first seat. */
static int make_udev(int root, unsigned number, const struct drm_input_device *device)
{
    char text[TEXT], path[64];
    int n = snprintf(text, sizeof text, "I:1\n");
    for (const char *line = device->udev; *line; line += strcspn(line, "\n") + 1)
        n += snprintf(text + n, sizeof text - (size_t)n, "E:%.*s\n", (int)strcspn(line, "\n"), line);
    snprintf(text + n, sizeof text - (size_t)n, "G:seat\nQ:seat\nV:1\n");
    snprintf(path, sizeof path, "run/udev/data/c%d:%u", DRM_INPUT_MAJOR, DRM_INPUT_MINOR + number);
    int r = drm_tree_file(root, path, text);
    snprintf(path, sizeof path, "run/udev/data/+input:input%u", number);
    return r ? r : drm_tree_file(root, path, text);
}

/* Links to `folder` from its class and, of a number, from /sys/dev, and its own to the class; `up` leads from it to
 * /sys. */
static int make_links(int root, const char *folder, const char *name, const char *number, const char *up)
{
    char path[256], target[256];
    snprintf(path, sizeof path, "%s/subsystem", folder);
    snprintf(target, sizeof target, "%sclass/input", up);
    int r = drm_tree_link(root, path, target);
    snprintf(target, sizeof target, "../../%s", folder + strlen("sys/"));
    snprintf(path, sizeof path, "sys/class/input/%s", name);
    if (!r)
        r = drm_tree_link(root, path, target);
    snprintf(path, sizeof path, "sys/dev/char/%s", number ? number : "");
    return r || !number ? r : drm_tree_link(root, path, target);
}

/* The node of a device: below it, and in /dev. */
static int make_event(int root, const char *parent, unsigned number)
{
    char folder[128], name[16], text[256], path[64];
    snprintf(name, sizeof name, "event%u", number);
    snprintf(folder, sizeof folder, "%s/%s", parent, name);
    int r = drm_tree_folders(root, folder);
    snprintf(text, sizeof text, "MAJOR=%d\nMINOR=%u\nDEVNAME=input/%s\n", DRM_INPUT_MAJOR,
             DRM_INPUT_MINOR + number, name);
    if (!r)
        r = put(root, folder, "uevent", text);
    snprintf(text, sizeof text, "%d:%u\n", DRM_INPUT_MAJOR, DRM_INPUT_MINOR + number);
    if (!r)
        r = put(root, folder, "dev", text);
    text[strlen(text) - 1] = 0;
    if (!r)
        r = make_links(root, folder, name, text, "../../../../../");
    snprintf(path, sizeof path, "../../input%u", number);
    snprintf(text, sizeof text, "%s/device", folder);
    if (!r)
        r = drm_tree_link(root, text, path);
    snprintf(path, sizeof path, "dev/input/%s", name);
    return r ? r : drm_tree_file(root, path, "");
}

static int make_device(int root, unsigned number)
{
    const struct drm_input_device *device = &drm_input_devices[number];
    char folder[96], name[16];
    snprintf(name, sizeof name, "input%u", number);
    snprintf(folder, sizeof folder, "%s/%s", DEVICES, name);
    int r = drm_tree_folders(root, folder);
    if (!r)
        r = make_links(root, folder, name, NULL, "../../../../");
    if (!r)
        r = make_attributes(root, folder, device);
    if (!r)
        r = make_uevent(root, folder, device);
    if (!r)
        r = make_event(root, folder, number);
    if (!r)
        r = make_udev(root, number, device);
    return r;
}

int drm_tree_input(int root)
{
    static const char *const folders[] = {"dev/input", "sys/class/input"};
    int r = 0;
    for (unsigned i = 0; !r && i < sizeof folders / sizeof *folders; i++)
        r = drm_tree_folders(root, folders[i]);
    for (unsigned i = 0; !r && i < DRM_INPUT_COUNT; i++)
        r = make_device(root, i);
    return r;
}
