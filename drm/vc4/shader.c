/* Checking a shader once, when its buffer is made; it can never be written again. There is no MMU, so a
 * program may reach memory only through the uniform stream and through texture units whose set-up words the
 * submission relocates. The rules are those of the kernel's validator (vc4_validate_shaders.c):
 * - control flow stays inside the program, relative, at constant distances;
 * - a direct texture fetch adds a uniform (the buffer) to a value that max(x, 0) and min(that, uniform) have
 *   confined;
 * - after any point where paths meet, the uniform pointer is set again before a uniform is read. */
#include "drm/vc4/internal.h"

#include <errno.h>
#include <stdlib.h>

#include "isa/vc4_qpu/insn.h"

/* Registers whose contents are followed: file A, file B, r0..r3. */
enum { FILE_A = 0, FILE_B = 32, ACCUMULATORS = 64, LIVE_COUNT = 68, NOT_LIVE = LIVE_COUNT };

struct live {
    bool not_negative;  /* the result of max(x, 0) */
    uint32_t limit_at;  /* limited by the uniform at this offset, by min(not_negative, uniform) */
    uint32_t immediate; /* the value of an unconditional 32-bit load, or VC4_NO_OFFSET */
};

struct walk {
    struct drm *drm;
    const struct vc4_qpu_insn *insn; /* the one looked at */
    const struct vc4_qpu_insn *insns;
    uint32_t ip, count;
    uint8_t *is_target; /* per instruction: paths meet here */
    struct live live[LIVE_COUNT];
    struct drm_vc4_sample pending[2]; /* per texture unit */
    unsigned pending_writes[2];
    uint32_t sample_capacity, address_capacity;
    bool needs_address;          /* no uniform may be read before the pointer is set */
    bool needs_address_for_loop; /* a backward branch wants an address slot somewhere */
    bool upper_registers;
    struct drm_vc4_shader *shader;
};

static int refuse(const struct walk *w, const char *why)
{
    drm_log(w->drm, "vc4: shader refused: instruction %u: %s", w->ip, why);
    return -EINVAL;
}

void drm_vc4_shader_destroy(struct drm_vc4_shader *shader)
{
    if (!shader)
        return;
    if (shader->drm)
        drm_uncharge(shader->drm, DRM_PROGRAM_BYTES, shader->bytes);
    free(shader->samples);
    free(shader->addresses);
    free(shader);
}

/* ---- control flow ---- */

/* Finds where the program ends and where branches go; *count becomes the length with the delay slots of the
 * last program end. */
static int find_branches(struct walk *w)
{
    uint32_t end = w->count, last_branch = 0, furthest = 0;
    bool any_branch = false;
    for (uint32_t ip = 0; ip < end; ip++) {
        const struct vc4_qpu_insn *insn = &w->insns[ip];
        w->ip = ip;
        if (insn->sig == VC4_QPU_SIG_PROGRAM_END) {
            if (end - ip < 3)
                return refuse(w, "program end without its delay slots");
            end = ip + 3;
            continue;
        }
        if (insn->sig != VC4_QPU_SIG_BRANCH)
            continue;
        if (any_branch && ip - last_branch < 4)
            return refuse(w, "branch in the delay slots of another");
        any_branch = true;
        last_branch = ip;
        if (insn->branch_reg)
            return refuse(w, "branch relative to a register");
        if (!insn->branch_rel)
            return refuse(w, "absolute branch");
        if (insn->imm % sizeof(uint64_t))
            return refuse(w, "branch target is not aligned");
        int64_t target = (int64_t)ip + 4 + ((int32_t)insn->imm >> 3);
        if (target < 0 || target >= end || ip + 4 >= end)
            return refuse(w, "branch leaves the program");
        w->is_target[target] = w->is_target[ip + 4] = 1;
        furthest = UTIL_MAX(furthest, UTIL_MAX((uint32_t)target, ip + 4));
    }
    if (furthest + 3 > end)
        return refuse(w, "branch lands behind the program end");
    w->count = end;
    return 0;
}

