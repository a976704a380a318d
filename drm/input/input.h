/* The keyboard and pointers of a run: event devices in the manner of the kernel's evdev (linux/input.h,
 * drivers/input/evdev.c), and the programs that read them. Whoever has the struct presses the keys.
 *
 * A program's descriptor is the read end of a pipe into which events are written as its `struct input_event` has them,
 * so that poll and read need no hook. Ioctls come here with the descriptor, which is known by device and inode, through
 * whatever process it came.
 *
 * Differences from the kernel: a device cannot be written to (lights, force feedback); a reader that was revoked comes
 * to the end of the file, where the kernel says ENODEV; event masks (EVIOCGMASK, EVIOCSMASK) and maps of key codes are
 * refused with EINVAL, as by kernels before 4.4 and by devices without one; keys do not repeat.
 *
 * Threading: any thread may call, but for create and destroy. */
#ifndef VITRAIL_DRM_INPUT_INPUT_H
#define VITRAIL_DRM_INPUT_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "drm/protocol.h"

/* Codes of a type of event that a device has. */
struct drm_input_codes {
    uint16_t type, first, last; /* type 0 ends a list */
};

struct drm_input_device {
    const char *name;
    const char *udev; /* what udev finds out of such a device, a property a line */
    uint16_t product; /* of a virtual device (BUS_VIRTUAL), vendor DRM_INPUT_VENDOR, version 1 */
    struct drm_input_codes codes[8];
};
#define DRM_INPUT_VENDOR 0x7669u
extern const struct drm_input_device drm_input_devices[DRM_INPUT_COUNT];

/* One bit a code in bytes; EV_SYN too, for type 0, where bits are the types that the device has. `size` bytes of `bits`
 * are written; false: the device has no event of that type. */
bool drm_input_bits(const struct drm_input_device *device, unsigned type, uint8_t *bits, uint32_t size);

struct drm_input;
struct drm_input_event {
    uint16_t type, code;
    int32_t value;
};

/* The pointer's range: width x height. 0, -ENOMEM. */
int drm_input_create(uint32_t width, uint32_t height, struct drm_input **out);
/* What readers have open comes to its end. NULL is accepted. */
void drm_input_destroy(struct drm_input *input);

/* A new reader of a device, in whose machine a long has `long_bytes` (4 or 8): a descriptor, the caller's, close-on-exec.
 * -ENOENT: no such device; -EINVAL, -EMFILE (256 readers, or no descriptors). The process ignores SIGPIPE. */
int drm_input_open(struct drm_input *input, uint64_t device, uint64_t long_bytes);
/* The device whose reader a descriptor is, of whatever process it came; -EINVAL: it is none. */
int drm_input_device_of(struct drm_input *input, int fd);
/* As ioctl(2) on such a descriptor: >= 0 or -errno; -ENOTTY, too, for a descriptor that is none. `value` is the argument
 * of EVIOCGRAB and EVIOCREVOKE, which is a number there; others have `room` bytes at `argument`, read and written as the
 * request says, of which *written were. */
int drm_input_ioctl(struct drm_input *input, int fd, uint32_t request, uint64_t value, uint8_t *argument,
                    uint32_t room, uint32_t *written);

/* Things that happen at once: written to all readers of the device, or the one that has grabbed it, and SYN_REPORT.
 * What changes nothing (a key that is down already, a pointer that does not move) is left out, and codes that the device
 * does not have are. A reader that is behind by a pipe's size loses them, and is told by SYN_DROPPED. At most
 * DRM_INPUT_PACKET events. */
#define DRM_INPUT_PACKET 16u
void drm_input_send(struct drm_input *input, enum drm_input_number device,
                    const struct drm_input_event *events, unsigned count);
/* Whether a program reads the device. */
bool drm_input_is_open(struct drm_input *input, enum drm_input_number device);

#endif
