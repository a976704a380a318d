/* The loops over elements: one mask, two, branches; the digest, sections 6.2 to 6.5. */
#include "tests/riscv/unroll.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/riscv/qemu.h"
#include "util/bits.h"

static uint64_t bits_of(const struct unroll_mask *m)
{
    if (!m->there)
        return ~0ull;
    const uint64_t bits = util_load64(qemu_at(QEMU_DATA + UNROLL_FILES + 8 * m->reg));
    return m->invert ? ~bits : bits;
}

static bool bit_of(const struct unroll_mask *m, unsigned i)
{
    return bits_of(m) >> i & 1;
}

/* ---- fail-first ---- */

/* Where an instruction may be left, with VL in x29. */
struct ends {
    uint32_t at[UNROLL_MOST];
    unsigned count;
};

/* x7: an element of the result as it was stored, of floats without the sign. */
static void load_result(const struct unroll_insn *n, unsigned j, unsigned s)
{
    const unsigned width = n->rd.width, at = unroll_place(n, &n->rd, j, s);
    qemu_text("ld x7, %u(x31)\nslli x7, x7, %u", at, 64 - width + n->rd.is_float);
}

/* Room for a branch that leaves, with VL as it is then. */
static void may_end(struct ends *ends, unsigned vl)
{
    qemu_text("addi x29, x0, %u", vl);
    ends->at[ends->count++] = qemu_reserve();
}

/* Behind a sub-vector of results: it ends if one is 0. */
static void sub_vector_may_end(const struct unroll_insn *n, struct ends *ends, unsigned j)
{
    qemu_text("addi x30, x0, 1");
    for (unsigned s = 0; s < n->subvl; s++) {
        load_result(n, j, s);
        qemu_text("sltu x7, x0, x7\nand x30, x30, x7");
    }
    may_end(ends, j);
}

/* VL is what the instruction has left; `branch`: taken to end it. */
static void end(const struct ends *ends, const char *branch, unsigned vl)
{
    qemu_text("addi x29, x0, %u", vl);
    for (unsigned k = 0; k < ends->count; k++)
        qemu_branch(ends->at[k], branch);
}

static void show_vl(void)
{
    qemu_text("sd x29, %u(x31)", UNROLL_FILES + 8 * UNROLL_VL_REG);
}

/* ---- one mask ---- */

static void single(const struct unroll_insn *n)
{
    const bool first = n->dest.ffirst;
    struct ends ends = {.count = 0};
    unsigned vl = n->vl;
    for (unsigned i = 0; i < n->vl; i++) {
        const bool on = bit_of(&n->dest, i);
        if (!on && !n->dest.zero)
            continue;
        for (unsigned s = 0; s < n->subvl; s++)
            if (on)
                unroll_element(n, i, i, s);
            else
                unroll_zero(n, &n->rd, i, s);
        if (first && !on) {
            vl = i;
            break;
        }
        if (first)
            sub_vector_may_end(n, &ends, i);
        if (on && !n->rd.vector)
            break;
    }
    if (first) {
        end(&ends, "beq x30, x0", vl);
        show_vl();
    }
}

/* ---- two masks ---- */

/* What steps: vectors, and memory of unit stride. */
static void sides(const struct unroll_insn *n, bool *from, bool *to)
{
    *from = n->kind == UNROLL_STORE ? n->rs2.vector : n->rs1.vector;
    *to = n->kind == UNROLL_STORE ? n->rs1.vector || n->rs2.vector : n->rd.vector;
    if (n->kind == UNROLL_LOAD)
        *from |= *to;
}

static bool is_memory(const struct unroll_insn *n)
{
    return n->kind == UNROLL_LOAD || n->kind == UNROLL_STORE;
}

/* False: it ends before an element that is not there. */
static bool sub_vector(const struct unroll_insn *n, unsigned i, unsigned j, bool zeroed)
{
    const bool load = n->kind == UNROLL_LOAD;
    if (n->kind == UNROLL_SWIZZLE && !zeroed) {
        unroll_swizzle(n, i, j);
        return true;
    }
    for (unsigned s = 0; s < n->subvl; s++) {
        if (is_memory(n) && !(load && zeroed) && !unroll_is_there(n, load ? i : j, s))
            return false;
        if (is_memory(n))
            unroll_access(n, load ? i : j, load ? j : i, s, zeroed);
        else if (zeroed)
            unroll_zero(n, &n->rd, j, s);
        else
            unroll_element(n, i, j, s);
    }
    return true;
}