static void forget(struct walk *w, unsigned first)
{
    for (unsigned i = first; i < LIVE_COUNT; i++)
        w->live[i] = (struct live){false, VC4_NO_OFFSET, VC4_NO_OFFSET};
}

static void reset_sample(struct drm_vc4_sample *sample)
{
    *sample = (struct drm_vc4_sample){false, {VC4_NO_OFFSET, VC4_NO_OFFSET, VC4_NO_OFFSET, VC4_NO_OFFSET}};
}

static int enter_block(struct walk *w)
{
    if (!w->is_target[w->ip])
        return 0;
    if (w->pending_writes[0] || w->pending_writes[1])
        return refuse(w, "branch target inside a texture set-up");
    forget(w, 0);
    reset_sample(&w->pending[0]);
    reset_sample(&w->pending[1]);
    w->needs_address = true;
    return 0;
}

/* ---- operands ---- */

static unsigned live_of_write(unsigned waddr, bool file_b)
{
    if (waddr < 32)
        return (file_b ? FILE_B : FILE_A) + waddr;
    if (waddr <= VC4_QPU_W_ACC3)
        return ACCUMULATORS + waddr - VC4_QPU_W_ACC0;
    return NOT_LIVE;
}

/* What the add unit's first operand reads. */
static unsigned live_of_add_a(const struct vc4_qpu_insn *insn)
{
    unsigned a = insn->raddr_a, b = insn->raddr_b;
    if (insn->add_a == VC4_QPU_MUX_A)
        return a < 32 ? FILE_A + a : NOT_LIVE + 0u;
    if (insn->add_a == VC4_QPU_MUX_B)
        return insn->sig != VC4_QPU_SIG_SMALL_IMM && b < 32 ? FILE_B + b : NOT_LIVE + 0u;
    return insn->add_a <= VC4_QPU_MUX_R3 ? ACCUMULATORS + (unsigned)insn->add_a : NOT_LIVE + 0u;
}

static bool reads_uniform_a(const struct vc4_qpu_insn *insn)
{
    return insn->kind == VC4_QPU_ALU && insn->raddr_a == VC4_QPU_R_UNIFORM;
}

static bool reads_uniform_b(const struct vc4_qpu_insn *insn)
{
    return insn->kind == VC4_QPU_ALU && insn->sig != VC4_QPU_SIG_SMALL_IMM &&
           insn->raddr_b == VC4_QPU_R_UNIFORM;
}

static bool add_b_is_uniform(const struct vc4_qpu_insn *insn)
{
    return (insn->add_b == VC4_QPU_MUX_A && reads_uniform_a(insn)) ||
           (insn->add_b == VC4_QPU_MUX_B && reads_uniform_b(insn));
}

static bool is_integer_add(const struct vc4_qpu_insn *insn, bool is_mul)
{
    return insn->kind == VC4_QPU_ALU && !is_mul && insn->op_add == VC4_QPU_A_ADD;
}

/* ---- writes ---- */

static bool grow(void **array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    uint32_t larger = *capacity ? *capacity * 2 : 8;
    void *moved = realloc(*array, larger * size);
    if (!moved)
        return false;
    *array = moved;
    *capacity = larger;
    return true;
}

static int add_address_slot(struct walk *w)
{
    struct drm_vc4_shader *s = w->shader;
    if (!grow((void **)&s->addresses, s->address_count, &w->address_capacity, sizeof *s->addresses))
        return -ENOMEM;
    s->addresses[s->address_count++] = s->uniform_bytes / 4;
    return 0;
}

