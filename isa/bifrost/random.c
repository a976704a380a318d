/* Random programs that the checker accepts: shapes of clauses first, so that branches know where others stand; then
 * constants and ports, then instructions that these serve. All slots are waited for between clauses. */
#include <string.h>

#include "isa/bifrost/asm.h"
#include "isa/bifrost/names.h"
#include "isa/bifrost/program.h"
#include "isa/bifrost/random_internal.h"
#include "isa/bifrost/table.h"

enum { CLAUSES_MAX = 12, WAIT_FOR_ALL = 0xff };

/* ---- shapes ---- */

static void make_shape(struct bifrost_maker *m, struct bifrost_clause *c, bool branches)
{
    static const uint8_t with_pairs[] = {1, 2, 4, 7};
    *c = (struct bifrost_clause){.wait = WAIT_FOR_ALL};
    c->tuple_count =
        (uint8_t)(branches ? with_pairs[bifrost_below(m, 4)] : 1 + bifrost_below(m, BIFROST_TUPLES));
    c->constant_count = (uint8_t)bifrost_constants_beside(c->tuple_count);
    while (c->constant_count + 2u <= BIFROST_NAMED &&
           bifrost_constants_fit(c->tuple_count, c->constant_count + 2u) &&
           ((branches && !c->constant_count) || bifrost_one_in(m, 2)))
        c->constant_count = (uint8_t)(c->constant_count + 2);
    for (unsigned n = 0; n < c->tuple_count; n++)
        for (unsigned unit = 0; unit < 2; unit++)
            c->tuple[n].insn[unit].op = BIFROST_OP_NOP;
    c->flow = (uint8_t)(1 + bifrost_below(m, 7));
    c->flush = (uint8_t)bifrost_below(m, 4);
    c->terminate = bifrost_one_in(m, 4);
    c->prefetch = bifrost_one_in(m, 2);
    c->staging_barrier = bifrost_one_in(m, 2);
    c->staging = (uint8_t)bifrost_below(m, bifrost_one_in(m, 8) ? BIFROST_REGISTERS - 8 : 12);
}

static uint32_t length_of(const struct bifrost_clause *c)
{
    uint64_t words[BIFROST_QUADS * 2];
    return bifrost_encode(c, words, NULL);
}

/* ---- constants ---- */

static void put_nibble(uint64_t *value, unsigned bits)
{
    isa_set(value, BIFROST_WAY_AT, BIFROST_WAY_BITS, util_bits(bits, 0, BIFROST_WAY_BITS));
}

/* Small numbers, floats, any. */
static uint64_t some_constant(struct bifrost_maker *m)
{
    uint64_t out = isa_random_next(&m->random);
    if (bifrost_one_in(m, 3))
        out &= 0x0000001f0000001f;
    else if (bifrost_one_in(m, 2))
        out = (out & 0x83ff83ff83ff83ff) | 0x3c003c003f003f00;
    return out & ~15ull;
}

/* The upper word of constant 0 is a place, as its difference to the next says. */
static void put_place(struct bifrost_maker *m, int64_t quads)
{
    struct bifrost_constant *k = m->clause->constant;
    const uint64_t bytes = (uint64_t)quads * BIFROST_WORD_BYTES;
    k[0].value = (k[0].value & 0xffffffff) | (bytes & ((1u << BIFROST_RELATIVE_WORD_BITS) - 1)) << 32;
    put_nibble(&k[0].value, (unsigned)(k[1].value >> BIFROST_WAY_AT) + BIFROST_WAY_HIGH);
}

