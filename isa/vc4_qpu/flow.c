/* Where in the uniform stream each read stands, which uniforms configure each texture request, and whether Z
 * goes through unchanged. One forward data-flow problem: the set of positions possible at each block's entry.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isa/vc4_qpu/program_internal.h"
#include "util/bits.h"

/* Positions in the stream that paths can arrive with, ascending; beyond the limit: any. */
#define MAX_POSITIONS 128
struct positions {
    uint32_t at[MAX_POSITIONS];
    uint8_t count, growths; /* growths: times that a backward branch has added to the set */
    bool any;
};

static bool positions_any(struct positions *set)
{
    bool changed = !set->any;
    set->any = true;
    set->count = 0;
    return changed;
}

static bool positions_add(struct positions *set, uint32_t at)
{
    unsigned i = set->count;
    if (set->any)
        return false;
    while (i > 0 && set->at[i - 1] > at)
        i--;
    if (i > 0 && set->at[i - 1] == at)
        return false;
    if (set->count == MAX_POSITIONS)
        return positions_any(set);
    memmove(&set->at[i + 1], &set->at[i], (set->count - i) * sizeof *set->at);
    set->at[i] = at;
    set->count++;
    return true;
}

/* The one position, or VC4_QPU_NO_OFFSET. */
static uint32_t position_of(const struct positions *set)
{
    return !set->any && set->count == 1 ? set->at[0] : VC4_QPU_NO_OFFSET;
}

/* What a register is known to hold in all lanes within a block. */
enum { UNKNOWN, IMMEDIATE, Z_PAYLOAD };
struct value {
    uint8_t what;
    uint32_t imm;
};
enum { FILE_A = 0, FILE_B = 32, ACCUMULATORS = 64, PLACES = 68, NOWHERE = PLACES };
enum { RB15 = FILE_B + 15 };

/* A texture set-up in the making. */
struct setup {
    uint8_t count;
    bool has[4]; /* S T R B */
    uint32_t param[4];
};

/* The walk over one block. `at` counts uniforms from the entry position, or from the stream's start after a
 * reset. */
struct walk {
    struct vc4_qpu_program *program;
    struct util_error *error;
    const struct positions *entry;
    struct value values[PLACES];
    struct setup setup[2];
    uint32_t at;
    bool after_reset, lost; /* positions are known again, or known no longer */
    bool record;            /* the last walk: entries are final, results are written */
    bool taken;             /* this instruction has taken a word: `first` is its position */
    uint32_t first;
};

/* What a block does to a known position: adds `at`, or after a reset makes it `at`. */
struct effect {
    uint32_t at;
    bool reset, lost;
};

struct flow {
    struct vc4_qpu_program *program;
    struct util_error *error;
    struct positions *entry; /* per block */
    struct effect *effects;  /* per block */
    bool *queued;
    uint32_t *queue, head, length;
    uint32_t *sample_of; /* per instruction and unit: the number of its S write's sample */
    uint8_t *placed;     /* per instruction: a walk has given its uniform a position */
    uint32_t *resets;    /* words at which a reset may take its base; one may stand several times */
    size_t reset_count, reset_capacity;
    bool rb15_written;
};

static uint32_t here(const struct walk *w)
{
    if (w->lost)
        return VC4_QPU_NO_OFFSET;
    if (w->after_reset)
        return w->at;
    uint32_t entry = position_of(w->entry);
    return entry == VC4_QPU_NO_OFFSET ? entry : entry + w->at;
}

static unsigned place_written(const struct vc4_qpu_write *write)
{
    if (write->waddr < 32)
        return (write->file_b ? FILE_B : FILE_A) + write->waddr;
    if (write->waddr <= VC4_QPU_W_ACC3)
        return ACCUMULATORS + write->waddr - VC4_QPU_W_ACC0;
    return NOWHERE;
}