/* The uniform pointer may only be moved to the uniform behind the one that holds its own address. */
static int check_address_write(struct walk *w, bool is_mul, bool file_b)
{
    const struct vc4_qpu_insn *insn = w->insn;
    if (file_b)
        return refuse(w, "relative change of the uniform address");
    switch (insn->sig) {
    case VC4_QPU_SIG_NONE:
    case VC4_QPU_SIG_SCOREBOARD_UNLOCK:
    case VC4_QPU_SIG_COLOR_LOAD:
    case VC4_QPU_SIG_LOAD_TMU0:
    case VC4_QPU_SIG_LOAD_TMU1: break;
    default: return refuse(w, "the uniform address must be set by plain arithmetic");
    }
    if (!is_integer_add(insn, is_mul) || insn->cond_add != VC4_QPU_COND_ALWAYS)
        return refuse(w, "the uniform address must be set by an unconditional add");
    if (insn->pack && !insn->pm)
        return refuse(w, "the uniform address is packed");
    unsigned offset = live_of_add_a(insn);
    if (offset == NOT_LIVE || w->live[offset].immediate != w->shader->uniform_bytes + 4)
        return refuse(w, "the uniform address does not continue at the next uniform");
    if (!add_b_is_uniform(insn))
        return refuse(w, "the uniform address is not relative to a uniform");
    w->needs_address = w->needs_address_for_loop = false;
    return add_address_slot(w);
}

static int check_direct_fetch(struct walk *w, struct drm_vc4_sample *sample, bool is_mul)
{
    const struct vc4_qpu_insn *insn = w->insn;
    if (insn->sig == VC4_QPU_SIG_SMALL_IMM || !is_integer_add(insn, is_mul))
        return refuse(w, "a direct texture fetch must add an offset to a uniform");
    unsigned offset = live_of_add_a(insn);
    if (offset == NOT_LIVE || w->live[offset].limit_at == VC4_NO_OFFSET)
        return refuse(w, "the offset of a direct texture fetch is not clamped");
    if (!add_b_is_uniform(insn))
        return refuse(w, "a direct texture fetch has no buffer in a uniform");
    sample->direct = true;
    sample->offset[1] = w->live[offset].limit_at;
    return 0;
}

static int check_texture_write(struct walk *w, unsigned waddr, bool is_mul)
{
    struct drm_vc4_shader *s = w->shader;
    unsigned unit = waddr >= VC4_QPU_W_TMU1_S;
    bool fires = waddr == VC4_QPU_W_TMU0_S || waddr == VC4_QPU_W_TMU1_S;
    bool direct = fires && !w->pending_writes[unit];
    struct drm_vc4_sample *sample = &w->pending[unit];
    if (direct) {
        int r = check_direct_fetch(w, sample, is_mul);
        if (r)
            return r;
    } else if (reads_uniform_a(w->insn) || reads_uniform_b(w->insn)) {
        return refuse(w, "a uniform is read in a texture set-up instruction");
    }
    if (w->pending_writes[unit] >= 4)
        return refuse(w, "too many texture parameters");
    sample->offset[w->pending_writes[unit]++] = s->uniform_bytes;
    if (!direct) { /* the unit itself takes a word of the stream; a direct fetch reads it as an operand */
        if (w->needs_address)
            return refuse(w, "texture set-up while the uniform address is unknown");
        s->uniform_bytes += 4;
    }
    if (fires) {
        if (!grow((void **)&s->samples, s->sample_count, &w->sample_capacity, sizeof *s->samples))
            return -ENOMEM;
        s->samples[s->sample_count++] = *sample;
        reset_sample(sample);
        w->pending_writes[unit] = 0;
    }
    return 0;
}

