/* Messages of Bifrost's and Valhall's programs as IR (world_warp_message.c is the definition): attributes, addresses of
 * varyings and what is stored at them, of v9 places of vertices and their streams. Everything else, and what is not
 * plain, calls the interpreter's port. */
#include <stddef.h>

#include "gpu/array_ir.h"
#include "gpu/mali/world_internal.h"
#include "gpu/mali/world_ir_internal.h"
#include "isa/bifrost/lower.h"

/* ---- attributes ---- */

/* Of v6 and v7 the number that stands for both of a vertex and an instance. */
static LLVMValueRef linear(const struct mali_world_ir *e, struct jit_builder *b,
                           const struct isa_ir_attribute *a, LLVMValueRef instance)
{
    LLVMValueRef size = mali_ir_place(e, b, b->i32, offsetof(struct mali_code, instance_size));
    return LLVMBuildAdd(b->ir, a->vertex, LLVMBuildMul(b->ir, instance, jit_splat(b, size), ""), "");
}

/* The element of a message whose handle is known and names `table`. False: the port is to be called. */
static bool find(const struct mali_world_ir *e, struct jit_builder *b, const struct warp_ir_message *m,
                 uint32_t table, bool varying, struct mali_ir_element *x)
{
    struct isa_ir_attribute a;
    LLVMValueRef instance;
    if (!warp_ir_message_attribute(b, m, &a, &instance) || a.index.lanes ||
        warp_handle_table(a.index.known) != table)
        return false;
    const struct isa_ir_number index = {NULL, warp_handle_number(a.index.known)};
    if (!mali_ir_element_find(e, varying, &index, x))
        return false;
    if (e->forms->version < MALI_V9)
        mali_ir_element_at(e, b, linear(e, b, &a, instance), x);
    else
        mali_ir_element_at(e, b, x->form->by_instance ? instance : a.vertex, x);
    return true;
}

static bool attribute(struct mali_world_ir *e, struct jit_builder *b, const struct warp_ir_message *m,
                      LLVMValueRef out[WARP_MESSAGE_WORDS])
{
    const uint32_t table = e->forms->version < MALI_V9 ? BIFROST_TABLE_ATTRIBUTES : e->forms->attribute_table;
    const struct warp_asked asked = warp_asked_of(m->insn);
    const struct mali_register_format as = mali_asked_format(&asked);
    struct mali_ir_element x;
    if (!find(e, b, m, table, false, &x))
        return false;
    mali_ir_element_load(e, b, &x, (enum isa_type)asked.type, asked.any_type, out);
    mali_ir_registers_narrow(b, &as, out);
    return true;
}

/* ---- addresses of varyings ---- */

static void put_address(struct jit_builder *b, LLVMValueRef at, LLVMValueRef out[2])
{
    out[0] = mali_ir_narrow(b, at);
    out[1] = mali_ir_narrow(b, LLVMBuildLShr(b->ir, at, jit_splat(b, jit_i64(b, 32)), ""));
}

/* i64x16: where the element stands, or nowhere. */
static LLVMValueRef address_of(const struct mali_world_ir *e, struct jit_builder *b,
                               const struct mali_ir_element *x)
{
    LLVMValueRef nowhere = jit_splat(b, jit_i64(b, MALI_NOWHERE)), offset;
    if (x->form->reach == MALI_REACH_NOTHING)
        return nowhere;
    LLVMValueRef inside = mali_ir_element_inside(e, b, x, &offset);
    LLVMValueRef base = mali_ir_guest_base(e, b, x->array);
    offset = LLVMBuildZExt(b->ir, offset, b->i64x16, "");
    return jit_select(b, inside, LLVMBuildAdd(b->ir, offset, jit_splat(b, base), ""), nowhere);
}

static bool varying_address(struct mali_world_ir *e, struct jit_builder *b, const struct warp_ir_message *m,
                            LLVMValueRef out[WARP_MESSAGE_WORDS])
{
    struct mali_ir_given *given = &e->given[e->given_count % MALI_IR_GIVEN];
    const enum mali_version version = (enum mali_version)e->forms->version;
    const struct warp_asked asked = warp_asked_of(m->insn);
    struct mali_ir_element x;
    if (version >= MALI_V9 || !find(e, b, m, BIFROST_TABLE_VARYINGS, true, &x) ||
        x.form->reach == MALI_REACH_NUMBER)
        return false;
    put_address(b, address_of(e, b, &x), out);
    out[2] = jit_splat_u32(
        b, mali_conversion_word_asked(version, x.form->word, (enum raster_format)x.form->format, &asked));
    *given = (struct mali_ir_given){{out[0], out[1], out[2]}, x};
    e->given_count++;
    return true;
}

