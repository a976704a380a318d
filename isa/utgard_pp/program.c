#include "isa/utgard_pp/program.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

#include "isa/blocks.h"
#include "util/bits.h"

static bool branches(const struct utgard_pp_insn *i)
{
    return utgard_pp_has(i, UTGARD_PP_BRANCH) && !i->branch.discard &&
           i->branch.condition; /* of no condition: never */
}

static bool discards(const struct utgard_pp_insn *i)
{
    return utgard_pp_has(i, UTGARD_PP_BRANCH) && i->branch.discard;
}

static bool ends(const struct utgard_pp_insn *i)
{
    return i->stop || discards(i);
}

/* Nothing goes on to the instruction behind. */
static bool leaves(const struct utgard_pp_insn *i)
{
    return ends(i) || (branches(i) && i->branch.condition == UTGARD_PP_IF_ALWAYS);
}

/* ---- instructions ---- */

/* Instructions one after the other, until one that leaves, beyond which no branch goes. */
static int take_insns(struct utgard_pp_program *p, const uint32_t *words, uint32_t count,
                      struct util_error *error)
{
    uint32_t at = 0, room = 0;
    int64_t furthest = 0;
    for (;;) {
        struct utgard_pp_insn insn;
        if (at >= UTGARD_PP_MAX_WORDS)
            return util_fail(error, -E2BIG, "a program of more than %u words", UTGARD_PP_MAX_WORDS);
        uint32_t length = utgard_pp_decode(words, count, at, &insn);
        if (!length)
            return util_fail(error, -EBADMSG,
                             "word %u is no instruction, or goes beyond the program's memory", at);
        if (p->insn_count == room) {
            room = room ? room * 2 : 64;
            struct utgard_pp_insn *grown = realloc(p->insns, room * sizeof *grown);
            if (!grown)
                return util_fail(error, -ENOMEM, "out of memory");
            p->insns = grown;
        }
        p->insns[p->insn_count++] = insn;
        if (branches(&insn))
            furthest = UTIL_MAX(furthest, (int64_t)at + insn.branch.target);
        at += length;
        if (leaves(&insn) && furthest < at)
            break;
    }
    p->word_count = at;
    return 0;
}

