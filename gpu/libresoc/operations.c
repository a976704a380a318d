#include "gpu/libresoc/operations.h"

#include "isa/simple_v/context.h"
#include "util/bits.h"

/* ---- what kind of operation it is ---- */

static enum libresoc_kind float_kind(enum simple_v_float op)
{
    switch (op) {
    case SIMPLE_V_FLOAT_madd:
    case SIMPLE_V_FLOAT_msub:
    case SIMPLE_V_FLOAT_nmsub:
    case SIMPLE_V_FLOAT_nmadd:
    case SIMPLE_V_FLOAT_add:
    case SIMPLE_V_FLOAT_sub:
    case SIMPLE_V_FLOAT_mul:
    case SIMPLE_V_FLOAT_convert: return LIBRESOC_KIND_FLOAT;
    case SIMPLE_V_FLOAT_sgnj:
    case SIMPLE_V_FLOAT_sgnjn:
    case SIMPLE_V_FLOAT_sgnjx:
    case SIMPLE_V_FLOAT_min:
    case SIMPLE_V_FLOAT_max:
    case SIMPLE_V_FLOAT_le:
    case SIMPLE_V_FLOAT_lt:
    case SIMPLE_V_FLOAT_eq:
    case SIMPLE_V_FLOAT_class:
    case SIMPLE_V_FLOAT_move: return LIBRESOC_KIND_INTEGER;
    default: return LIBRESOC_KIND_DIVIDE; /* roots and functions, too */
    }
}

static enum libresoc_kind integer_kind(unsigned op)
{
    switch (op) {
    case ISA_OP_imul:
    case ISA_OP_imul_hi:
    case ISA_OP_umul_hi:
    case SIMPLE_V_OWN_mulhsu: return LIBRESOC_KIND_MULTIPLY;
    case SIMPLE_V_OWN_div:
    case SIMPLE_V_OWN_divu:
    case SIMPLE_V_OWN_rem:
    case SIMPLE_V_OWN_remu: return LIBRESOC_KIND_DIVIDE;
    default: return LIBRESOC_KIND_INTEGER;
    }
}

static enum libresoc_kind plain_kind(uint16_t op)
{
    switch (op) {
    case SIMPLE_V_LR_W:
    case SIMPLE_V_LR_D: return LIBRESOC_KIND_LOAD;
    case SIMPLE_V_SC_W:
    case SIMPLE_V_SC_D: return LIBRESOC_KIND_STORE;
    default: return LIBRESOC_KIND_INTEGER;
    }
}

static enum libresoc_kind kind_of(const struct simple_v_context *x)
{
    switch (x->class) {
    case SIMPLE_V_PLAIN: return plain_kind(x->row->as);
    case SIMPLE_V_LOAD:
    case SIMPLE_V_AMO: return LIBRESOC_KIND_LOAD;
    case SIMPLE_V_STORE: return LIBRESOC_KIND_STORE;
    case SIMPLE_V_BRANCH:
    case SIMPLE_V_SWIZZLE:
    case SIMPLE_V_MVX: return LIBRESOC_KIND_INTEGER;
    default: return x->row->is_float ? float_kind((enum simple_v_float)x->row->op) : integer_kind(x->row->op);
    }
}

/* A width that units have. */
static uint8_t unit_width(unsigned bits)
{
    return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
}

static uint8_t width_of(const struct simple_v_context *x)
{
    const struct simple_v_operand_context *rd = &x->operand[SIMPLE_V_RD];
    switch (x->class) {
    case SIMPLE_V_PLAIN: return unit_width(x->row->bits ? x->row->bits : 64);
    case SIMPLE_V_LOAD:
    case SIMPLE_V_STORE:
    case SIMPLE_V_AMO: return unit_width(UTIL_MIN(x->memory, x->row->bits));
    default: break;
    }
    const unsigned sources = UTIL_MAX(x->width, x->float_width),
                   result = rd->there && (rd->given || !rd->integer || !sources) ? rd->width : 0;
    return unit_width(UTIL_MAX(sources, result));
}