/* ---- addresses of texels ---- */

/* Of v9 the third coordinate stands in the fourth's place, and there is none in its own. */
static bool texel_address(const struct mali_world_ir *e, struct jit_builder *b,
                          const struct warp_ir_message *m, LLVMValueRef out[WARP_MESSAGE_WORDS])
{
    const enum mali_version version = (enum mali_version)e->forms->version;
    const bool v9 = version >= MALI_V9;
    const struct warp_asked asked = warp_asked_of(m->insn);
    const uint32_t table = v9 ? e->forms->image_table : BIFROST_TABLE_ATTRIBUTES;
    struct isa_ir_attribute a;
    LLVMValueRef instance, at;
    if (!warp_ir_message_attribute(b, m, &a, &instance) || a.index.lanes ||
        warp_handle_table(a.index.known) != table)
        return false;
    const LLVMValueRef xyz[3] = {a.coordinate[0], a.coordinate[1], a.coordinate[v9 ? 3 : 2]};
    const struct mali_code_form *form =
        mali_ir_texel_address(e, b, v9, warp_handle_number(a.index.known), xyz, &at);
    if (!form)
        return false;
    if (v9) {
        LLVMValueRef none = LLVMBuildICmp(b->ir, LLVMIntEQ, a.coordinate[2], jit_splat_u32(b, 0), "");
        at = jit_select(b, none, at, jit_splat(b, jit_i64(b, MALI_NOWHERE)));
    }
    put_address(b, at, out);
    out[2] = jit_splat_u32(
        b, mali_conversion_word_asked(version, form->word, (enum raster_format)form->format, &asked));
    return true;
}

/* ---- stores by conversion words ---- */

/* What stands at an address that the program has as it was given. NULL: it is not known. */
static const struct mali_ir_given *given_at(const struct mali_world_ir *e, const struct warp_ir_message *m)
{
    const LLVMValueRef word[3] = {m->operand[0][0], m->operand[0][1], m->operand[1][0]};
    for (unsigned n = 0; n < UTIL_MIN(e->given_count, MALI_IR_GIVEN); n++) {
        const struct mali_ir_given *g = &e->given[n];
        if (g->word[0] == word[0] && g->word[1] == word[1] && g->word[2] == word[2])
            return g;
    }
    return NULL;
}

/* By memory's ways, of which the last is the port's. */
static LLVMValueRef store_at(struct mali_world_ir *e, struct jit_builder *b, const struct warp_ir_message *m,
                             uint32_t bytes, LLVMValueRef mask, const LLVMValueRef word[4],
                             LLVMValueRef out[WARP_MESSAGE_WORDS], LLVMValueRef *leave, LLVMValueRef *address)
{
    struct mali_ir_ways w = {.count = 0};
    LLVMValueRef at = LLVMBuildZExt(b->ir, m->operand[0][1], b->i64x16, "");
    at = LLVMBuildShl(b->ir, at, jit_splat(b, jit_i64(b, 32)), "");
    const struct isa_ir_access access = {
        .space = ISA_SPACE_GLOBAL,
        .bytes = (uint8_t)bytes,
        .enable = (uint16_t)((1u << bytes) - 1),
        .address = LLVMBuildOr(b->ir, at, LLVMBuildZExt(b->ir, m->operand[0][0], b->i64x16, ""), "")};
    if (!b->quick)
        mali_ir_store_ways(e, b, &access, mask, word, &w);
    LLVMValueRef bad = e->call.message(e, b, m, mask, out, leave, address);
    return w.count ? mali_ir_ways_fault(b, &w, bad, address) : bad;
}

static LLVMValueRef store_converted(struct mali_world_ir *e, struct jit_builder *b,
                                    const struct warp_ir_message *m, LLVMValueRef mask,
                                    LLVMValueRef out[WARP_MESSAGE_WORDS], LLVMValueRef *leave,
                                    LLVMValueRef *address)
{
    const struct mali_ir_given *given = given_at(e, m);
    const struct warp_asked asked = warp_asked_of(m->insn);
    struct mali_conversion c;
    const struct isa_ir_number by = warp_ir_number(m->operand[1][0]);
    LLVMValueRef value[4] = {m->value[0], m->value[1], m->value[2], m->value[3]}, word[4];
    if (by.lanes || !mali_conversion_read((enum mali_version)e->forms->version, by.known, &asked, &c))
        return e->call.message(e, b, m, mask, out, leave, address);
    if (c.constant)
        return NULL;
    const struct mali_code_form form = {.format = (uint16_t)c.format, .order = (uint16_t)c.order};
    mali_ir_registers_widen(b, &c.in, value);
    mali_ir_convert_back(b, &form, c.in.type, false, value, word);
    if (!given || given->element.form->format != form.format || e->forms->tracks)
        return store_at(e, b, m, raster_format_bytes(c.format), mask, word, out, leave, address);
    mali_ir_element_store(e, b, &given->element, mask, word);
    return NULL;
}