/* Number of the instruction at a word, or UTGARD_PP_NO_BLOCK. */
static uint32_t insn_at(const struct utgard_pp_program *p, int64_t word)
{
    uint32_t low = 0, high = p->insn_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (p->insns[middle].at < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->insn_count && p->insns[low].at == word ? low : UTGARD_PP_NO_BLOCK;
}

/* ---- what it touches ---- */

static void note_varying(struct utgard_pp_program *p, const struct utgard_pp_insn *i)
{
    uint8_t type = i->varying.type, perspective = i->varying.perspective;
    bool plane = type == UTGARD_PP_VARYING_PLANE || (type == UTGARD_PP_VARYING_CUBE && perspective == 0);
    p->fragcoord |= type == UTGARD_PP_VARYING_CUBE && perspective == 3;
    p->pointcoord |= type == UTGARD_PP_VARYING_POINT && perspective == 0;
    p->frontface |= type == UTGARD_PP_VARYING_POINT && perspective != 0;
    if (plane && i->varying.vector != 15)
        p->indexed_varyings = true;
    else if (plane) {
        uint32_t size = utgard_pp_width(i->varying.align);
        uint32_t first = i->varying.index * size;
        for (uint32_t n = first; n < first + size && n < 64; n++)
            p->varyings |= 1ull << n;
    }
}

static int note_sample(struct utgard_pp_program *p, uint32_t n)
{
    const struct utgard_pp_insn *i = &p->insns[n];
    struct utgard_pp_sample *grown = realloc(p->samples, (p->sample_count + 1) * sizeof *grown);
    if (!grown)
        return -ENOMEM;
    p->samples = grown;
    p->samples[p->sample_count++] =
        (struct utgard_pp_sample){.insn = n,
                                  .sampler = i->sampler.index,
                                  .indexed = i->sampler.has_offset,
                                  .cube = i->sampler.type == UTGARD_PP_SAMPLER_CUBE,
                                  .has_lod = i->sampler.has_lod,
                                  .explicit_lod = i->sampler.explicit_lod};
    p->indexed_samplers |= i->sampler.has_offset;
    return 0;
}

/* Vec4s of temporaries that an instruction may reach: all of them where that is not known, or a fault. */
static void note_temporaries(struct utgard_pp_program *p, uint16_t index, bool has_offset, uint8_t align)
{
    int32_t size = (int32_t)utgard_pp_width(align);
    int32_t first = (int16_t)index * size + UTGARD_PP_TEMPORARIES / 2 * 4;
    bool known = !has_offset && first >= 0 && first < UTGARD_PP_TEMPORARIES * 4;
    uint32_t from = known ? (uint32_t)first / 4 : 0, to = known ? from + 1 : UTGARD_PP_TEMPORARIES;
    p->temporary_from = p->temporaries ? UTIL_MIN(p->temporary_from, from) : from;
    p->temporary_to = p->temporaries ? UTIL_MAX(p->temporary_to, to) : to;
    p->temporaries = true;
}

static void note_load(struct utgard_pp_program *p, const struct utgard_pp_insn *i)
{
    if (i->load.source != UTGARD_PP_SOURCE_UNIFORM)
        note_temporaries(p, i->load.index, i->load.has_offset, i->load.align);
    else if (i->load.has_offset)
        p->indexed_uniforms = true;
    else
        p->uniforms = UTIL_MAX(p->uniforms, (i->load.index + 1u) * utgard_pp_width(i->load.align));
}

static int note_fields(struct utgard_pp_program *p)
{
    for (uint32_t n = 0; n < p->insn_count; n++) {
        const struct utgard_pp_insn *i = &p->insns[n];
        bool vector = utgard_pp_has(i, UTGARD_PP_VADD), scalar = utgard_pp_has(i, UTGARD_PP_SADD);
        if (utgard_pp_has(i, UTGARD_PP_VARYING))
            note_varying(p, i);
        if (utgard_pp_has(i, UTGARD_PP_SAMPLER) && note_sample(p, n))
            return -ENOMEM;
        if (utgard_pp_has(i, UTGARD_PP_LOAD))
            note_load(p, i);
        p->derivatives |= (vector && (i->vadd.op | 1) == UTGARD_PP_ADD_DFDY) ||
                          (scalar && (i->sadd.op | 1) == UTGARD_PP_ADD_DFDY);
        if (utgard_pp_has(i, UTGARD_PP_STORE)) {
            if (!i->store.frame_buffer)
                note_temporaries(p, i->store.index, i->store.has_offset, i->store.align);
            p->reads_color |= i->store.frame_buffer && i->store.fb_source;
            p->reads_depth |= i->store.frame_buffer && !i->store.fb_source;
        }
        p->discards |= discards(i);
    }
    return 0;
}

/* ---- blocks ---- */

static int find_blocks(struct utgard_pp_program *p, struct util_error *error)
{
    uint32_t *block_at = calloc((size_t)p->insn_count + 1, sizeof *block_at);
    int status = block_at ? 0 : -ENOMEM;
    if (!status)
        block_at[0] = 1;
    for (uint32_t n = 0; !status && n < p->insn_count; n++) {
        const struct utgard_pp_insn *i = &p->insns[n];
        if (branches(i)) {
            uint32_t target = insn_at(p, (int64_t)i->at + i->branch.target);
            if (target == UTGARD_PP_NO_BLOCK)
                status = util_fail(error, -EBADMSG,
                                   "the branch at word %u goes to word %lld, where no instruction is", i->at,
                                   (long long)i->at + i->branch.target);
            else
                block_at[target] = 1, p->repeats |= target <= n;
        }
        block_at[n + 1] |= branches(i) || ends(i);
    }
    if (!status) {
        p->block_count = isa_blocks_number(block_at, p->insn_count);
        p->blocks = calloc(p->block_count, sizeof *p->blocks);
        status = p->blocks ? 0 : -ENOMEM;
    }
    for (uint32_t n = 0; !status && n < p->insn_count; n++) {
        struct utgard_pp_block *block = &p->blocks[block_at[n]];
        const struct utgard_pp_insn *last = &p->insns[n];
        if (!block->count++)
            block->first = n;
        block->ends = ends(last);
        block->target = branches(last) ? block_at[insn_at(p, (int64_t)last->at + last->branch.target)]
                                       : UTGARD_PP_NO_BLOCK;
    }
    free(block_at);
    return status;
}

int utgard_pp_program_create(const uint32_t *words, uint32_t count, struct utgard_pp_program **out,
                             struct util_error *error)
{
    struct utgard_pp_program *p = calloc(1, sizeof *p);
    int status = p ? take_insns(p, words, count, error) : -ENOMEM;
    if (!status)
        status = note_fields(p);
    if (!status)
        status = find_blocks(p, error);
    if (status) {
        utgard_pp_program_destroy(p);
        return status == -ENOMEM ? util_fail(error, -ENOMEM, "out of memory") : status;
    }
    p->hash = XXH3_64bits(words, p->word_count * sizeof *words);
    *out = p;
    return 0;
}

void utgard_pp_program_destroy(struct utgard_pp_program *program)
{
    if (!program)
        return;
    free(program->insns);
    free(program->blocks);
    free(program->samples);
    free(program);
}
