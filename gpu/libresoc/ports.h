/* The ports of the banks of register files, cycle by cycle.
 *
 * A file has four banks of 32-bit words: of even and of odd registers, their low and their high half (SIMPLE_V.md 13.1).
 * Who asks first has a port: operations ask in program order, so the oldest comes first in every cycle. */
#ifndef VITRAIL_GPU_LIBRESOC_PORTS_H
#define VITRAIL_GPU_LIBRESOC_PORTS_H

#include "gpu/libresoc/scoreboard.h"

#define LIBRESOC_BANKS 4u

/* Words that a bank reads, or writes, in a cycle. */
struct libresoc_bank {
    uint8_t used;
    uint8_t word[LIBRESOC_PORTS];
};

struct libresoc_cycle {
    uint64_t cycle; /* which one this is; others' words mean nothing */
    struct libresoc_bank bank[2][LIBRESOC_FILES][LIBRESOC_BANKS];
};

enum libresoc_access { LIBRESOC_ACCESS_READ, LIBRESOC_ACCESS_WRITE };

struct libresoc_ports {
    uint32_t count[2];             /* of a bank, by access */
    uint64_t window;               /* cycles kept, a power of two */
    struct libresoc_cycle *cycles; /* owned */
};

/* Cycles asked for at one time lie less than `span` apart. 0 or -ENOMEM. */
int libresoc_ports_init(struct libresoc_ports *ports, uint32_t reads, uint32_t writes, uint64_t span);
void libresoc_ports_finish(struct libresoc_ports *ports);

/* Gives each word of the element the first port from cycle `from` on. The cycle of the last of them. */
uint64_t libresoc_ports_take(struct libresoc_ports *ports, enum libresoc_access access, uint64_t from,
                             const struct libresoc_element *element);

#endif
