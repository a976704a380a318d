/* Where a program touches the tile buffer: what must be known before its blocks can be compiled. */
#include "gpu/vc4/frag_internal.h"
#include "isa/vc4_qpu/trans.h"

#define TRACE_STEPS 8
#define QUADS_MIN   32 /* instructions: fewer take less time than putting quads together */

/* One write of an instruction, the add unit's or the mul unit's. */
struct write {
    bool happens, always, file_b;
    uint8_t waddr, cond;
};

static struct write write_of(const struct vc4_qpu_insn *insn, bool mul)
{
    struct write w = {.waddr = mul ? insn->waddr_mul : insn->waddr_add, .file_b = insn->ws != mul};

    if (insn->kind == VC4_QPU_BRANCH) {
        w.cond = VC4_QPU_COND_ALWAYS;
    } else {
        w.cond = mul ? insn->cond_mul : insn->cond_add;
    }
    w.happens = vc4_qpu_unit_writes(insn, mul);
    w.always = w.cond == VC4_QPU_COND_ALWAYS;
    return w;
}

static bool writes(const struct vc4_qpu_insn *insn, bool mul, unsigned waddr)
{
    struct write w = write_of(insn, mul);

    return w.happens && w.waddr == waddr;
}

static bool writes_either(const struct vc4_qpu_insn *insn, unsigned waddr)
{
    return writes(insn, false, waddr) || writes(insn, true, waddr);
}

static bool writes_color(const struct vc4_qpu_insn *insn)
{
    return writes_either(insn, VC4_QPU_W_TLB_COLOR_MS) || writes_either(insn, VC4_QPU_W_TLB_COLOR_ALL);
}

/* Accesses that step through the samples of a pixel; of RGBA16F every one does, word after word. */
static bool counts_words(const struct vc4_qpu_insn *insn)
{
    return writes_color(insn) || insn->sig == VC4_QPU_SIG_COLOR_LOAD ||
           insn->sig == VC4_QPU_SIG_COLOR_LOAD_END;
}

static bool counts_samples(const struct vc4_qpu_insn *insn)
{
    return writes_either(insn, VC4_QPU_W_TLB_COLOR_MS) || insn->sig == VC4_QPU_SIG_COLOR_LOAD ||
           insn->sig == VC4_QPU_SIG_COLOR_LOAD_END;
}

static bool writes_z(const struct vc4_qpu_insn *insn)
{
    return writes_either(insn, VC4_QPU_W_TLB_Z);
}

static bool writes_stencil(const struct vc4_qpu_insn *insn)
{
    return writes_either(insn, VC4_QPU_W_TLB_STENCIL);
}

/* What is interpreted: the VG mask. */
static bool touches_mask(const struct vc4_qpu_insn *insn)
{
    return insn->sig == VC4_QPU_SIG_ALPHA_MASK_LOAD || writes_either(insn, VC4_QPU_W_TLB_ALPHA_MASK);
}

/* The only block that holds instructions of a kind: its number, -1 when no block does, -2 when several do. */
static int only_block(const struct vc4_qpu_program *program, bool (*is)(const struct vc4_qpu_insn *))
{
    int found = -1;

    for (uint32_t k = 0; k < program->block_count; k++) {
        const struct vc4_qpu_block *block = &program->blocks[k];

        for (uint32_t i = block->first; i < block->first + block->count; i++)
            if (is(&program->insns[i])) {
                if (found != -1 && found != (int)k)
                    return -2;
                found = (int)k;
            }
    }
    return found;
}

/* Whether a backward branch spans the block. */
static bool in_loop(const struct vc4_qpu_program *program, int number)
{
    uint32_t at = program->blocks[number].first;

    for (uint32_t k = 0; k < program->block_count; k++) {
        uint32_t target = program->blocks[k].successor[1];

        if (target < program->block_count && program->blocks[target].first <= at &&
            at <= program->blocks[k].first)
            return true;
    }
    return false;
}

/* Whether every uniform is read at a known place of the stream, but for resets of the stream: theirs may
 * stand at several, and each of those holds the stream's address. */