static int check_write(struct walk *w, bool is_mul)
{
    const struct vc4_qpu_insn *insn = w->insn;
    unsigned waddr = is_mul ? insn->waddr_mul : insn->waddr_add;
    bool file_b = is_mul != insn->ws;
    unsigned live = live_of_write(waddr, file_b);
    if (live != NOT_LIVE) {
        bool always = (is_mul ? insn->cond_mul : insn->cond_add) == VC4_QPU_COND_ALWAYS;
        bool known = insn->kind == VC4_QPU_LOAD_IMM32 && !insn->pack && always;
        w->live[live].immediate = known ? insn->imm : VC4_NO_OFFSET;
        if (live < ACCUMULATORS && (live & 31) >= 16)
            w->upper_registers = true;
    }
    switch (waddr) {
    case VC4_QPU_W_UNIFORMS_ADDRESS: return check_address_write(w, is_mul, file_b);
    case VC4_QPU_W_TMU0_S:
    case VC4_QPU_W_TMU0_T:
    case VC4_QPU_W_TMU0_R:
    case VC4_QPU_W_TMU0_B:
    case VC4_QPU_W_TMU1_S:
    case VC4_QPU_W_TMU1_T:
    case VC4_QPU_W_TMU1_R:
    case VC4_QPU_W_TMU1_B: return check_texture_write(w, waddr, is_mul);
    case VC4_QPU_W_HOST_INT:
    case VC4_QPU_W_TMU_NOSWAP:
    case VC4_QPU_W_TLB_ALPHA_MASK:
    case VC4_QPU_W_MUTEX: return refuse(w, "write to a register that programs may not use");
    case VC4_QPU_W_VPM_ADDR: return refuse(w, "VPM DMA");
    default: return 0;
    }
}

/* Follows max(x, 0) and min(that, uniform). */
static void track_clamps(struct walk *w)
{
    const struct vc4_qpu_insn *insn = w->insn;
    unsigned operand = live_of_add_a(insn);
    bool operand_not_negative = operand != NOT_LIVE && w->live[operand].not_negative;
    unsigned add = live_of_write(insn->waddr_add, insn->ws);
    unsigned mul = live_of_write(insn->waddr_mul, !insn->ws);
    if (mul != NOT_LIVE) {
        w->live[mul].not_negative = false;
        w->live[mul].limit_at = VC4_NO_OFFSET;
    }
    if (add == NOT_LIVE)
        return;
    w->live[add].not_negative = false;
    w->live[add].limit_at = VC4_NO_OFFSET;
    if (insn->kind != VC4_QPU_ALU || insn->cond_add != VC4_QPU_COND_ALWAYS)
        return;
    if (insn->op_add == VC4_QPU_A_MAX) {
        bool with_zero = insn->sig == VC4_QPU_SIG_SMALL_IMM && insn->raddr_b == 0 &&
                         (insn->add_a == VC4_QPU_MUX_B || insn->add_b == VC4_QPU_MUX_B);
        w->live[add].not_negative = with_zero;
    } else if (insn->op_add == VC4_QPU_A_MIN && operand_not_negative && add_b_is_uniform(insn)) {
        w->live[add].limit_at = w->shader->uniform_bytes;
    }
}

static bool is_texture_register(unsigned waddr)
{
    return waddr >= VC4_QPU_W_TMU0_S && waddr <= VC4_QPU_W_TMU1_B;
}

static int check_writes(struct walk *w)
{
    if (is_texture_register(w->insn->waddr_add) && is_texture_register(w->insn->waddr_mul))
        return refuse(w, "both units set up textures");
    int r = check_write(w, false);
    if (!r)
        r = check_write(w, true);
    track_clamps(w);
    return r;
}

static int check_reads(struct walk *w)
{
    const struct vc4_qpu_insn *insn = w->insn;
    if (reads_uniform_a(insn) || reads_uniform_b(insn)) {
        w->shader->uniform_bytes += 4;
        if (w->needs_address)
            return refuse(w, "uniform read while the uniform address is unknown");
    }
    if ((insn->raddr_a >= 16 && insn->raddr_a < 32) ||
        (insn->sig != VC4_QPU_SIG_SMALL_IMM && insn->raddr_b >= 16 && insn->raddr_b < 32))
        w->upper_registers = true;
    return 0;
}

/* ---- the walk ---- */