static void make_constants(struct bifrost_maker *m, int64_t place)
{
    static const uint8_t ways[] = {0, 0, 0, 0, 0, 0, 1, 4, 8, 12};
    struct bifrost_clause *c = m->clause;
    const unsigned beside = bifrost_constants_beside(c->tuple_count);
    c->way[0] = bifrost_has_way(c->tuple_count) ? ways[bifrost_below(m, UTIL_ARRAY_SIZE(ways))] : 0;
    for (unsigned n = 0; n < c->constant_count; n++)
        c->constant[n].value = some_constant(m);
    m->descriptor = BIFROST_NO_CONSTANT;
    if (bifrost_profile(m) != BIFROST_RANDOM_ARITHMETIC && c->constant_count > 2u * m->branches &&
        bifrost_one_in(m, 3)) {
        m->descriptor = (uint8_t)(c->constant_count - 1);
        m->descriptor_tuple = (uint8_t)bifrost_below(m, c->tuple_count - (m->branches || m->returns));
        c->constant[m->descriptor].value =
            (c->constant[m->descriptor].value & 0xffffffff) | (uint64_t)bifrost_random_descriptor(m) << 32;
        if (!m->descriptor)
            c->way[0] = 0;
    }
    for (unsigned n = beside; n + 1 < c->constant_count; n += 2) {
        const bool keeps = m->descriptor == n + 1 || m->descriptor == n;
        put_nibble(&c->constant[n].value, (unsigned)(c->constant[n + 1].value >> BIFROST_WAY_AT) +
                                              (keeps ? 0u : ways[bifrost_below(m, UTIL_ARRAY_SIZE(ways))]));
    }
    if (m->branches)
        put_place(m, place);
}

/* ---- ports ---- */

/* A uniform, a special value, or a constant; where those of a branch or a texture are, these. */
static uint8_t some_fau(struct bifrost_maker *m, unsigned tuple)
{
    const struct bifrost_clause *c = m->clause;
    unsigned constant = bifrost_below(m, BIFROST_NAMED);
    uint8_t special = (uint8_t)bifrost_below(m, 16);
    const bool place = m->branches && tuple + 1u == c->tuple_count;
    const bool texture = m->descriptor != BIFROST_NO_CONSTANT && tuple == m->descriptor_tuple;
    if (m->blends && tuple + 1u == c->tuple_count)
        return (uint8_t)(BIFROST_SPECIAL_BLEND_0 + bifrost_below(m, 8));
    if (place || texture)
        constant = place ? 0 : m->descriptor;
    if (place || texture || (constant < c->constant_count && !bifrost_one_in(m, 4)))
        return (uint8_t)(bifrost_constant_name(constant) << BIFROST_FAU_NAME_AT | bifrost_below(m, 16));
    while (!isa_name_text(&bifrost_lists[BIFROST_SPECIALS], special))
        special = (uint8_t)bifrost_below(m, 16);
    return bifrost_one_in(m, 2) ? special : (uint8_t)(1u << BIFROST_FAU_IS_UNIFORM_AT | bifrost_below(m, 52));
}

/* Few registers, so that what is written is read. */
static uint8_t some_register(struct bifrost_maker *m)
{
    return (uint8_t)bifrost_below(m, bifrost_one_in(m, 6) ? BIFROST_REGISTERS : 14);
}

/* Two results in one place; or one that a branch does not have. */
static bool writes_amiss(const struct bifrost_maker *m, const struct bifrost_ports *p, unsigned tuple)
{
    if ((m->branches || m->returns) && !tuple && p->use[3] == BIFROST_PORT_WRITE && !p->fma_3)
        return true;
    return p->use[2] == BIFROST_PORT_WRITE && p->use[3] == BIFROST_PORT_WRITE && p->reg[2] == p->reg[3] &&
           p->halves[2] & p->halves[3];
}

static void make_ports(struct bifrost_maker *m, unsigned tuple)
{
    struct bifrost_ports *p = &m->clause->tuple[tuple].ports;
    do {
        *p = (struct bifrost_ports){.fau = some_fau(m, tuple), .control = (uint8_t)bifrost_below(m, 16)};
        for (unsigned n = 0; n < 4; n++)
            p->raw[n] = some_register(m);
        p->raw[0] = (uint8_t)BIFROST_GET(p->raw[0], NARROW_LOW);
        if (!p->control)
            p->raw[1] = (uint8_t)bifrost_below(m, 64);
        if (bifrost_one_in(m, 4))
            p->raw[3] = p->raw[2];
    } while (bifrost_resolve_ports(p, tuple == 0, NULL) || writes_amiss(m, p, tuple));
}

/* ---- programs ---- */

/* Where nothing has staging registers no text says which they are. */
static bool has_staging(const struct bifrost_clause *c)
{
    bool staged = false;
    for (unsigned n = 0; n < c->tuple_count; n++)
        staged |= c->tuple[n].insn[BIFROST_ADD].staging != BIFROST_STAGING_NONE;
    return staged;
}

