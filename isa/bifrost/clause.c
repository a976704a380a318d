/* Clauses as quadwords: where tuples, constants and the header stand in them. */
#include <errno.h>
#include <string.h>

#include "isa/bifrost/table.h"
#include "isa/isa.h"
#include "util/bits.h"

enum quad {
#define QUAD(name, mask, value, ends, tuples) QUAD_##name,
#include "isa/bifrost/clause.inc"
    QUADS
};
enum what { TUPLE, CONSTANT, HEADER_BITS, WAY_BITS, GAP };
#define WHAT_TUPLE    TUPLE
#define WHAT_CONSTANT CONSTANT
#define WHAT_HEADER   HEADER_BITS
#define WHAT_WAY      WAY_BITS
#define WHAT_GAP      GAP

static const struct {
    uint8_t mask, value, tuples;
    bool ends;
} quads[] = {
#define QUAD(name, mask, value, ends, tuples) {mask, value, tuples, ends},
#include "isa/bifrost/clause.inc"
};

static const struct part {
    uint8_t quad, what, index, from, lo, count;
} parts[] = {
#define PART(name, what, index, from, lo, count) {QUAD_##name, WHAT_##what, index, from, lo, count},
#include "isa/bifrost/clause.inc"
};

enum { SEQUENCE_MAX = 6, ENDS = 1 << BIFROST_ENDS_AT };
#define FIRST    QUAD_FIRST
#define ONLY     QUAD_ONLY
#define LAST_2   QUAD_LAST_2
#define LAST_3   QUAD_LAST_3
#define LAST_4   QUAD_LAST_4
#define LAST_5   QUAD_LAST_5
#define LAST_6   QUAD_LAST_6
#define LAST_7   QUAD_LAST_7
#define LAST_8   QUAD_LAST_8
#define MIDDLE_2 QUAD_MIDDLE_2
#define MIDDLE_4 QUAD_MIDDLE_4
#define MIDDLE_5 QUAD_MIDDLE_5
#define SPLIT_5  QUAD_SPLIT_5
#define SPLIT_8  QUAD_SPLIT_8
static const struct {
    uint8_t count, quad[SEQUENCE_MAX];
} sequences[BIFROST_TUPLES + 1] = {
#define SEQUENCE(tuples, ...) [tuples] = {sizeof((const uint8_t[]){__VA_ARGS__}), {__VA_ARGS__}},
#include "isa/bifrost/clause.inc"
};

static const struct {
    uint8_t place, tuples, constant;
} pairs[] = {
#define PAIR(place, tuples, constant) {place, tuples, constant},
#include "isa/bifrost/clause.inc"
};

static const struct isa_field header[] = {
#define HEADER(member, lo, count) ISA_FIELD(struct bifrost_clause, member, lo, count),
#include "isa/bifrost/clause.inc"
};
static const struct isa_field ports[] = {
#define PORTS(member, lo, count) ISA_FIELD(struct bifrost_ports, member, lo, count),
#include "isa/bifrost/clause.inc"
};

enum { TUPLE_WORDS = 2 };

/* Everything of a clause as it stands in the quadwords, with a word behind what crosses a word's end. */
struct stream {
    uint64_t tuple[BIFROST_TUPLES][TUPLE_WORDS], constant[BIFROST_CONSTANTS][2], header[2], way[2][2];
    uint8_t tuples, constants, beside;
};

/* Whether a quadword of a clause with so many tuples has bits of that. */
static bool has_part(uint32_t tuples, enum what what)
{
    for (unsigned n = 0; n < sequences[tuples].count; n++)
        for (size_t k = 0; k < UTIL_ARRAY_SIZE(parts); k++)
            if (parts[k].quad == sequences[tuples].quad[n] && parts[k].what == what)
                return true;
    return false;
}

uint32_t bifrost_constants_beside(uint32_t tuples)
{
    return has_part(tuples, CONSTANT);
}

bool bifrost_has_way(uint32_t tuples)
{
    return has_part(tuples, WAY_BITS);
}

static bool find_pair(uint32_t tuples, uint32_t constant, uint8_t *place)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(pairs); n++)
        if (pairs[n].tuples == tuples && pairs[n].constant == constant) {
            *place = pairs[n].place;
            return true;
        }
    return false;
}

/* Pairs are added until there are as many as that. */
bool bifrost_constants_fit(uint32_t tuples, uint32_t constants)
{
    uint32_t have = bifrost_constants_beside(tuples);
    uint8_t place;
    while (have < constants) {
        if (!find_pair(tuples, have, &place))
            return false;
        have += 2;
    }
    return true;
}

/* ---- from quadwords ---- */

static uint64_t *stream_words(struct stream *s, const struct part *p)
{
    switch (p->what) {
    case TUPLE: return s->tuple[p->index];
    case CONSTANT: return s->constant[p->index];
    case HEADER_BITS: return s->header;
    default: return s->way[p->index];
    }
}