static unsigned place_read(const struct vc4_qpu_insn *insn, unsigned mux)
{
    if (mux <= VC4_QPU_MUX_R3)
        return ACCUMULATORS + mux;
    if (mux == VC4_QPU_MUX_A && insn->raddr_a < 32 && (insn->pm || insn->unpack == 0))
        return FILE_A + insn->raddr_a;
    if (mux == VC4_QPU_MUX_B && insn->raddr_b < 32 && insn->sig != VC4_QPU_SIG_SMALL_IMM)
        return FILE_B + insn->raddr_b;
    return NOWHERE;
}

static struct value value_read(const struct walk *w, const struct vc4_qpu_insn *insn, unsigned mux)
{
    unsigned place = place_read(insn, mux);
    return place == NOWHERE ? (struct value){UNKNOWN, 0} : w->values[place];
}

/* Operations that return an operand unchanged when both operands are the same. */
static bool add_is_move(const struct vc4_qpu_insn *insn)
{
    static const bool passes[32] = {[VC4_QPU_A_OR] = true,  [VC4_QPU_A_AND] = true,  [VC4_QPU_A_MIN] = true,
                                    [VC4_QPU_A_MAX] = true, [VC4_QPU_A_FMIN] = true, [VC4_QPU_A_FMAX] = true};
    return passes[insn->op_add] && insn->add_a == insn->add_b;
}

static bool mul_is_move(const struct vc4_qpu_insn *insn)
{
    bool rotates = insn->sig == VC4_QPU_SIG_SMALL_IMM && insn->raddr_b >= 48;
    return (insn->op_mul == VC4_QPU_M_V8MIN || insn->op_mul == VC4_QPU_M_V8MAX) &&
           insn->mul_a == insn->mul_b && !rotates;
}

/* What a write puts down, when that is known. */
static struct value value_written(const struct walk *w, const struct vc4_qpu_insn *insn, unsigned mul,
                                  const struct vc4_qpu_write *write)
{
    bool packs = insn->pack && (insn->pm ? mul : !write->file_b && write->waddr < 32);
    if (packs || insn->kind == VC4_QPU_BRANCH)
        return (struct value){UNKNOWN, 0};
    if (insn->kind == VC4_QPU_LOAD_IMM32 && insn->unpack == 0)
        return (struct value){IMMEDIATE, insn->imm};
    if (insn->kind == VC4_QPU_ALU && (mul ? mul_is_move(insn) : add_is_move(insn)))
        return value_read(w, insn, mul ? insn->mul_a : insn->add_a);
    return (struct value){UNKNOWN, 0};
}

static bool mux_is_uniform(const struct vc4_qpu_insn *insn, unsigned mux)
{
    if (mux == VC4_QPU_MUX_A)
        return insn->raddr_a == VC4_QPU_R_UNIFORM && (insn->pm || insn->unpack == 0);
    return mux == VC4_QPU_MUX_B && insn->raddr_b == VC4_QPU_R_UNIFORM && insn->sig != VC4_QPU_SIG_SMALL_IMM;
}

/* `add unif_addr, <immediate>, unif`: the offset in bytes from the stream's start. */
static bool reset_offset(const struct walk *w, const struct vc4_qpu_insn *insn, unsigned mul,
                         const struct vc4_qpu_write *write, uint32_t *offset)
{
    if (mul || write->file_b || !write->always || insn->kind != VC4_QPU_ALU || insn->op_add != VC4_QPU_A_ADD)
        return false;
    struct value v = {UNKNOWN, 0};
    if (mux_is_uniform(insn, insn->add_b))
        v = value_read(w, insn, insn->add_a);
    else if (mux_is_uniform(insn, insn->add_a))
        v = value_read(w, insn, insn->add_b);
    *offset = v.imm;
    return v.what == IMMEDIATE && v.imm % 4 == 0 && v.imm / 4 <= VC4_QPU_MAX_INSNS * 4;
}

/* One word of the stream is taken. */
static uint32_t take_uniform(struct walk *w)
{
    uint32_t at = here(w);
    struct vc4_qpu_program *p = w->program;
    if (!w->taken)
        w->first = at;
    w->taken = true;
    w->at++;
    if (!w->record || w->lost)
        return at;
    uint32_t last = w->at;
    if (!w->after_reset) {
        const struct positions *entry = w->entry;
        last = entry->count ? entry->at[entry->count - 1] + w->at : 0;
    }
    p->uniform_count = UTIL_MAX(p->uniform_count, last);
    return at;
}