/* Its text says all of it: not so of places that are no quadwords, or where two encodings say the same. */
static bool is_shown(const struct bifrost_clause *c)
{
    uint64_t words[BIFROST_QUADS * 2];
    char text[BIFROST_TEXT_MAX];
    const uint32_t length = bifrost_encode(c, words, NULL);
    return length && bifrost_disasm(words, length, 0, text) == length && strncmp(text, ".word", 5) != 0;
}

static void make_insns(struct bifrost_maker *m, int64_t place)
{
    struct bifrost_clause *c = m->clause;
    do
        make_constants(m, place);
    while (bifrost_resolve_constants(c, NULL));
    for (unsigned n = 0; n < c->tuple_count; n++)
        make_ports(m, n);
    bifrost_random_moves(c);
    for (unsigned n = 0; n < c->tuple_count; n++)
        bifrost_random_tuple(m, n);
    if (!has_staging(c))
        c->staging = 0;
}

static void make_clause(struct bifrost_maker *m, struct bifrost_clause *c, int64_t place)
{
    const uint8_t staging = c->staging;
    m->clause = c;
    m->blends = !m->branches && !m->returns && bifrost_profile(m) != BIFROST_RANDOM_ARITHMETIC &&
                bifrost_one_in(m, 12);
    do {
        c->staging = staging;
        make_insns(m, place);
    } while (!is_shown(c));
}

/* A clause behind it, mostly; or one of a few before it, as long as fuel lasts. */
static uint32_t some_target(struct bifrost_maker *m, uint32_t n, uint32_t count)
{
    return bifrost_one_in(m, 2) ? n - bifrost_below(m, UTIL_MIN(n + 1, 3u))
                                : n + 1 + bifrost_below(m, count - n - 1);
}

/* What a program is made of before it is words. */
struct shapes {
    struct bifrost_clause clause[CLAUSES_MAX + 1];
    bool branches[CLAUSES_MAX + 1];
    uint32_t target[CLAUSES_MAX + 1], count;
};

static uint32_t make_shapes(struct bifrost_maker *m, struct shapes *s)
{
    uint32_t at = 0;
    s->count = 2 + bifrost_below(m, 1 + bifrost_below(m, CLAUSES_MAX));
    for (uint32_t n = 0; n < s->count; n++) {
        s->branches[n] =
            n + 1 < s->count && bifrost_profile(m) == BIFROST_RANDOM_FULL && bifrost_one_in(m, 2);
        make_shape(m, &s->clause[n], s->branches[n]);
        s->clause[n].at = at;
        at += length_of(&s->clause[n]);
    }
    s->clause[s->count - 1].flow = BIFROST_FLOW_END;
    return at;
}

uint32_t bifrost_random(uint64_t seed, unsigned profile, void *words, uint32_t capacity)
{
    struct bifrost_maker m = {.random = {seed}, .profile = profile};
    struct shapes s = {0};
    const uint32_t quads = make_shapes(&m, &s);
    if (quads > capacity)
        return 0;
    for (uint32_t n = 0; n < s.count; n++) {
        s.target[n] = s.branches[n] ? some_target(&m, n, s.count) : 0;
        m.branches = s.branches[n];
        m.returns = n + 1 == s.count && bifrost_profile(&m) == BIFROST_RANDOM_FULL && bifrost_one_in(&m, 4);
        make_clause(&m, &s.clause[n], (int64_t)s.clause[s.target[n]].at - s.clause[n].at);
    }
    for (uint32_t n = 0; n < s.count; n++) {
        uint64_t out[BIFROST_QUADS * 2];
        const uint32_t next = bifrost_leaves(&s.clause[n]) ? s.target[n] : n + 1;
        s.clause[n].next_message = n + 1 < s.count ? s.clause[next].message : 0;
        const uint32_t length = bifrost_encode(&s.clause[n], out, NULL);
        memcpy((uint8_t *)words + (size_t)s.clause[n].at * BIFROST_WORD_BYTES, out,
               (size_t)length * BIFROST_WORD_BYTES);
    }
    return quads;
}
