/* A device looked into from outside before it works: for who lists or checks what a guest asks for, without
 * drawing it. A write that starts work need not be passed on to the device; everything else must be. */
#ifndef VITRAIL_GPU_UTGARD_INSPECT_H
#define VITRAIL_GPU_UTGARD_INSPECT_H

#include "gpu/field.h"
#include "gpu/space.h"
#include "gpu/utgard/device.h"
#include "gpu/utgard/frame.h"

/* The work that a write starts. */
struct utgard_work {
    bool vs, plbu;
    uint32_t pps; /* bit n: PP n */
};
struct utgard_work utgard_device_starts(const struct utgard_device *device, uint32_t offset, uint32_t value);

/* A register of the window, by its names in ips.inc and regs.inc. */
struct utgard_register {
    const char *block, *name; /* static: "PP0", "FRAME" */
    uint32_t number;          /* of a counted one, from 0 */
    bool counted;
    const char *word; /* what this one of a counted register is, or NULL */
};
/* False: there is no such register. */
bool utgard_device_register(const struct utgard_device *device, uint32_t offset, struct utgard_register *out);
/* The register's fields in `value`, as flags where they have one bit; how many, at most UTGARD_FLAGS_MAX. */
#define UTGARD_FLAGS_MAX 24u
unsigned utgard_register_fields(const struct utgard_device *device, uint32_t offset, uint32_t value,
                                struct gpu_field out[UTGARD_FLAGS_MAX]);

/* The words that a block's plain registers hold, by offset / 4. The device's own. */
const uint32_t *utgard_device_words(const struct utgard_device *device, enum utgard_ip ip);
/* PP n's write-back unit `unit`: UTGARD_WB_WORDS words. */
const uint32_t *utgard_device_writeback(const struct utgard_device *device, unsigned pp, unsigned unit);

/* What word n is, or NULL. */
const char *utgard_frame_word(uint32_t n);
const char *utgard_writeback_word(uint32_t n);
/* Their words with names; how many, at most UTGARD_FRAME_WORDS. */
unsigned utgard_frame_fields(const uint32_t words[UTGARD_FRAME_WORDS],
                             struct gpu_field out[UTGARD_FRAME_WORDS]);
unsigned utgard_writeback_fields(const uint32_t words[UTGARD_WB_WORDS],
                                 struct gpu_field out[UTGARD_FRAME_WORDS]);

/* The address space of the GP (0) or of PP n (1 + n) as the page tables are now; NULL with *fault. Good until
 * the next register write. */
const struct gpu_space *utgard_device_space(struct utgard_device *device, unsigned n,
                                            struct gpu_fault *fault);

/* The tiles that PP `pp` would render now, of its master list or handed out by the DLBU, into `tiles` (room
 * for GPU_FRAME_TILES). False with *fault: the list is none; those before stand in `tiles`. */
bool utgard_device_tiles(const struct utgard_device *device, unsigned pp, const struct gpu_space *space,
                         struct gpu_tile *tiles, uint32_t *count, struct gpu_fault *fault);

#endif