static int note_reset(struct flow *f, uint32_t at)
{
    if (f->reset_count == f->reset_capacity) {
        size_t capacity = f->reset_capacity ? f->reset_capacity * 2 : 16;
        uint32_t *grown = realloc(f->resets, capacity * sizeof *grown);
        if (!grown)
            return util_fail(f->error, -ENOMEM, "out of memory");
        f->resets = grown;
        f->reset_capacity = capacity;
    }
    f->resets[f->reset_count++] = at;
    return 0;
}

static int write_uniforms_address(struct flow *f, struct walk *w, const struct vc4_qpu_insn *insn,
                                  unsigned mul, const struct vc4_qpu_write *write)
{
    uint32_t offset = 0;
    bool placed = w->after_reset || !w->entry->any;
    bool known = reset_offset(w, insn, mul, write, &offset) && !w->lost && placed;
    int err = 0;
    if (w->record) {
        w->program->dynamic_uniforms |= !known;
        if (known && w->after_reset)
            err = note_reset(f, w->at - 1);
        for (unsigned i = 0; !err && known && !w->after_reset && i < w->entry->count; i++)
            err = note_reset(f, w->entry->at[i] + w->at - 1);
    }
    w->lost = !known;
    w->after_reset = known;
    w->at = offset / 4;
    return err;
}

/* The S write fires the request that the set-up describes. */
static int finish_sample(struct flow *f, struct walk *w, uint32_t pc, unsigned mul, unsigned unit)
{
    struct setup *setup = &w->setup[unit];
    uint32_t number = f->sample_of[2 * pc + mul];
    struct vc4_qpu_sample sample = {.insn = pc,
                                    .unit = unit,
                                    .param_count = setup->count,
                                    .direct = setup->count == 0,
                                    .has_t = setup->has[1],
                                    .has_r = setup->has[2],
                                    .has_b = setup->has[3]};
    for (unsigned i = 0; i < 4; i++)
        sample.param[i] = i < setup->count ? setup->param[i] : VC4_QPU_NO_OFFSET;
    *setup = (struct setup){0};
    if (!w->record)
        return 0;
    struct vc4_qpu_sample *out = &w->program->samples[number];
    if (f->placed[pc]) { /* reached by two ways, in a branch's delay slots */
        if (out->param_count != sample.param_count || out->has_t != sample.has_t ||
            out->has_r != sample.has_r || out->has_b != sample.has_b)
            return util_fail(f->error, -EBADMSG, "pc %u: two paths set up the texture request differently",
                             pc);
        for (unsigned i = 0; i < sample.param_count; i++)
            if (out->param[i] != sample.param[i])
                out->param[i] = VC4_QPU_NO_OFFSET;
        return 0;
    }
    *out = sample;
    return 0;
}

static int write_tmu(struct flow *f, struct walk *w, uint32_t pc, unsigned mul, unsigned waddr)
{
    unsigned unit = waddr >= VC4_QPU_W_TMU1_S, reg = waddr & 3;
    struct setup *setup = &w->setup[unit];
    bool direct = reg == 0 && setup->count == 0;
    if (!direct) {
        if (setup->count == 4)
            return util_fail(f->error, -EBADMSG, "pc %u: more than four words set up TMU%u", pc, unit);
        setup->param[setup->count++] = take_uniform(w);
    }
    setup->has[reg] = true;
    return reg == 0 ? finish_sample(f, w, pc, mul, unit) : 0;
}

static int walk_write(struct flow *f, struct walk *w, uint32_t pc, unsigned mul, struct value value)
{
    const struct vc4_qpu_insn *insn = &f->program->insns[pc];
    struct vc4_qpu_write write = vc4_qpu_write_of(insn, mul);
    if (!write.happens)
        return 0;
    unsigned place = place_written(&write);
    if (place != NOWHERE)
        w->values[place] = write.always ? value : (struct value){UNKNOWN, 0};
    if (write.waddr == VC4_QPU_W_TLB_Z && value.what != Z_PAYLOAD && w->record)
        f->program->z_is_payload = false;
    if (write.waddr == VC4_QPU_W_UNIFORMS_ADDRESS)
        return write_uniforms_address(f, w, insn, mul, &write);
    if (vc4_qpu_is_tmu(write.waddr))
        return write_tmu(f, w, pc, mul, write.waddr);
    return 0;
}