/* ---- vertices of malloc vertex jobs ---- */

static LLVMValueRef vertices_field(const struct mali_world_ir *e, struct jit_builder *b, size_t field)
{
    return mali_ir_place(e, b, b->i32, offsetof(struct mali_code, vertices) + field);
}
#define VERTICES(field) vertices_field(e, b, offsetof(struct mali_vertices, field))

/* i64x16: `bytes` (i32) for each number from `begin` (i32) on; nowhere where that is 0 and may be. */
static LLVMValueRef place_of(struct jit_builder *b, LLVMValueRef begin, bool may_lack, LLVMValueRef bytes,
                             LLVMValueRef number)
{
    LLVMValueRef at = LLVMBuildZExt(b->ir, number, b->i64x16, "");
    at = LLVMBuildMul(b->ir, at, jit_splat(b, LLVMBuildZExt(b->ir, bytes, b->i64, "")), "");
    at = LLVMBuildAdd(b->ir, at, jit_splat(b, LLVMBuildZExt(b->ir, begin, b->i64, "")), "");
    if (!may_lack)
        return at;
    LLVMValueRef lacks = LLVMBuildICmp(b->ir, LLVMIntEQ, begin, jit_i32(b, 0), "");
    return jit_select(b, jit_splat(b, lacks), jit_splat(b, jit_i64(b, MALI_NOWHERE)), at);
}

/* mali_vertex_number, mali_vertex_is_size. */
static bool vertex_address(const struct mali_world_ir *e, struct jit_builder *b,
                           const struct warp_ir_message *m, LLVMValueRef out[WARP_MESSAGE_WORDS])
{
    const uint8_t kind = e->forms->kind;
    const struct isa_ir_number handle = warp_ir_number(m->operand[1][0]);
    LLVMValueRef id = m->operand[0][0], number, at;
    if (e->forms->version < MALI_V9 || (kind != MALI_THREADS_POSITION && kind != MALI_THREADS_VARYING) ||
        handle.lanes || handle.known != MALI_VERTICES_HANDLE)
        return false;
    number = LLVMBuildLShr(b->ir, id, jit_splat_u32(b, 1), "");
    number = LLVMBuildAnd(b->ir, number, jit_splat_u32(b, ~3u), "");
    number = LLVMBuildOr(b->ir, number, LLVMBuildAnd(b->ir, id, jit_splat_u32(b, 3), ""), "");
    if (kind == MALI_THREADS_VARYING) {
        at = place_of(b, VERTICES(varyings), true, VERTICES(stride), number);
    } else {
        LLVMValueRef is_size = LLVMBuildAnd(b->ir, id, jit_splat_u32(b, 4), "");
        is_size = LLVMBuildICmp(b->ir, LLVMIntNE, is_size, jit_splat_u32(b, 0), "");
        at = jit_select(b, is_size,
                        place_of(b, VERTICES(point_sizes), true, jit_i32(b, MALI_POINT_SIZE_BYTES), number),
                        place_of(b, VERTICES(positions), false, jit_i32(b, MALI_POSITION_BYTES), number));
    }
    put_address(b, at, out);
    return true;
}

/* A stream's array that a store may be to, of which each lane has its own part. */
struct stream {
    LLVMValueRef begin, stride; /* i64 */
    LLVMValueRef own;           /* i1x16: lanes whose store is in it */
};

