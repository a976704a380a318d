/* Shader state records (Guide tables 45 to 47), fetched once into private memory and checked; and the program
 * cache. */
#ifndef VITRAIL_GPU_VC4_SHADER_STATE_H
#define VITRAIL_GPU_VC4_SHADER_STATE_H

#include <stdatomic.h>

#include "gpu/fault.h"
#include "gpu/memory.h"
#include "isa/vc4_qpu/numeric.h"
#include "isa/vc4_qpu/program.h"

#define VC4_MAX_ATTRIBUTES 8

struct vc4_attribute {
    uint32_t address;
    uint32_t bytes;               /* 1..256 */
    uint32_t stride;              /* 0: the same element for every vertex */
    uint8_t vs_offset, cs_offset; /* bytes, in the VPM */
};

struct vc4_vertex_code;
struct vc4_vpm_plan;
struct vc4_frag_code;
struct vc4_frag_plan;

/* What the stages have found out about a program, so that the next draw need not: what is there stays as it
 * is while the cache lives, and more may be added by any thread. */
struct vc4_program_notes {
    _Atomic(struct vc4_vertex_code *) vertex; /* vertex_code.c */
    _Atomic(struct vc4_vpm_plan *) vpm;       /* NULL: not made yet */
    _Atomic(struct vc4_frag_code *) fragment; /* frag_code.c */
    _Atomic(struct vc4_frag_plan *)
        tile[4]; /* bit 0: of four samples; bit 1: of RGBA16F; NULL: not made yet */
};

void vc4_vertex_code_destroy(struct vc4_vertex_code *list); /* NULL is accepted */
void vc4_frag_code_destroy(struct vc4_frag_code *list);     /* likewise */

struct vc4_stage {
    uint32_t code, uniforms;               /* guest addresses */
    uint8_t attribute_select;              /* bit n: attribute array n is fetched */
    uint8_t attribute_size;                /* total bytes in the VPM */
    const struct vc4_qpu_program *program; /* owned by the program cache */
    struct vc4_program_notes *notes;       /* likewise; NULL: nothing is kept */
};

/* How vertices come to be: shaded (record 64), pre-shaded in memory (65), bare coordinates (66, and 67 whose
 * record stands in the list itself). */
enum vc4_shader_kind { VC4_SHADER_GL, VC4_SHADER_NV, VC4_SHADER_VG, VC4_SHADER_VG_INLINE };

/* Pre-shaded vertices (Guide figure 12). */
struct vc4_nv_vertices {
    uint32_t address, stride;
    bool clip_header; /* four words of clip coordinates stand before each */
};

struct vc4_shader_state {
    enum vc4_shader_kind kind;
    struct vc4_nv_vertices nv; /* of NV states */
    uint32_t address;
    bool clipping, point_size, single_threaded;
    uint8_t varying_count;
    struct vc4_stage fs, vs, cs;
    uint32_t attribute_count;
    struct vc4_attribute attribute[VC4_MAX_ATTRIBUTES];
    enum isa_numeric numeric; /* of its programs; the reader's caller sets it, one for a program cache */
};

/* Programs by content: looked up by the hash of their words, so a rewritten program is a new one. A guest may
 * bring programs without end: between jobs the cache is emptied when it holds many, and a job that uses far
 * too many has a fault. Thread-safe. */
struct vc4_programs;
int vc4_programs_create(struct vc4_programs **out); /* 0 or -ENOMEM */
void vc4_programs_destroy(struct vc4_programs *programs);
/* The program at guest address `code`; NULL and *fault on error. It and its notes (`notes` may be NULL) live
 * until the cache is emptied. */
const struct vc4_qpu_program *vc4_programs_get(struct vc4_programs *programs, const struct gpu_memory *memory,
                                               uint32_t code, struct vc4_program_notes **notes,
                                               struct gpu_fault *fault);

/* Another job begins: what it uses counts from now on. */
void vc4_programs_begin(struct vc4_programs *programs);
/* Whether the cache holds so many programs that it should be emptied. */
bool vc4_programs_are_many(struct vc4_programs *programs);
/* Forgets all programs: none may be in use. */
void vc4_programs_empty(struct vc4_programs *programs);

/* Reads the record at `address` (attribute_count 1..8, `extended` as in record 64) and its programs. false
 * and *fault on error. */
bool vc4_shader_state_read(struct vc4_programs *programs, const struct gpu_memory *memory, uint32_t address,
                           unsigned attribute_count, bool extended, struct vc4_shader_state *out,
                           struct gpu_fault *fault);

/* What reading the record costs of a packet budget: its programs are compared word by word. */
uint32_t vc4_shader_state_cost(const struct vc4_shader_state *state);

/* shader_state_nv.c: an NV or VG record, with its fragment program. `programs` NULL: without it (the binner
 * has no use for it). No vertex and coordinate programs, no attributes. false and *fault on error. */
bool vc4_nv_state_read(struct vc4_programs *programs, const struct gpu_memory *memory, uint32_t address,
                       struct vc4_shader_state *out, struct gpu_fault *fault);
bool vc4_vg_state_read(struct vc4_programs *programs, const struct gpu_memory *memory, uint32_t address,
                       struct vc4_shader_state *out, struct gpu_fault *fault);
/* The state that a record 67 holds itself. */
bool vc4_vg_state_inline(struct vc4_programs *programs, const struct gpu_memory *memory, uint32_t code,
                         uint32_t uniforms, bool single_threaded, struct vc4_shader_state *out,
                         struct gpu_fault *fault);

/* Words `first` to `first` + count - 1 of pre-shaded vertex `index`, behind its clip coordinates (which are
 * words -4 to -1). False and *fault when they lie outside memory. */
bool vc4_nv_vertex(const struct gpu_memory *memory, const struct vc4_nv_vertices *nv, uint32_t index,
                   int32_t first, uint32_t count, uint32_t *out, struct gpu_fault *fault);

#endif