static int check_insn(struct walk *w, int64_t *last_switch)
{
    const struct vc4_qpu_insn *insn = w->insn;
    int r;
    switch (insn->sig) {
    case VC4_QPU_SIG_NONE:
    case VC4_QPU_SIG_SCOREBOARD_WAIT:
    case VC4_QPU_SIG_SCOREBOARD_UNLOCK:
    case VC4_QPU_SIG_COLOR_LOAD:
    case VC4_QPU_SIG_LOAD_TMU0:
    case VC4_QPU_SIG_LOAD_TMU1:
    case VC4_QPU_SIG_PROGRAM_END:
    case VC4_QPU_SIG_SMALL_IMM:
    case VC4_QPU_SIG_THREAD_SWITCH:
    case VC4_QPU_SIG_LAST_THREAD_SWITCH:
        r = check_writes(w);
        if (!r)
            r = check_reads(w);
        if (r)
            return r;
        if (insn->sig == VC4_QPU_SIG_THREAD_SWITCH || insn->sig == VC4_QPU_SIG_LAST_THREAD_SWITCH) {
            w->shader->threaded = true;
            if (w->ip < *last_switch + 3)
                return refuse(w, "thread switch too soon after the last");
            *last_switch = w->ip;
        }
        return 0;
    case VC4_QPU_SIG_LOAD_IMM: return check_writes(w);
    case VC4_QPU_SIG_BRANCH:
        if ((int32_t)insn->imm < 0)
            w->needs_address_for_loop = true;
        if (insn->waddr_add != VC4_QPU_W_NOP || insn->waddr_mul != VC4_QPU_W_NOP)
            return refuse(w, "a branch writes a register");
        if (w->ip < *last_switch + 3)
            return refuse(w, "branch inside a thread switch");
        return 0;
    default: return refuse(w, "signal that programs may not use");
    }
}

static int walk_program(struct walk *w)
{
    int r = find_branches(w);
    int64_t last_switch = -3, end = -1;
    forget(w, 0);
    reset_sample(&w->pending[0]);
    reset_sample(&w->pending[1]);
    for (w->ip = 0; !r && w->ip < w->count; w->ip++) {
        w->insn = &w->insns[w->ip];
        r = enter_block(w);
        if (r)
            return r;
        if (w->ip == last_switch + 3) /* accumulators do not survive a thread switch */
            forget(w, ACCUMULATORS);
        r = check_insn(w, &last_switch);
        if (w->insn->sig == VC4_QPU_SIG_PROGRAM_END)
            end = w->ip;
    }
    if (r)
        return r;
    if (end < 0)
        return refuse(w, "the program does not end");
    if (w->shader->threaded && w->upper_registers)
        return refuse(w, "a threaded program uses the upper half of the registers");
    if (w->needs_address_for_loop) { /* whoever loops may have to set the pointer again */
        r = add_address_slot(w);
        w->shader->uniform_bytes += 4;
    }
    return r;
}

/* What stays of it, and how much. */
static int keep(struct walk *w)
{
    struct drm_vc4_shader *s = w->shader;
    uint64_t bytes =
        sizeof *s + w->sample_capacity * sizeof *s->samples + w->address_capacity * sizeof *s->addresses;
    int r = drm_charge(w->drm, DRM_PROGRAM_BYTES, bytes);
    if (r)
        return r;
    s->drm = w->drm;
    s->bytes = bytes;
    return 0;
}

int drm_vc4_shader_create(struct drm *drm, const uint64_t *code, uint32_t count, struct drm_vc4_shader **out)
{
    int r = -ENOMEM;
    struct walk w = {.drm = drm, .count = count};
    struct vc4_qpu_insn *insns = calloc(count, sizeof *insns);
    w.is_target = calloc(count, 1);
    w.shader = calloc(1, sizeof *w.shader);
    if (insns && w.is_target && w.shader) {
        for (uint32_t i = 0; i < count; i++)
            vc4_qpu_decode(code[i], &insns[i]);
        w.insns = insns;
        r = walk_program(&w);
    }
    if (!r)
        r = keep(&w);
    free(insns);
    free(w.is_target);
    if (r)
        drm_vc4_shader_destroy(w.shader);
    else
        *out = w.shader;
    return r;
}