/* False: the port is to be called. */
static bool take_stream(const struct mali_world_ir *e, struct jit_builder *b, const struct isa_ir_access *a,
                        struct stream *s)
{
    const bool varying = a->hint == MALI_STREAM_VARYING;
    const bool size = !varying && a->bytes <= MALI_POINT_SIZE_BYTES;
    const enum mali_code_stream stream = varying ? MALI_STREAM_OF_VARYINGS
                                         : size  ? MALI_STREAM_OF_SIZES
                                                 : MALI_STREAM_OF_POSITIONS;
    if ((!varying && a->hint != MALI_STREAM_POSITION) ||
        e->forms->kind != (varying ? MALI_THREADS_VARYING : MALI_THREADS_POSITION) ||
        !(e->forms->streams >> stream & 1) || e->forms->tracks)
        return false;
    LLVMValueRef begin = varying ? VERTICES(varyings) : size ? VERTICES(point_sizes) : VERTICES(positions);
    s->begin = LLVMBuildZExt(b->ir, begin, b->i64, "");
    s->stride = varying ? LLVMBuildZExt(b->ir, VERTICES(stride), b->i64, "")
                        : jit_i64(b, size ? MALI_POINT_SIZE_BYTES : MALI_POSITION_BYTES);
    LLVMValueRef number = mali_ir_lanes_of_threads(e, b, offsetof(struct mali_threads, number));
    LLVMValueRef at = LLVMBuildZExt(b->ir, number, b->i64x16, ""), bytes = jit_i64(b, a->bytes);
    at = LLVMBuildMul(b->ir, at, jit_splat(b, s->stride), "");
    at = LLVMBuildSub(b->ir, a->address, LLVMBuildAdd(b->ir, at, jit_splat(b, s->begin), ""), "");
    LLVMValueRef room = LLVMBuildSub(b->ir, s->stride, bytes, "");
    LLVMValueRef fits = LLVMBuildICmp(b->ir, LLVMIntUGE, s->stride, bytes, "");
    s->own = LLVMBuildICmp(b->ir, LLVMIntULE, at, jit_splat(b, room), "");
    s->own = LLVMBuildAnd(b->ir, s->own, jit_splat(b, fits), "");
    return true;
}

/* Whether lane n stores n strides behind lane 0, and all lanes do. */
static LLVMValueRef in_a_row(struct jit_builder *b, const struct stream *s, LLVMValueRef address,
                             LLVMValueRef mask)
{
    LLVMValueRef row = LLVMBuildZExt(b->ir, jit_lane_ids(b), b->i64x16, "");
    row = LLVMBuildMul(b->ir, row, jit_splat(b, s->stride), "");
    row = LLVMBuildAdd(b->ir, row, jit_splat(b, mali_ir_lane(b, address, 0)), "");
    row = LLVMBuildICmp(b->ir, LLVMIntEQ, row, address, "");
    return jit_mask_all(b, LLVMBuildAnd(b->ir, LLVMBuildAnd(b->ir, row, s->own, ""), mask, ""));
}

LLVMValueRef mali_ir_store_stream(struct mali_world_ir *e, struct jit_builder *b,
                                  const struct isa_ir_access *a, LLVMValueRef mask,
                                  const LLVMValueRef value[4], LLVMValueRef *address)
{
    struct mali_ir_ways w = {.count = 0};
    struct stream s;
    LLVMValueRef at[16];
    if (!take_stream(e, b, a, &s))
        return e->call.store(e, b, a, mask, value, address);
    LLVMValueRef window = mali_ir_place(e, b, b->ptr, offsetof(struct mali_code, window));
    LLVMValueRef nowhere = mali_ir_scratch(e, b);
    mali_ir_way(b, &w, in_a_row(b, &s, a->address, mask));
    mali_ir_row(b, jit_offset(b, window, mali_ir_lane(b, a->address, 0)), s.stride, at);
    gpu_array_ir_put(b, at, a->bytes, value);
    mali_ir_way_end(b, &w);
    mali_ir_way(b, &w, jit_mask_all(b, LLVMBuildOr(b->ir, s.own, LLVMBuildNot(b->ir, mask, ""), "")));
    mali_ir_addresses(b, window, mali_ir_narrow(b, a->address), mask, nowhere, at);
    gpu_array_ir_put(b, at, a->bytes, value);
    mali_ir_way_end(b, &w);
    LLVMValueRef bad = e->call.store(e, b, a, mask, value, address);
    return mali_ir_ways_fault(b, &w, bad, address);
}

/* ---- the port ---- */

LLVMValueRef mali_ir_message(void *ctx, struct jit_builder *b, const struct warp_ir_message *m,
                             LLVMValueRef mask, LLVMValueRef out[WARP_MESSAGE_WORDS], LLVMValueRef *leave,
                             LLVMValueRef *address)
{
    struct mali_world_ir *e = ctx;
    bool done = false;
    switch (m->insn->message) {
    case WARP_ATTRIBUTE: done = attribute(e, b, m, out); break;
    case WARP_LEA_ATTRIBUTE: done = varying_address(e, b, m, out); break;
    case WARP_LEA_IMAGE: done = texel_address(e, b, m, out); break;
    case WARP_LEA_BUFFER: done = vertex_address(e, b, m, out); break;
    case WARP_STORE_CONVERT: return store_converted(e, b, m, mask, out, leave, address);
    default: break;
    }
    return done ? NULL : e->call.message(e, b, m, mask, out, leave, address);
}