/* Bits of a part may be more than a word holds, so they go in steps. */
static void copy_bits(const uint64_t *from, unsigned from_lo, uint64_t *to, unsigned to_lo, unsigned count)
{
    for (unsigned done = 0, step; done < count; done += step) {
        step = UTIL_MIN(count - done, 32u);
        isa_set(to, to_lo + done, step, isa_get(from, from_lo + done, step));
    }
}

/* False when a gap is not zero. */
static bool take_parts(enum quad quad, const uint64_t quadword[2], struct stream *s)
{
    bool clear = true;
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(parts); n++) {
        const struct part *p = &parts[n];
        if (p->quad != quad)
            continue;
        if (p->what == GAP)
            clear = clear && !isa_get(quadword, p->lo, p->count);
        else
            copy_bits(quadword, p->lo, stream_words(s, p), p->from, p->count);
    }
    return clear;
}

static void put_parts(enum quad quad, struct stream *s, uint64_t quadword[2])
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(parts); n++) {
        const struct part *p = &parts[n];
        if (p->quad == quad && p->what != GAP)
            copy_bits(stream_words(s, p), p->from, quadword, p->lo, p->count);
    }
}

/* Whether quadword `n` may be `quad`: some clause has it there behind those before it, which their own tags say. */
static bool follows(unsigned n, enum quad before, enum quad quad)
{
    for (unsigned t = 1; t <= BIFROST_TUPLES; t++)
        if (n < sequences[t].count && sequences[t].quad[n] == quad &&
            (!n || sequences[t].quad[n - 1] == before))
            return true;
    return false;
}

static enum quad quad_of(unsigned n, enum quad before, uint8_t tag)
{
    for (unsigned q = 0; q < QUADS; q++)
        if ((tag & quads[q].mask) == quads[q].value && follows(n, before, (enum quad)q))
            return (enum quad)q;
    return QUADS;
}

static int take_pair(const uint64_t quadword[2], struct stream *s, struct util_error *error)
{
    uint8_t tag = (uint8_t)quadword[0], place;
    if ((tag & quads[QUAD_PAIR].mask) != quads[QUAD_PAIR].value ||
        !find_pair(s->tuples, s->constants, &place) || place != BIFROST_GET(tag, PAIR_PLACE))
        return util_fail(error, -EBADMSG, "tag 0x%02x where constants %u and %u of %u tuples are to stand",
                         tag, s->constants, s->constants + 1u, s->tuples);
    copy_bits(quadword, BIFROST_PAIR_FIRST_AT, s->constant[s->constants], 0, BIFROST_PAIR_FIRST_BITS);
    copy_bits(quadword, BIFROST_PAIR_SECOND_AT, s->constant[s->constants + 1], 0, BIFROST_PAIR_SECOND_BITS);
    s->constants += 2;
    return 0;
}

/* Quadwords up to the last of the tuples; `more`: constants stand behind them. */
static uint32_t take_tuples(const uint64_t *words, uint32_t count, struct stream *s, bool *more,
                            struct util_error *error)
{
    enum quad quad = QUADS;
    for (uint32_t n = 0; n < count; n++) {
        uint8_t tag = (uint8_t)words[n * 2];
        quad = quad_of(n, quad, tag);
        if (quad == QUADS) {
            util_fail(error, -EBADMSG, "tag 0x%02x has no meaning for quadword %u of a clause", tag,
                      (unsigned)n);
            return 0;
        }
        if (!take_parts(quad, words + (size_t)n * 2, s)) {
            util_fail(error, -EBADMSG, "reserved bits of quadword %u of the clause are not zero",
                      (unsigned)n);
            return 0;
        }
        if (quads[quad].ends) {
            s->tuples = quads[quad].tuples;
            *more = !(tag & ENDS);
            return n + 1;
        }
    }
    util_fail(error, -EBADMSG, "the clause goes beyond the program's end");
    return 0;
}

static uint32_t take_stream(const uint64_t *words, uint32_t count, struct stream *s, struct util_error *error)
{
    bool more = false;
    uint32_t used = take_tuples(words, count, s, &more, error);
    if (!used)
        return 0;
    s->constants = s->beside = (uint8_t)bifrost_constants_beside(s->tuples);
    for (; more; used++) {
        if (used >= count) {
            util_fail(error, -EBADMSG, "the clause goes beyond the program's end");
            return 0;
        }
        if (take_pair(words + (size_t)used * 2, s, error))
            return 0;
        more = !((uint8_t)words[(size_t)used * 2] & ENDS);
    }
    return used;
}

uint64_t bifrost_ports_bits(const struct bifrost_ports *p)
{
    uint64_t bits[TUPLE_WORDS] = {0};
    isa_insert(ports, UTIL_ARRAY_SIZE(ports), p, bits);
    return bits[0];
}

void bifrost_ports_take(uint64_t bits, struct bifrost_ports *p)
{
    uint64_t words[TUPLE_WORDS] = {bits};
    isa_extract(ports, UTIL_ARRAY_SIZE(ports), words, p);
}