/* ---- operations ---- */

static void close(struct libresoc_operations *o)
{
    if (o->open)
        o->issue(o->data, &o->op, &o->origin);
    o->open = false;
}

static void add_source(struct libresoc_operations *o, struct libresoc_element e)
{
    if (o->sources < LIBRESOC_SOURCES)
        o->op.source[o->sources++] = e;
}

static struct libresoc_element element_of(bool integer, unsigned at, unsigned bytes)
{
    return (struct libresoc_element){
        .file = integer ? LIBRESOC_FILE_X : LIBRESOC_FILE_F, .size = (uint8_t)bytes, .at = (uint16_t)at};
}

static struct libresoc_element mask_of(const struct simple_v_mask_context *mask)
{
    return mask->there && mask->reg ? element_of(true, mask->reg * 8u, 8) : (struct libresoc_element){0};
}

static void take_masks(struct libresoc_operations *o, const struct simple_v_context *x)
{
    const struct libresoc_element dest = mask_of(&x->mask[SIMPLE_V_DEST]),
                                  source = mask_of(&x->mask[SIMPLE_V_SOURCE]);
    o->op.mask = dest.size ? dest : source;
    if (dest.size && source.size && dest.at != source.at)
        add_source(o, source);
}

/* A number in the field of a register is none. */
static bool is_number(const struct simple_v_context *x, unsigned place)
{
    return place == SIMPLE_V_RS1 && x->row->as >= SIMPLE_V_CSRRWI && x->row->as <= SIMPLE_V_CSRRCI;
}

static void take_registers(struct libresoc_operations *o, const struct simple_v_context *x)
{
    for (unsigned n = SIMPLE_V_RD; n < SIMPLE_V_PLACES; n++) {
        const struct simple_v_operand_context *operand = &x->operand[n];
        if (!operand->there || !operand->reg || is_number(x, n))
            continue;
        const struct libresoc_element e = element_of(true, operand->reg * 8u, 8);
        if (n == SIMPLE_V_RD)
            o->op.result = e;
        else
            add_source(o, e);
    }
}

/* ---- what the interpreter tells ---- */

static void on_element(void *data, const struct simple_v_state *state, const struct simple_v_context *x,
                       bool left_out)
{
    struct libresoc_operations *o = data;
    close(o);
    o->origin = (struct libresoc_origin){state->executed, state->pc, state->in_block, state->opptr};
    o->op = (struct libresoc_op){
        .kind = kind_of(x), .width = width_of(x), .dies = left_out, .instruction = state->executed};
    o->open = true;
    o->sources = o->moved_count = o->moved_next = 0;
    o->moves = x->class == SIMPLE_V_SWIZZLE && !left_out;
    take_masks(o, x);
    if (x->class == SIMPLE_V_PLAIN)
        take_registers(o, x);
}

static void on_read(void *data, bool integer, unsigned at, unsigned bytes)
{
    struct libresoc_operations *o = data;
    const struct libresoc_element e = element_of(integer, at, bytes);
    if (!o->moves)
        add_source(o, e);
    else if (o->moved_count < UTIL_ARRAY_SIZE(o->moved))
        o->moved[o->moved_count++] = e;
}

static void on_write(void *data, bool integer, unsigned at, unsigned bytes)
{
    struct libresoc_operations *o = data;
    if (o->moves) {
        if (o->moved_next) /* the operation before is another */
            o->issue(o->data, &o->op, &o->origin);
        if (o->moved_next < o->moved_count)
            o->op.source[1] = o->moved[o->moved_next++]; /* the first may be a mask */
    }
    o->op.result = element_of(integer, at, bytes);
}

void libresoc_operations_begin(struct libresoc_operations *o, libresoc_operation_fn issue, void *data)
{
    *o = (struct libresoc_operations){
        .issue = issue, .data = data, .watch = {o, on_element, on_read, on_write}};
}

void libresoc_operations_end(struct libresoc_operations *o)
{
    close(o);
}
