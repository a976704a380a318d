/* Loads and stores. */
#include "isa/midgard/asm_internal.h"
#include "isa/midgard/names.h"
#include "util/bits.h"

/* ", al0.x" */
static int argument(struct isa_assembler *as, uint8_t *reg, uint8_t *component)
{
    static const char *const letters[4] = {"x", "y", "z", "w"};
    uint32_t value = 0, part = 0;
    int err = midgard_asm_comma(as);
    if (!err)
        err = midgard_asm_choice(as, midgard_argument_names, 8, "al0, pc, zero or the like is expected",
                                 &value);
    if (!err)
        err = midgard_asm_point(as);
    if (!err)
        err = midgard_asm_choice(as, letters, 4, "a component is expected", &part);
    *reg = (uint8_t)value;
    *component = (uint8_t)part;
    return err;
}

static int wide(struct isa_assembler *as, struct midgard_memory *m)
{
    if (!isa_scan_glued(&as->scan, '.'))
        return 0;
    struct isa_token word = isa_scan_word(&as->scan);
    m->wide = isa_token_is(word, "64");
    return m->wide ? 0 : isa_asm_fail(as, word, "64 is expected");
}

static int index_of(struct isa_assembler *as, struct midgard_memory *m)
{
    static const char *const formats[4] = {NULL, "u64", "u32", "s32"};
    uint32_t value = 0;
    int64_t shift = 0;
    int err = argument(as, &m->index_reg, &m->index_comp);
    if (!err && isa_scan_glued(&as->scan, '.'))
        err = midgard_asm_choice(as, formats, 4, "u64, u32 or s32 is expected", &value);
    m->index_format = (uint8_t)value;
    if (err || !isa_scan_glued(&as->scan, '<'))
        return err;
    if (!isa_scan_glued(&as->scan, '<'))
        return isa_scan_fail(&as->scan, as->scan.at, "<< is expected");
    err = midgard_asm_number(as, 1, 15, &shift);
    m->index_shift = (uint8_t)shift;
    return err;
}

/* Bits below the number that stands first; 0: there is only that. */
static unsigned rest_of(enum midgard_class class)
{
    switch (class) {
    case MIDGARD_IMAGE_ADDRESS:
    case MIDGARD_ATTRIBUTE:
    case MIDGARD_VARYING:
    case MIDGARD_STORE_VARYING:
    case MIDGARD_IMAGE:
    case MIDGARD_STORE_IMAGE:
    case MIDGARD_SPECIAL:
    case MIDGARD_STORE_SPECIAL: return 9;
    case MIDGARD_UNIFORM: return 2;
    default: return 0;
    }
}

static int offset(struct isa_assembler *as, struct midgard_memory *m, enum midgard_class class)
{
    unsigned below = rest_of(class);
    int64_t first = 0, rest = 0, end = 1 << (17 - below);
    int err = midgard_asm_comma(as);
    if (!err)
        err = midgard_asm_number(as, -end, end - 1, &first);
    if (!err && below && !isa_scan_glued(&as->scan, ':'))
        err = isa_scan_fail(&as->scan, as->scan.at, ": is expected");
    if (!err && below)
        err = midgard_asm_number(as, 0, (1 << below) - 1, &rest);
    m->offset = (int32_t)(first * (1 << below) + rest);
    return err;
}

static int moved(struct isa_assembler *as, struct midgard_memory *m, bool store)
{
    struct isa_token word = isa_scan_word(&as->scan);
    uint32_t value = store ? midgard_asm_find(word, midgard_argument_names, 8) : 8;
    if (value == 8 && (!isa_token_numbered(word, "r", &value) || value > 31 || (store && value < 8)))
        return isa_asm_fail(as, word, store ? "al0, al1 or the like is expected" : "a register is expected");
    m->reg = (uint8_t)value;
    m->mask = 15;
    if (!isa_scan_glued(&as->scan, '.'))
        return 0;
    word = isa_scan_word(&as->scan);
    return midgard_asm_mask(word, &m->mask) ? 0 : isa_asm_fail(as, word, "a mask is expected");
}

int midgard_asm_load_store(struct isa_assembler *as, uint8_t op, struct midgard_memory *m)
{
    const struct midgard_memory_info *info = midgard_memory_info(op);
    enum midgard_class class = info ? info->class : MIDGARD_MOVE;
    uint8_t reg = 0, component = 0;
    *m = (struct midgard_memory){.op = op};
    if (class == MIDGARD_NOTHING)
        return 0;
    int err = moved(as, m, info && midgard_is_store(class));
    if (!err && class != MIDGARD_ATOMIC)
        err = midgard_asm_chosen(as, &m->swizzle);
    if (!err)
        err = argument(as, &m->arg_reg, &m->arg_comp);
    if (!err)
        err = wide(as, m);
    if (!err)
        err = index_of(as, m);
    if (!err)
        err = offset(as, m, class);
    if (err || class != MIDGARD_ATOMIC)
        return err;
    err = argument(as, &reg, &component);
    m->swizzle = (uint8_t)(reg << 2 | component);
    return err;
}
