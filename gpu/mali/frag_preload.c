/* Messages that v7 sends before a fragment's program begins, as its state says: varyings, and textures at them, into r0 to
 * r3 and r4 to r7. A program with such messages is another one, which begins with them. Source: Mesa's
 * bi_opt_message_preload.c (what is sent, where it goes, which sampler) as documentation. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/mali/device_internal.h"
#include "gpu/mali/frag_preload.h"
#include "util/bits.h"

#define REGISTERS 4u /* of a message */
#define WHOLE     0xfu

/* ---- what the state says ---- */

/* Of the first, of the second. */
#define MESSAGE(n)                                                                                           \
    static struct mali_frag_message message_##n(const struct mali_state *s)                                  \
    {                                                                                                        \
        const bool texture = s->message_preload_##n##_type == MALI_MESSAGE_TYPE_VAR_TEX;                     \
        return (struct mali_frag_message){                                                                   \
            .type = (uint8_t)s->message_preload_##n##_type,                                                  \
            .varying = (uint8_t)(texture ? s->message_preload_##n##_var_tex_varying_index                    \
                                         : s->message_preload_##n##_ld_var_varying_index),                   \
            .texture = (uint8_t)(texture ? s->message_preload_##n##_var_tex_texture_index : 0),              \
            .format = (uint8_t)s->message_preload_##n##_ld_var_register_format,                              \
            .components = (uint8_t)(texture ? 4 : s->message_preload_##n##_ld_var_num_components),           \
            .zero_level = texture && s->message_preload_##n##_var_tex_zero_lod};                             \
    }
MESSAGE(1)
MESSAGE(2)

/* Varyings are taken at the sample, of fragments that are of one; elsewhere that is the pixel's centre. */
static void messages_of(const struct mali_state *state, struct mali_frag_message out[MALI_FRAG_MESSAGES])
{
    const struct mali_frag_message none = {.type = MALI_MESSAGE_TYPE_DISABLED};
    out[0] = message_1(state);
    out[1] = message_2(state);
    for (unsigned n = 0; n < MALI_FRAG_MESSAGES; n++)
        if (out[n].type == MALI_MESSAGE_TYPE_DISABLED)
            out[n] = none;
        else
            out[n].by_sample = state->evaluate_per_sample && out[n].type == MALI_MESSAGE_TYPE_LD_VAR;
}

static bool is_known(const struct mali_frag_message *m)
{
    return m->format <= MALI_MESSAGE_PRELOAD_REGISTER_FORMAT_F16; /* of one that is disabled, 0 */
}

/* ---- as instructions ---- */

static struct warp_insn insn_of(const struct mali_frag_message *m, unsigned slot)
{
    const bool halves = m->format == MALI_MESSAGE_PRELOAD_REGISTER_FORMAT_F16;
    const uint8_t words = (uint8_t)(halves ? (m->components + 1) / 2 : m->components);
    struct warp_insn i = {.kind = WARP_MESSAGE,
                          .part = WARP_PART_BEFORE,
                          .message = WARP_VARYING,
                          .type = halves ? ISA_TYPE_F16 : ISA_TYPE_F32,
                          .halves = halves,
                          .components = m->components,
                          .sample = m->by_sample ? WARP_SAMPLE_SAMPLE : WARP_SAMPLE_CENTER,
                          .update = WARP_UPDATE_STORE,
                          .write = {(uint8_t)(slot * REGISTERS), words}};
    i.source[0] =
        m->by_sample
            ? (struct warp_source){.from = WARP_REGISTER, .index = MALI_REG_FRAGMENT_SAMPLES, .width = 32}
            : (struct warp_source){.from = WARP_CONSTANT, .width = 32};
    i.source[1] = (struct warp_source){.from = WARP_CONSTANT, .value = m->varying, .width = 32};
    if (m->type != MALI_MESSAGE_TYPE_VAR_TEX)
        return i;
    i.kind = WARP_TEXTURE;
    i.type = ISA_TYPE_F32; /* of coordinates */
    i.of_varying = i.wide_handle = true;
    i.source[0].value = m->texture | (uint64_t)m->texture << 32;
    i.source[0].width = 64;
    i.texture_op = m->zero_level ? ISA_TEXTURE_LOD : ISA_TEXTURE_SAMPLE;
    i.level = m->zero_level ? WARP_LEVEL_ZERO : WARP_LEVEL_COMPUTED;
    i.mode = ISA_TEXTURE_PLAIN;
    i.dimensions = 2;
    i.sampler_type = ISA_SAMPLER_FLOAT;
    i.write_mask = WHOLE;
    return i;
}

int mali_frag_preloaded_create(const struct mali_decoded *like,
                               const struct mali_frag_message message[MALI_FRAG_MESSAGES],
                               struct mali_decoded *out)
{
    const struct warp_program *p = like->warp;
    struct warp_program *made;
    uint32_t count = 0;
    struct warp_insn *insns = malloc((p->insn_count + MALI_FRAG_MESSAGES) * sizeof *insns);
    if (!insns)
        return -ENOMEM;
    for (unsigned n = 0; n < MALI_FRAG_MESSAGES; n++)
        if (message[n].type != MALI_MESSAGE_TYPE_DISABLED)
            insns[count++] = insn_of(&message[n], n);
    memcpy(insns + count, p->insns, p->insn_count * sizeof *insns);
    for (uint32_t n = count; n < p->insn_count + count; n++)
        if (warp_branches(&insns[n]))
            insns[n].target += count;
    struct util_error error = {0};
    int status = warp_program_create(insns, p->insn_count + count, p->word_bytes, &made, &error);
    if (status)
        return status;
    made->hash = p->hash;
    made->parts = p->parts;
    *out = mali_decoded_of_warp(made, like->word_count);
    return 0;
}

/* ---- kept with the program ---- */

struct preloaded {
    int status;
    struct mali_decoded decoded;
    struct warp_program warp;
    /* instructions, then blocks */
};

static void copy(struct preloaded *to, const struct mali_decoded *from)
{
    const struct warp_program *p = from->warp;
    to->decoded = *from;
    to->warp = *p;
    to->warp.insns = (struct warp_insn *)(to + 1);
    to->warp.blocks = (struct warp_block *)(to->warp.insns + p->insn_count);
    memcpy(to->warp.insns, p->insns, p->insn_count * sizeof *p->insns);
    memcpy(to->warp.blocks, p->blocks, p->block_count * sizeof *p->blocks);
    to->decoded.warp = &to->warp;
}

/* At most: a block has an instruction. */
static size_t size_of(const struct warp_program *p)
{
    return sizeof(struct preloaded) +
           (p->insn_count + MALI_FRAG_MESSAGES) * (sizeof *p->insns + sizeof *p->blocks);
}

/* 0, or a negative errno. What could not be made for want of memory is kept as that, until all programs are forgotten. */
static int take(struct mali_frag *f)
{
    const struct util_memo_key key = {f->messages, sizeof f->messages, NULL, 0};
    enum util_make_status status;
    struct preloaded *kept = gpu_program_plan(f->world.from, &key, size_of(f->world.program->warp), &status);
    if (status == UTIL_MAKING) {
        struct mali_decoded made = {.warp = NULL};
        kept->status = mali_frag_preloaded_create(f->world.program, f->messages, &made);
        if (!kept->status)
            copy(kept, &made);
        warp_program_destroy(made.warp);
        if (kept->status == -ENOMEM)
            atomic_store_explicit(&f->world.shared->wanting, true, memory_order_relaxed);
        status = util_memo_end(&f->world.from->plans, kept, !kept->status);
    }
    if (status != UTIL_MADE)
        return kept ? kept->status : -ENOMEM;
    f->world.program = &kept->decoded;
    return 0;
}

bool mali_frag_preload(struct mali_frag *f, struct mali_stop *stop)
{
    const struct mali_state *s = &f->job.bindings.state;
    messages_of(s, f->messages);
    if (f->messages[0].type == MALI_MESSAGE_TYPE_DISABLED &&
        f->messages[1].type == MALI_MESSAGE_TYPE_DISABLED)
        return true;
    if (!is_known(&f->messages[0]) || !is_known(&f->messages[1]))
        return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, FRAG_UNIT,
                             f->job.draw.state,
                             "messages before a program: registers' formats %u and %u are not done",
                             f->messages[0].format, f->messages[1].format);
    const int status = take(f);
    return !status || mali_stop_set(stop, status == -ENOMEM ? MALI_OOM : MALI_INSTR_INVALID_ENC,
                                    GPU_FAULT_SHADER, FRAG_UNIT, f->world.address,
                                    status == -ENOMEM
                                        ? "no host memory for a program"
                                        : "a program of too many instructions, with the messages before it");
}
