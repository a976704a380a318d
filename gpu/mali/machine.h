/* The two machines that programs of Malis are for: Midgard's (isa/midgard), and the one of Bifrost and Valhall
 * (isa/warp). What of either a world, its threads and its code ask for, in one form; what differs more has files of its
 * own, which take the program of their machine. Internal to gpu/mali. */
#ifndef VITRAIL_GPU_MALI_MACHINE_H
#define VITRAIL_GPU_MALI_MACHINE_H

#include "isa/midgard/interp.h"
#include "isa/warp/interp.h"

/* A program, decoded (program_kind.c), with what both machines' have. Never changes. */
struct mali_decoded {
    struct midgard_program *midgard; /* one of the two; the other is NULL */
    struct warp_program *warp;
    uint32_t insn_count, word_count, word_bytes;
    uint32_t requests; /* of textures */
    uint32_t buffers;  /* bit n: it names uniform buffer n, of the first 32 */
    uint64_t hash;
    bool loads, stores; /* memory and images; atomics are both */
    bool atomics, textures, any_texture, reads_tile, barriers;
    bool shares;          /* stores where others may look */
    bool stores_varyings; /* by their descriptors */
    bool branches, repeats, straight;
};

/* What a program of isa/warp comes to, which it takes, of `words` words of the guest's. */
struct mali_decoded mali_decoded_of_warp(struct warp_program *program, uint32_t words);

/* Sixteen threads between two barriers. */
union mali_sixteen {
    struct midgard_state midgard;
    struct warp_state warp;
};

/* How an interpreter, or code, came to its end. */
struct mali_report {
    uint32_t fault; /* enum midgard_fault, enum warp_fault; 0: none */
    uint32_t at;    /* word of the program */
    const char *name;
    struct isa_place place;
    uint64_t executed;
};

/* Of memory's accesses on Valhall: streams of vertices' positions and varyings, and the thread's storage ("force"), all each
 * invocation's own (Mesa's valhall_ISA.xml, memory access). Bifrost's segments of vertices are memory like other (ours). */
enum mali_stream { MALI_STREAM_NONE, MALI_STREAM_POSITION, MALI_STREAM_VARYING, MALI_STREAM_THREAD };

struct mali_world;
struct mali_threads;

/* Threads at the beginning of the world's program, with the registers that they begin with: those of Bifrost and
 * Valhall are `threads`'s to say. `again`: *state was begun so before, and only the program has run since. */
void mali_sixteen_begin(const struct mali_threads *threads, uint16_t lanes, uint16_t helpers, bool again,
                        union mali_sixteen *state);
/* Lanes that have not ended; that were not discarded. */
uint16_t mali_sixteen_running(const struct mali_world *world, const union mali_sixteen *state);
uint16_t mali_sixteen_live(const struct mali_world *world, const union mali_sixteen *state);
/* What stands at a word that code has found not to be supported, as the interpreter's report says; or NULL. */
const char *mali_fault_name(const struct mali_decoded *program, uint32_t at);
/* Interprets the program of threads->world, up to its end or a barrier. Returns whether it has no fault. */
bool mali_interpret(struct mali_threads *threads, union mali_sixteen *state, struct mali_report *report);

#endif