static bool uniforms_known(const struct vc4_qpu_program *program)
{
    for (uint32_t k = 0; k < program->block_count; k++) {
        const struct vc4_qpu_block *block = &program->blocks[k];

        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            const struct vc4_qpu_insn *insn = &program->insns[i];
            bool reads = insn->raddr_a == VC4_QPU_R_UNIFORM ||
                         (insn->raddr_b == VC4_QPU_R_UNIFORM && insn->sig != VC4_QPU_SIG_SMALL_IMM);

            if (insn->kind == VC4_QPU_ALU && reads && program->uniform_at[i] == VC4_QPU_NO_OFFSET &&
                !writes_either(insn, VC4_QPU_W_UNIFORMS_ADDRESS))
                return false;
        }
    }
    return true;
}

/* ---- stencil set-up words ---- */

struct trace {
    const struct vc4_qpu_program *program;
    uint32_t block_first;
    unsigned steps;
};

static bool trace_write(struct trace *t, uint32_t at, bool mul, bool *literal, uint32_t *value);

/* The register's last writer before instruction `at`, in the same block. */
static bool trace_register(struct trace *t, uint32_t at, bool file_b, unsigned reg, bool *literal,
                           uint32_t *value)
{
    while (at-- > t->block_first) {
        const struct vc4_qpu_insn *insn = &t->program->insns[at];

        for (int mul = 1; mul >= 0; mul--) { /* the mul unit's write comes last */
            struct write w = write_of(insn, mul);

            if (w.happens && w.waddr == reg && (reg >= VC4_QPU_W_ACC0 || w.file_b == file_b))
                return w.always && trace_write(t, at, mul, literal, value);
        }
    }
    return false;
}

static bool trace_operand(struct trace *t, uint32_t at, unsigned mux, bool *literal, uint32_t *value)
{
    const struct vc4_qpu_insn *insn = &t->program->insns[at];
    unsigned reg = mux == VC4_QPU_MUX_A ? insn->raddr_a : insn->raddr_b;

    if (mux <= VC4_QPU_MUX_R3)
        return trace_register(t, at, false, VC4_QPU_W_ACC0 + mux, literal, value);
    if (mux < VC4_QPU_MUX_A)
        return false;
    if (mux == VC4_QPU_MUX_B && insn->sig == VC4_QPU_SIG_SMALL_IMM) {
        *literal = true;
        *value = vc4_qpu_small_imm(insn->raddr_b);
        return insn->raddr_b < 48;
    }
    if (reg == VC4_QPU_R_UNIFORM) {
        *literal = false;
        *value = t->program->uniform_at[at];
        return *value < t->program->uniform_count;
    }
    return reg < 32 && trace_register(t, at, mux == VC4_QPU_MUX_B, reg, literal, value);
}

/* Follows moves from a write back to a uniform or a literal. */
static bool trace_write(struct trace *t, uint32_t at, bool mul, bool *literal, uint32_t *value)
{
    const struct vc4_qpu_insn *insn = &t->program->insns[at];
    unsigned a = mul ? insn->mul_a : insn->add_a, b = mul ? insn->mul_b : insn->add_b;
    bool move;

    if (!t->steps-- || insn->pack || insn->unpack)
        return false;
    if (insn->kind == VC4_QPU_LOAD_IMM32) {
        *literal = true;
        *value = insn->imm;
        return true;
    }
    if (insn->kind != VC4_QPU_ALU || (insn->sig == VC4_QPU_SIG_SMALL_IMM && insn->raddr_b >= 48))
        return false;
    move = mul ? insn->op_mul == VC4_QPU_M_V8MIN || insn->op_mul == VC4_QPU_M_V8MAX
               : insn->op_add == VC4_QPU_A_OR || insn->op_add == VC4_QPU_A_AND ||
                     insn->op_add == VC4_QPU_A_MIN || insn->op_add == VC4_QPU_A_MAX;
    return move && a == b && trace_operand(t, at, a, literal, value);
}