/* Takes the words in order: the read, the add unit's write, the mul unit's. */
static int walk_insn(struct flow *f, struct walk *w, uint32_t pc)
{
    struct vc4_qpu_program *p = f->program;
    const struct vc4_qpu_insn *insn = &p->insns[pc];
    struct value values[2];
    for (unsigned mul = 0; mul < 2; mul++) {
        struct vc4_qpu_write write = vc4_qpu_write_of(insn, mul);
        values[mul] = value_written(w, insn, mul, &write);
    }
    w->taken = false;
    if (vc4_qpu_reads(insn, VC4_QPU_R_UNIFORM))
        take_uniform(w);
    for (unsigned mul = 0; mul < 2; mul++) {
        int err = walk_write(f, w, pc, mul, values[mul]);
        if (err)
            return err;
    }
    if (w->record) {
        bool same = !f->placed[pc] || p->uniform_at[pc] == w->first;
        p->uniform_at[pc] = w->taken && same ? w->first : VC4_QPU_NO_OFFSET;
        f->placed[pc] = true;
    }
    return 0;
}

static int walk_block(struct flow *f, struct walk *w, uint32_t number)
{
    const struct vc4_qpu_block *block = &f->program->blocks[number];
    w->program = f->program;
    w->error = f->error;
    w->entry = &f->entry[number];
    if (!f->rb15_written)
        w->values[RB15].what = Z_PAYLOAD;
    for (uint32_t pc = block->first; pc < block->first + block->count; pc++) {
        int err = walk_insn(f, w, pc);
        if (err)
            return err;
    }
    bool leaves = block->successor[0] != VC4_QPU_NO_OFFSET || block->branch != VC4_QPU_NO_OFFSET;
    if (leaves && (w->setup[0].count || w->setup[1].count))
        return util_fail(f->error, -EBADMSG, "pc %u: a texture set-up is open where control joins or parts",
                         block->first + block->count - 1);
    return 0;
}

/* Adds what leaves block `from` to the entry of block `to`; whether that is new. A loop that takes uniforms
 * and never moves the stream back would grow its set step by step up to the limit: a few steps are enough to
 * tell. */
static bool merge(struct flow *f, uint32_t from, uint32_t to)
{
    const struct effect *effect = &f->effects[from];
    struct positions in = f->entry[from], *out = &f->entry[to]; /* a copy: a block may follow itself */
    bool changed = false;
    if (effect->lost || in.any)
        return positions_any(out);
    if (effect->reset)
        return positions_add(out, effect->at);
    for (unsigned i = 0; i < in.count; i++)
        changed |= positions_add(out, in.at[i] + effect->at);
    if (changed && to <= from && ++out->growths == 16)
        positions_any(out);
    return changed;
}

static void enqueue(struct flow *f, uint32_t number)
{
    if (f->queued[number])
        return;
    f->queued[number] = true;
    f->queue[(f->head + f->length++) % f->program->block_count] = number;
}

static int find_effects(struct flow *f)
{
    for (uint32_t i = 0; i < f->program->block_count; i++) {
        struct walk w = {0};
        int err = walk_block(f, &w, i);
        if (err)
            return err;
        f->effects[i] = (struct effect){w.at, w.after_reset, w.lost};
    }
    return 0;
}

/* Until nothing changes: sets only grow, and are bounded. */
static void solve(struct flow *f)
{
    struct vc4_qpu_program *p = f->program;
    for (uint32_t i = 0; i < p->block_count; i++)
        f->entry[i].any = p->computed_branches;
    if (!p->computed_branches)
        positions_add(&f->entry[0], 0);
    enqueue(f, 0);
    while (f->length) {
        uint32_t number = f->queue[f->head];
        f->head = (f->head + 1) % p->block_count;
        f->length--;
        f->queued[number] = false;
        for (unsigned k = 0; k < 2; k++) {
            uint32_t to = p->blocks[number].successor[k];
            if (to != VC4_QPU_NO_OFFSET && merge(f, number, to))
                enqueue(f, to);
        }
    }
}