static void twin(const struct unroll_insn *n)
{
    /* Of results the destination's counts, of accesses either. */
    const bool results = n->dest.ffirst && !is_memory(n), first = n->dest.ffirst || n->source.ffirst;
    struct ends ends = {.count = 0};
    bool from, to;
    unsigned vl = n->vl;
    sides(n, &from, &to);
    for (unsigned i = 0, j = 0; i < n->vl && j < n->vl;) {
        while (from && !n->source.zero && i < n->vl && !bit_of(&n->source, i))
            i++;
        while (to && !n->dest.zero && j < n->vl && !bit_of(&n->dest, j))
            j++;
        if (i >= n->vl || j >= n->vl)
            break;
        const bool zeroed = (to && !bit_of(&n->dest, j)) || (from && !bit_of(&n->source, i));
        if (!sub_vector(n, i, j, zeroed)) {
            vl = n->kind == UNROLL_LOAD ? i : j;
            assert_true(is_memory(n) && first && vl > 0);
            break;
        }
        if (results && zeroed) {
            vl = j;
            break;
        }
        if (results)
            sub_vector_may_end(n, &ends, j);
        if (!to)
            break;
        i += from;
        j++;
    }
    if (first) {
        end(&ends, "beq x30, x0", vl);
        show_vl();
    }
}

/* ---- branches ---- */

/* A constant of up to 32 bits. */
static void constant(unsigned reg, uint64_t value)
{
    const uint32_t low = (uint32_t)value & 0xfff, high = (uint32_t)(value >> 12);
    assert_true(value >> 31 == 0);
    qemu_text("lui x%u, %u\nxori x%u, x%u, %u", reg, high, reg, reg, low & 0x7ff);
    if (low & 0x800)
        qemu_text("addi x5, x0, 1\nslli x5, x5, 11\nor x%u, x%u, x5", reg, reg);
}

/* x30: the results so far. */
static void branch_element(const struct unroll_insn *n, unsigned i, bool on)
{
    qemu_text("addi x28, x0, 1");
    for (unsigned s = 0; s < n->subvl && on; s++) {
        unroll_compare(n, i, s);
        qemu_text("and x28, x28, x7");
    }
    if (!on)
        qemu_text("addi x28, x0, 0");
    qemu_text("addi x6, x0, 1\nslli x6, x6, %u\nxori x6, x6, -1\nand x30, x30, x6", i);
    qemu_text("slli x6, x28, %u\nor x30, x30, x6", i);
}

/* Not taken, it counts. Of scalars it is an ordinary one. */
static void branch(const struct unroll_insn *n)
{
    const bool vectors = n->rs1.vector || n->rs2.vector, results = vectors && n->dest.there,
               masked = vectors && n->source.there;
    const unsigned vl = vectors ? n->vl : 1, register_at = UNROLL_FILES + 8 * n->dest.reg,
                   counter = UNROLL_FILES + 8 * UNROLL_NOT_TAKEN;
    const uint64_t all = (1ull << vl) - 1, mask = masked ? bits_of(&n->source) & all : all;
    struct ends ends = {.count = 0};
    if (results && !n->source.zero)
        qemu_text("ld x30, %u(x31)", register_at);
    else
        constant(30, all);
    for (unsigned i = 0; i < vl; i++) {
        const bool on = mask >> i & 1;
        if (on || n->source.zero)
            branch_element(n, i, on);
        if (on && masked && n->source.ffirst)
            may_end(&ends, i);
    }
    if (n->source.ffirst) {
        end(&ends, "beq x28, x0", n->vl);
        show_vl();
    }
    if (results && n->dest.reg)
        qemu_text("sd x30, %u(x31)", register_at);
    constant(28, mask);
    qemu_text("and x7, x30, x28\nxor x7, x7, x28\nsltu x7, x0, x7");
    qemu_text("ld x6, %u(x31)\nadd x6, x6, x7\nsd x6, %u(x31)", counter, counter);
}

bool unroll_loops(const struct unroll_insn *n)
{
    const bool vectors = n->rd.vector || n->rs1.vector || n->rs2.vector || n->rs3.vector,
               masks = n->dest.there || n->source.there;
    return n->in_block || vectors || masks || n->subvl > 1;
}

void unroll(const struct unroll_insn *n)
{
    if (n->kind == UNROLL_BRANCH)
        branch(n);
    else if (n->twin)
        twin(n);
    else
        single(n);
}