static int decode_tuple(const uint64_t bits[TUPLE_WORDS], struct bifrost_tuple *out, struct util_error *error)
{
    int err;
    isa_extract(ports, UTIL_ARRAY_SIZE(ports), bits, &out->ports);
    err = bifrost_insn_decode(BIFROST_FMA, (uint32_t)isa_get(bits, BIFROST_FMA_AT, BIFROST_FMA_BITS),
                              &out->insn[BIFROST_FMA], error);
    return err ? err
               : bifrost_insn_decode(BIFROST_ADD, (uint32_t)isa_get(bits, BIFROST_ADD_AT, BIFROST_ADD_BITS),
                                     &out->insn[BIFROST_ADD], error);
}

uint32_t bifrost_decode(const void *words, uint32_t count, uint32_t at, struct bifrost_clause *out,
                        struct util_error *error)
{
    uint64_t quadwords[BIFROST_QUADS * 2] = {0};
    struct stream s = {0};
    memset(out, 0, sizeof *out);
    out->at = at;
    uint32_t have = at < count ? UTIL_MIN(count - at, (uint32_t)BIFROST_QUADS) : 0;
    memcpy(quadwords, (const uint8_t *)words + (size_t)at * 16, have * (size_t)16);
    uint32_t used = take_stream(quadwords, have, &s, error);
    if (!used)
        return 0;
    isa_extract(header, UTIL_ARRAY_SIZE(header), s.header, out);
    out->tuple_count = s.tuples;
    out->constant_count = s.constants;
    for (unsigned n = 0; n < s.constants; n++)
        out->constant[n].value = s.constant[n][0] << BIFROST_FAU_LOW_BITS;
    out->way[0] = (uint8_t)s.way[0][0];
    out->way[1] = (uint8_t)s.way[1][0];
    for (unsigned n = 0; n < s.tuples; n++)
        if (decode_tuple(s.tuple[n], &out->tuple[n], error))
            return 0;
    return bifrost_resolve(out, error) ? 0 : used;
}

/* ---- to quadwords ---- */

static int encode_tuple(const struct bifrost_tuple *tuple, uint64_t bits[TUPLE_WORDS],
                        struct util_error *error)
{
    isa_insert(ports, UTIL_ARRAY_SIZE(ports), &tuple->ports, bits);
    for (unsigned unit = 0; unit < 2; unit++) {
        uint32_t insn;
        if (bifrost_insn_encode((enum bifrost_unit)unit, &tuple->insn[unit], &insn))
            return util_fail(error, -EINVAL, "%s: no encoding has these modifiers and sources together",
                             unit == BIFROST_FMA ? "FMA" : "ADD");
        if (unit == BIFROST_FMA)
            isa_set(bits, BIFROST_FMA_AT, BIFROST_FMA_BITS, insn);
        else
            isa_set(bits, BIFROST_ADD_AT, BIFROST_ADD_BITS, insn);
    }
    return 0;
}

static uint32_t put_stream(struct stream *s, uint64_t *words)
{
    uint32_t used = sequences[s->tuples].count;
    for (uint32_t n = 0; n < used; n++) {
        enum quad quad = (enum quad)sequences[s->tuples].quad[n];
        words[n * 2] = quads[quad].value | (quads[quad].ends && s->constants <= s->beside ? ENDS : 0);
        put_parts(quad, s, words + (size_t)n * 2);
    }
    for (unsigned n = s->beside; n < s->constants; n += 2, used++) {
        uint64_t *quadword = words + (size_t)used * 2;
        uint8_t place = 0;
        find_pair(s->tuples, n, &place);
        quadword[0] = (uint64_t)(quads[QUAD_PAIR].value | place | (n + 2 >= s->constants ? ENDS : 0));
        copy_bits(s->constant[n], 0, quadword, BIFROST_PAIR_FIRST_AT, BIFROST_PAIR_FIRST_BITS);
        copy_bits(s->constant[n + 1], 0, quadword, BIFROST_PAIR_SECOND_AT, BIFROST_PAIR_SECOND_BITS);
    }
    return used;
}

uint32_t bifrost_encode(const struct bifrost_clause *clause, uint64_t words[BIFROST_QUADS * 2],
                        struct util_error *error)
{
    struct stream s = {.tuples = clause->tuple_count, .constants = clause->constant_count};
    memset(words, 0, BIFROST_QUADS * 16);
    if (!s.tuples || s.tuples > BIFROST_TUPLES || !bifrost_constants_fit(s.tuples, s.constants)) {
        util_fail(error, -EINVAL, "%u tuples with %u constants: there is no such clause", s.tuples,
                  s.constants);
        return 0;
    }
    s.beside = (uint8_t)bifrost_constants_beside(s.tuples);
    s.constants = UTIL_MAX(s.constants, s.beside);
    isa_insert(header, UTIL_ARRAY_SIZE(header), clause, s.header);
    for (unsigned n = 0; n < clause->constant_count; n++)
        s.constant[n][0] = clause->constant[n].value >> BIFROST_FAU_LOW_BITS;
    s.way[0][0] = clause->way[0];
    s.way[1][0] = clause->way[1];
    for (unsigned n = 0; n < s.tuples; n++)
        if (encode_tuple(&clause->tuple[n], s.tuple[n], error))
            return 0;
    return put_stream(&s, words);
}