/* The stencil writes must stand before the first Z write of its block, so that one configuration serves. */
static bool plan_stencil(const struct vc4_qpu_program *program, int z_block, struct vc4_frag_plan *out)
{
    const struct vc4_qpu_block *block = &program->blocks[z_block];
    bool tested = false;

    for (uint32_t i = block->first; i < block->first + block->count; i++)
        for (unsigned mul = 0; mul < 2; mul++) {
            const struct vc4_qpu_insn *insn = &program->insns[i];
            struct write w = write_of(insn, mul);
            struct trace trace = {program, block->first, TRACE_STEPS};

            tested |= w.happens && w.waddr == VC4_QPU_W_TLB_Z;
            if (!w.happens || w.waddr != VC4_QPU_W_TLB_STENCIL)
                continue;
            if (tested || !w.always || out->stencil_count == VC4_FRAG_STENCIL_WORDS)
                return false;
            if (!trace_write(&trace, i, mul, &out->stencil[out->stencil_count].literal,
                             &out->stencil[out->stencil_count].value))
                return false;
            out->stencil_count++;
        }
    return true;
}

/* ---- early test ---- */

/* Whether every colour write follows the first Z write in its block and touches only lanes which that write
 * has tested: it was unconditional, or both stand under one condition and the flags between them stay. */
static bool plan_early(const struct vc4_qpu_program *program, int z_block)
{
    const struct vc4_qpu_block *block = &program->blocks[z_block];
    unsigned tested = VC4_QPU_COND_NEVER;
    bool flags_stay = true;
    int color_block = only_block(program, writes_color);

    if (!program->z_is_payload || (color_block != -1 && color_block != z_block))
        return false;
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        const struct vc4_qpu_insn *insn = &program->insns[i];

        for (unsigned mul = 0; mul < 2; mul++) {
            struct write w = write_of(insn, mul);

            if (!w.happens)
                continue;
            if (w.waddr == VC4_QPU_W_TLB_Z && tested == VC4_QPU_COND_NEVER)
                tested = w.cond;
            if (w.waddr != VC4_QPU_W_TLB_COLOR_MS && w.waddr != VC4_QPU_W_TLB_COLOR_ALL)
                continue;
            if (tested != VC4_QPU_COND_ALWAYS && !(tested == w.cond && flags_stay))
                return false;
        }
        flags_stay &= !(insn->sf && tested != VC4_QPU_COND_NEVER);
    }
    return true;
}

/* ---- opaque programs ---- */

/* What an instruction takes from the tile, or from the lanes that are live in it. */
static bool sees_tile(const struct vc4_qpu_insn *insn)
{
    return insn->sig == VC4_QPU_SIG_COLOR_LOAD || insn->sig == VC4_QPU_SIG_COLOR_LOAD_END ||
           insn->sig == VC4_QPU_SIG_COVERAGE_LOAD || insn->sig == VC4_QPU_SIG_ALPHA_MASK_LOAD ||
           (insn->kind == VC4_QPU_ALU && insn->raddr_a == VC4_QPU_R_MS_REV) ||
           writes_either(insn, VC4_QPU_W_MS_REV);
}

/* What an instruction takes from lanes of other quads, or from its lane's number. */
static bool sees_lanes(const struct vc4_qpu_insn *insn)
{
    return (insn->kind == VC4_QPU_ALU &&
            (insn->raddr_a == VC4_QPU_R_ELEMENT_QPU ||
             (insn->sig == VC4_QPU_SIG_SMALL_IMM && insn->raddr_b >= 48))) || /* a rotation */
           writes_either(insn, VC4_QPU_W_ACC5);                               /* replicates */
}

/* A raw lookup may end in a fault. */
static bool looks_up_words(const struct vc4_qpu_program *program)
{
    for (uint32_t i = 0; i < program->sample_count; i++)
        if (program->samples[i].direct)
            return true;
    return false;
}

/* Whether every path goes through the block: all end there. */
static bool is_only_end(const struct vc4_qpu_program *program, int number)
{
    for (int k = 0; k < (int)program->block_count; k++) {
        const struct vc4_qpu_block *block = &program->blocks[k];
        bool ends = block->successor[0] == VC4_QPU_NO_OFFSET && block->successor[1] == VC4_QPU_NO_OFFSET;

        if (ends != (k == number))
            return false;
    }
    return true;
}

/* In a tile of one sample. The early test stands for all of the program's when there is one write of Z, for
 * all lanes; an unconditional colour on every path reaches all lanes that passed it. */