static int record(struct flow *f)
{
    struct vc4_qpu_program *p = f->program;
    p->z_is_payload = p->writes_z;
    for (uint32_t i = 0; i < p->block_count; i++) {
        struct walk w = {.record = true};
        p->blocks[i].uniform_at_entry = position_of(&f->entry[i]);
        int err = walk_block(f, &w, i);
        if (err)
            return err;
    }
    return 0;
}

static bool writes_rb15(const struct vc4_qpu_insn *insn)
{
    for (unsigned mul = 0; mul < 2; mul++) {
        struct vc4_qpu_write w = vc4_qpu_write_of(insn, mul);
        if (w.happens && w.file_b && w.waddr == 15)
            return true;
    }
    return false;
}

/* Numbers the requests by the order of their S writes in the program. */
static int number_samples(struct flow *f)
{
    struct vc4_qpu_program *p = f->program;
    bool *seen = calloc(p->insn_count, sizeof *seen);
    if (!seen)
        return util_fail(f->error, -ENOMEM, "out of memory");
    for (uint32_t i = 0; i < p->block_count; i++)
        memset(seen + p->blocks[i].first, true, p->blocks[i].count);
    for (uint32_t pc = 0; pc < p->insn_count; pc++) {
        f->rb15_written |= seen[pc] && writes_rb15(&p->insns[pc]);
        for (unsigned mul = 0; mul < 2; mul++) {
            struct vc4_qpu_write w = vc4_qpu_write_of(&p->insns[pc], mul);
            if (seen[pc] && w.happens && vc4_qpu_is_tmu(w.waddr) && w.waddr % 4 == 0)
                f->sample_of[2 * pc + mul] = p->sample_count++;
        }
    }
    free(seen);
    p->samples = calloc(p->sample_count ? p->sample_count : 1, sizeof *p->samples);
    return p->samples ? 0 : util_fail(f->error, -ENOMEM, "out of memory");
}

static int compare_words(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void keep_resets(struct flow *f)
{
    struct vc4_qpu_program *p = f->program;
    if (f->reset_count)
        qsort(f->resets, f->reset_count, sizeof *f->resets, compare_words);
    for (size_t i = 0; i < f->reset_count; i++)
        if (i == 0 || f->resets[i] != f->resets[i - 1])
            f->resets[p->reset_word_count++] = f->resets[i];
    p->reset_words = f->resets;
    f->resets = NULL;
}

int vc4_qpu_flow(struct vc4_qpu_program *p, struct util_error *error)
{
    struct flow f = {.program = p, .error = error};
    f.entry = calloc(p->block_count, sizeof *f.entry);
    f.effects = calloc(p->block_count, sizeof *f.effects);
    f.queued = calloc(p->block_count, sizeof *f.queued);
    f.queue = calloc(p->block_count, sizeof *f.queue);
    f.sample_of = calloc(p->insn_count, 2 * sizeof *f.sample_of);
    f.placed = calloc(p->insn_count, sizeof *f.placed);
    p->uniform_at = malloc(p->insn_count * sizeof *p->uniform_at);
    int err = 0;
    if (!f.entry || !f.effects || !f.queued || !f.queue || !f.sample_of || !f.placed || !p->uniform_at)
        err = util_fail(error, -ENOMEM, "out of memory");
    if (!err) {
        memset(p->uniform_at, 0xff, p->insn_count * sizeof *p->uniform_at);
        err = number_samples(&f);
    }
    if (!err)
        err = find_effects(&f);
    if (!err) {
        solve(&f);
        err = record(&f);
    }
    if (!err)
        keep_resets(&f);
    free(f.entry);
    free(f.effects);
    free(f.queued);
    free(f.queue);
    free(f.sample_of);
    free(f.placed);
    free(f.resets);
    return err;
}
