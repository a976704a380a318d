/* The interpreter: interp.c (control, arithmetic), interp_message.c, interp_texture.c. */
#ifndef VITRAIL_ISA_WARP_INTERP_INTERNAL_H
#define VITRAIL_ISA_WARP_INTERP_INTERNAL_H

#include "isa/warp/interp.h"

struct warp_machine {
    const struct warp_program *program;
    const struct warp_ports *ports;
    struct warp_state *state;
    struct warp_report *report;
    const struct warp_insn *insn; /* at hand */
    uint16_t lanes;               /* that execute it */
    uint16_t leave;               /* of these, those that BLEND lets go */
    uint32_t temporary[WARP_TEMPORARIES][ISA_LANES];
};

/* Of the lowest lane that executes. */
void warp_machine_unsupported(struct warp_machine *m);
/* What a port returned. */
void warp_machine_check(struct warp_machine *m, bool there, const struct isa_place *place);
/* Words of source n of the lanes. */
void warp_machine_source(struct warp_machine *m, unsigned n, uint32_t out[2][16]);
/* Registers that are read, from word `first` on: 0 beyond them. */
void warp_machine_read(const struct warp_machine *m, unsigned first, unsigned count, uint32_t out[][16]);
/* Registers that are written, as far as there are any, in `lanes`. */
void warp_machine_write(struct warp_machine *m, unsigned first, unsigned count, const uint32_t in[][16]);

void warp_machine_memory(struct warp_machine *m);  /* LOAD, STORE, ATOMIC, BUFFER */
void warp_machine_message(struct warp_machine *m); /* MESSAGE */
/* Of a message that is asked of a port for the lanes; of those that look for no others, no blend. */
void warp_machine_ask(struct warp_machine *m, const struct warp_insn *insn,
                      uint32_t out[WARP_MESSAGE_WORDS][16]);
void warp_machine_texture(struct warp_machine *m);

#endif