static void plan_opaque(const struct vc4_qpu_program *program, unsigned words, struct vc4_frag_plan *out)
{
    int z_block = only_block(program, writes_z), color_block = only_block(program, writes_color);
    unsigned z_writes = 0, writes = 0, always = 0; /* always: bit n, word n of the colour */
    bool alone = vc4_qpu_is_straight(program);

    if (program->repeats || looks_up_words(program) || (z_block != -1 && !is_only_end(program, z_block)) ||
        (color_block != -1 && !is_only_end(program, color_block)))
        return;
    for (uint32_t i = 0; i < program->insn_count; i++) {
        const struct vc4_qpu_insn *insn = &program->insns[i];

        if (sees_tile(insn))
            return;
        alone &= !sees_lanes(insn);
        for (unsigned mul = 0; mul < 2; mul++) {
            struct write w = write_of(insn, mul);

            if (w.happens && w.waddr == VC4_QPU_W_TLB_Z) {
                z_writes++;
                if (!w.always)
                    return;
            } else if (w.happens &&
                       (w.waddr == VC4_QPU_W_TLB_COLOR_MS || w.waddr == VC4_QPU_W_TLB_COLOR_ALL)) {
                always |= (unsigned)w.always << writes++ % words;
            }
        }
    }
    out->tests = z_block != -1;
    out->colors = color_block != -1;
    out->opaque =
        z_writes <= 1 && (!out->tests || out->early) && (!out->colors || always == (1u << words) - 1);
    out->quads =
        out->opaque && words == 1 && alone && (program->sample_count || program->insn_count >= QUADS_MIN);
}

void vc4_frag_plan_make(const struct vc4_qpu_program *program, unsigned samples, unsigned words,
                        struct vc4_frag_plan *out)
{
    int z_block, count_block;

    *out = (struct vc4_frag_plan){.compiles = false};
    if (only_block(program, touches_mask) != -1 || (program->reads_coverage && samples > 1) ||
        program->dynamic_uniforms || program->computed_branches || !uniforms_known(program))
        return;
    z_block = only_block(program, writes_z);
    count_block = only_block(program, words > 1 ? counts_words : counts_samples);
    if (samples * words > 1 && (count_block == -2 || (count_block >= 0 && in_loop(program, count_block))))
        return;
    if (z_block >= 0) {
        int stencil_block = only_block(program, writes_stencil);

        if (stencil_block != -1 && stencil_block != z_block)
            return;
        if (stencil_block == z_block && (in_loop(program, z_block) || !plan_stencil(program, z_block, out)))
            return;
        /* reading coverage changes what an early test has seen */
        out->early = !program->reads_coverage && !in_loop(program, z_block) && plan_early(program, z_block);
    } else if (z_block == -2 && program->writes_stencil) {
        return;
    }
    out->compiles = true;
    if (samples == 1)
        plan_opaque(program, words, out);
}

void vc4_frag_stencil_word(struct raster_stencil face[2], uint32_t word)
{
    static const uint8_t masks[4] = {0x1, 0x3, 0xf, 0xff};
    unsigned select = word >> 30;
    struct raster_stencil config = {.enable = true,
                                    .func = word >> 16 & 7,
                                    .fail = word >> 19 & 7,
                                    .zpass = word >> 22 & 7,
                                    .zfail = word >> 25 & 7,
                                    .ref = word >> 8 & 255,
                                    .func_mask = word & 255,
                                    .write_mask = masks[word >> 28 & 3]};

    if (!select) {
        face[0].write_mask = word & 255;
        face[1].write_mask = word >> 8 & 255;
    }
    if (select & 1)
        face[0] = config;
    if (select & 2)
        face[1] = config;
}

void vc4_frag_plan_test(const struct vc4_frag_plan *plan, const uint32_t *uniforms,
                        const struct vc4_frag_config *config, struct raster_zs *out)
{
    *out = (struct raster_zs){.depth_write = config->z_updates, .depth_func = config->depth_func};
    for (uint32_t i = 0; i < plan->stencil_count; i++) {
        uint32_t value = plan->stencil[i].value;

        vc4_frag_stencil_word(out->face, plan->stencil[i].literal ? value : uniforms[value]);
    }
}
