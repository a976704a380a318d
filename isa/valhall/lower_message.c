/* Decoded messages as instructions of isa/warp. */
#include "isa/ports.h"
#include "isa/valhall/names.h"
#include "isa/valhall/program.h"

static void unsupported(const struct valhall_insn *i, struct warp_insn *out)
{
    *out = (struct warp_insn){
        .kind = WARP_UNSUPPORTED, .at = out->at, .flow = out->flow, .name = valhall_info(i->op)->text};
}

/* ---- memory ---- */

static void access_of(const struct valhall_insn *i, struct warp_insn *out)
{
    out->bytes = (uint8_t)(valhall_types[valhall_info(i->op)->type].bits / 8);
    out->offset = i->offset;
    out->hint = i->access;
    out->space = ISA_SPACE_GLOBAL;
}

/* Where what is loaded goes. Of 24 and 48 bits it is extended to whole registers. */
static void into(const struct valhall_insn *i, struct warp_insn *out)
{
    const struct valhall_select_info *s = &valhall_selects[i->into];
    out->sign = !i->zero_extend;
    if (s->bits) {
        out->into_bits = s->bits;
        out->into_bit = (uint8_t)(s->bits * s->element[0]);
    } else if (out->bytes < 8) {
        out->into_bits = out->bytes < 4 ? 32 : 64;
    }
}

static void atomic(const struct valhall_insn *i, struct warp_insn *out)
{
    static const uint8_t two[] = {
        [VALHALL_ATOMIC_ADD] = ISA_ATOMIC_ADD,      [VALHALL_ATOMIC_SMIN] = ISA_ATOMIC_IMIN,
        [VALHALL_ATOMIC_SMAX] = ISA_ATOMIC_IMAX,    [VALHALL_ATOMIC_UMIN] = ISA_ATOMIC_UMIN,
        [VALHALL_ATOMIC_UMAX] = ISA_ATOMIC_UMAX,    [VALHALL_ATOMIC_AND] = ISA_ATOMIC_AND,
        [VALHALL_ATOMIC_OR] = ISA_ATOMIC_OR,        [VALHALL_ATOMIC_XOR] = ISA_ATOMIC_XOR,
        [VALHALL_ATOMIC_XCHG] = ISA_ATOMIC_EXCHANGE};
    static const uint8_t one[] = {[VALHALL_ATOMIC_1_INC] = ISA_ATOMIC_ADD,
                                  [VALHALL_ATOMIC_1_DEC] = ISA_ATOMIC_ADD,
                                  [VALHALL_ATOMIC_1_UMAX] = ISA_ATOMIC_UMAX,
                                  [VALHALL_ATOMIC_1_SMAX] = ISA_ATOMIC_IMAX,
                                  [VALHALL_ATOMIC_1_OR] = ISA_ATOMIC_OR};
    const bool alone = valhall_has_field(i->op, VALHALL_FIELD_ATOMIC_1);
    access_of(i, out);
    out->kind = WARP_ATOMIC;
    out->atomic = alone ? one[i->atomic] : two[i->atomic];
    out->has_value = !alone;
    out->value = i->atomic == VALHALL_ATOMIC_1_DEC ? UINT64_MAX : 1;
    out->compare = i->compare;
    if (i->compare && i->atomic == VALHALL_ATOMIC_XCHG)
        out->atomic = ISA_ATOMIC_COMPARE_EXCHANGE;
    else if (i->compare)
        unsupported(i, out);
}

/* ---- descriptors ---- */

static void handle(const struct valhall_insn *i, unsigned n, struct warp_insn *out)
{
    out->source[n] = (struct warp_source){
        .from = WARP_CONSTANT, .value = (uint32_t)i->table << WARP_HANDLE_TABLE_AT | i->index, .width = 32};
}

static void number(uint64_t value, unsigned n, struct warp_insn *out)
{
    out->source[n] = (struct warp_source){.from = WARP_CONSTANT, .value = value, .width = 32};
}

static void register_format(const struct valhall_insn *i, struct warp_insn *out)
{
    static const struct {
        uint8_t type;
        bool halves;
    } formats[] = {[VALHALL_REGISTER_FORMAT_AUTO] = {ISA_TYPE_RAW, false},
                   [VALHALL_REGISTER_FORMAT_F32] = {ISA_TYPE_F32, false},
                   [VALHALL_REGISTER_FORMAT_F16] = {ISA_TYPE_F16, true},
                   [VALHALL_REGISTER_FORMAT_S32] = {ISA_TYPE_I32, false},
                   [VALHALL_REGISTER_FORMAT_S16] = {ISA_TYPE_I32, true},
                   [VALHALL_REGISTER_FORMAT_U32] = {ISA_TYPE_U32, false},
                   [VALHALL_REGISTER_FORMAT_U16] = {ISA_TYPE_U32, true}};
    out->components = (uint8_t)(i->vector_size + 1);
    if (!valhall_has_field(i->op, VALHALL_FIELD_REGISTER_FORMAT)) {
        out->halves = valhall_info(i->op)->type == VALHALL_TYPE_F16;
        out->type = out->halves ? ISA_TYPE_F16 : ISA_TYPE_F32;
        return;
    }
    out->any_type = i->register_format == VALHALL_REGISTER_FORMAT_AUTO;
    out->type = formats[i->register_format].type;
    out->halves = formats[i->register_format].halves;
}

/* ---- textures ---- */

static void texture_level(const struct valhall_insn *i, struct warp_insn *out)
{
    static const uint8_t levels[] = {[VALHALL_LOD_MODE_ZERO] = WARP_LEVEL_ZERO,
                                     [VALHALL_LOD_MODE_COMPUTED] = WARP_LEVEL_COMPUTED,
                                     [VALHALL_LOD_MODE_EXPLICIT] = WARP_LEVEL_GIVEN,
                                     [VALHALL_LOD_MODE_COMPUTED_BIAS] = WARP_LEVEL_BIAS,
                                     /* the descriptor's first word is read as a level is */
                                     [VALHALL_LOD_MODE_GRDESC] = WARP_LEVEL_GIVEN};
    const bool computed =
        i->lod_mode == VALHALL_LOD_MODE_COMPUTED || i->lod_mode == VALHALL_LOD_MODE_COMPUTED_BIAS;
    out->level = levels[i->lod_mode];
    out->texture_op = computed ? ISA_TEXTURE_SAMPLE : ISA_TEXTURE_LOD;
}

static void texture(const struct valhall_insn *i, struct warp_insn *out)
{
    static const uint8_t dimensions[] = {1, 2, 3, 0};
    static const uint8_t samplers[] = {[VALHALL_REGISTER_TYPE_AUTO] = 0,
                                       [VALHALL_REGISTER_TYPE_F] = ISA_SAMPLER_FLOAT,
                                       [VALHALL_REGISTER_TYPE_U] = ISA_SAMPLER_UNSIGNED,
                                       [VALHALL_REGISTER_TYPE_S] = ISA_SAMPLER_SIGNED};
    out->kind = WARP_TEXTURE;
    texture_level(i, out);
    out->mode = i->shadow ? ISA_TEXTURE_SHADOW : ISA_TEXTURE_PLAIN;
    out->dimensions = dimensions[i->dimension];
    out->sampler_type = samplers[i->register_type];
    out->write_mask = i->write_mask;
    out->array = i->array;
    out->shadow = i->shadow;
    out->texel_offset = i->texel_offset;
    out->wide_handle = i->wide_indices;
    out->halves = i->register_width == VALHALL_WIDTH_16;
    out->second_halves = i->second_width == VALHALL_WIDTH_16;
    if (i->op == VALHALL_TEX_FETCH || i->integer)
        out->texture_op = ISA_TEXTURE_FETCH;
    if (valhall_has_field(i->op, VALHALL_FIELD_FETCH))
        out->mode = i->shadow ? ISA_TEXTURE_GATHER_SHADOW : (uint8_t)(ISA_TEXTURE_GATHER + i->fetch);
}

/* The level of derivatives that are given, or of the quad's coordinates. */
static void gradient(const struct valhall_insn *i, bool given, struct warp_insn *out)
{
    out->texture_op = ISA_TEXTURE_LEVEL;
    out->sampler_type = ISA_SAMPLER_UNSIGNED;
    out->level = given ? WARP_LEVEL_ZERO : WARP_LEVEL_COMPUTED;
    out->gradient = given;
    out->no_bias = i->no_bias;
    out->no_clamp = i->no_clamp;
}

/* Two handles and wide ones have no room in one operand. */
static void texture_alone(const struct valhall_insn *i, struct warp_insn *out)
{
    texture(i, out);
    out->dual = i->op == VALHALL_TEX_DUAL;
    if (i->op == VALHALL_TEX_GRADIENT)
        gradient(i, i->derivative, out);
    if ((out->dual && i->wide_indices) || (i->op == VALHALL_TEX_GRADIENT && i->derivative == i->force_delta))
        unsupported(i, out);
}

/* Of singles, two at most; neither a layer nor a reference nor a level is read, and nothing says which sample, or
 * which of its pixel's are covered. */
static bool varying_is_explained(const struct valhall_insn *i, bool dual)
{
    const bool two_widths = i->vartex_width >= VALHALL_VARTEX_WIDTH_16_32;
    return i->dimension <= VALHALL_DIMENSION_2D && !i->array && !i->shadow &&
           i->lod_mode <= VALHALL_LOD_MODE_COMPUTED &&
           (i->sample_update == VALHALL_SAMPLE_UPDATE_CENTER_STORE ||
            i->sample_update == VALHALL_SAMPLE_UPDATE_CENTER_CLOBBER) &&
           (dual ? i->vartex_width != VALHALL_VARTEX_WIDTH_32 : !two_widths);
}

static void texture_of_varying(const struct valhall_insn *i, enum warp_message_kind kind,
                               struct warp_insn *out)
{
    const bool dual = i->op == VALHALL_VAR_TEX_DUAL || i->op == VALHALL_VAR_TEX_BUF_DUAL;
    texture(i, out);
    out->of_varying = true;
    out->message = (uint8_t)kind;
    out->type = ISA_TYPE_F32;
    out->sample = WARP_SAMPLE_CENTER;
    out->source_format = VALHALL_SOURCE_FORMAT_F32;
    if (i->sample_update == VALHALL_SAMPLE_UPDATE_CENTER_CLOBBER)
        out->update = WARP_UPDATE_CLOBBER;
    out->dual = dual;
    out->halves = i->vartex_width == VALHALL_VARTEX_WIDTH_16 || i->vartex_width == VALHALL_VARTEX_WIDTH_16_32;
    out->second_halves = i->vartex_width == VALHALL_VARTEX_WIDTH_16;
    out->write_mask = 15;
    if (i->op == VALHALL_VAR_TEX_GRADIENT || i->op == VALHALL_VAR_TEX_BUF_GRADIENT)
        gradient(i, false, out);
    if (!varying_is_explained(i, dual))
        unsupported(i, out);
}

/* ---- */

static void as_it_is(enum warp_message_kind kind, const struct valhall_insn *i, struct warp_insn *out)
{
    out->kind = WARP_MESSAGE;
    out->message = (uint8_t)kind;
    out->sample = i->sample;
    out->update = i->update;
    out->source_format = i->source_format;
    out->z = i->z;
    out->stencil = i->stencil;
    out->offset = i->offset;
    out->hint = i->access;
    register_format(i, out);
}

static bool described(const struct valhall_insn *i, struct warp_insn *out)
{
    static const uint8_t kinds[VALHALL_OP_COUNT] = {[VALHALL_LD_VAR_SPECIAL] = 1 + WARP_VARYING_SPECIAL,
                                                    [VALHALL_LD_VAR_BUF_IMM_F32] = 1 + WARP_VARYING_BYTES,
                                                    [VALHALL_LD_VAR_BUF_IMM_F16] = 1 + WARP_VARYING_BYTES,
                                                    [VALHALL_LD_VAR_BUF_F32] = 1 + WARP_VARYING_BYTES,
                                                    [VALHALL_LD_VAR_BUF_F16] = 1 + WARP_VARYING_BYTES,
                                                    [VALHALL_LD_VAR] = 1 + WARP_VARYING,
                                                    [VALHALL_LD_VAR_IMM] = 1 + WARP_VARYING,
                                                    [VALHALL_LD_VAR_FLAT] = 1 + WARP_VARYING_FLAT,
                                                    [VALHALL_LD_VAR_FLAT_IMM] = 1 + WARP_VARYING_FLAT,
                                                    [VALHALL_LD_ATTR_IMM] = 1 + WARP_ATTRIBUTE,
                                                    [VALHALL_LD_TEX_IMM] = 1 + WARP_IMAGE,
                                                    [VALHALL_LD_ATTR] = 1 + WARP_ATTRIBUTE,
                                                    [VALHALL_LD_TEX] = 1 + WARP_IMAGE,
                                                    [VALHALL_LEA_ATTR_IMM] = 1 + WARP_LEA_ATTRIBUTE,
                                                    [VALHALL_LEA_TEX_IMM] = 1 + WARP_LEA_IMAGE,
                                                    [VALHALL_LEA_ATTR] = 1 + WARP_LEA_ATTRIBUTE,
                                                    [VALHALL_LEA_TEX] = 1 + WARP_LEA_IMAGE,
                                                    [VALHALL_LEA_BUF_IMM] = 1 + WARP_LEA_BUFFER,
                                                    [VALHALL_LEA_BUFFER] = 1 + WARP_LEA_BUFFER,
                                                    [VALHALL_ST_CVT] = 1 + WARP_STORE_CONVERT,
                                                    [VALHALL_LD_TILE] = 1 + WARP_TILE,
                                                    [VALHALL_ST_TILE] = 1 + WARP_STORE_TILE,
                                                    [VALHALL_BLEND] = 1 + WARP_BLEND,
                                                    [VALHALL_ATEST] = 1 + WARP_ATEST,
                                                    [VALHALL_ZS_EMIT] = 1 + WARP_ZS_EMIT};
    if (!kinds[i->op])
        return false;
    as_it_is((enum warp_message_kind)(kinds[i->op] - 1), i, out);
    switch (i->op) {
    case VALHALL_LD_VAR_SPECIAL:
    case VALHALL_LD_VAR_BUF_IMM_F32:
    case VALHALL_LD_VAR_BUF_IMM_F16: number(i->index, 1, out); break;
    case VALHALL_LD_VAR_IMM:
    case VALHALL_LEA_BUF_IMM: handle(i, 1, out); break;
    case VALHALL_LD_VAR_FLAT_IMM:
        number(0, 0, out);
        handle(i, 1, out);
        break;
    case VALHALL_LD_ATTR_IMM:
    case VALHALL_LD_TEX_IMM:
    case VALHALL_LEA_ATTR_IMM:
    case VALHALL_LEA_TEX_IMM: handle(i, 2, out); break;
    case VALHALL_ATEST: /* alpha may be a half */
        if (valhall_selects[i->source[1].select].bits == 16) {
            out->source[1].width = 16;
            out->source[1].lane[0] = valhall_selects[i->source[1].select].element[0];
        }
        break;
    default: break;
    }
    return true;
}

void valhall_lower_message(const struct valhall_insn *i, struct warp_insn *out)
{
    if (described(i, out))
        return;
    switch (i->op) {
    case VALHALL_VAR_TEX_SINGLE:
    case VALHALL_VAR_TEX_DUAL:
    case VALHALL_VAR_TEX_GRADIENT:
    case VALHALL_VAR_TEX_GATHER: texture_of_varying(i, WARP_VARYING, out); return;
    case VALHALL_VAR_TEX_BUF_SINGLE:
    case VALHALL_VAR_TEX_BUF_DUAL:
    case VALHALL_VAR_TEX_BUF_GRADIENT:
    case VALHALL_VAR_TEX_BUF_GATHER: texture_of_varying(i, WARP_VARYING_BYTES, out); return;
    case VALHALL_TEX_FETCH:
    case VALHALL_TEX_SINGLE:
    case VALHALL_TEX_GATHER:
    case VALHALL_TEX_GRADIENT:
    case VALHALL_TEX_DUAL: texture_alone(i, out); return;
    default: break;
    }
    if (i->op >= VALHALL_LOAD_I8 && i->op <= VALHALL_LOAD_I128) {
        out->kind = WARP_LOAD;
        access_of(i, out);
        into(i, out);
    } else if (i->op >= VALHALL_STORE_I8 && i->op <= VALHALL_STORE_I128) {
        out->kind = WARP_STORE;
        out->own = i->access ==
                   VALHALL_ACCESS_FORCE; /* in discarded threads, too: of thread storage (Mesa's ISA.xml) */
        access_of(i, out);
    } else if (i->op >= VALHALL_LD_BUFFER_I8 && i->op <= VALHALL_LD_BUFFER_I128) {
        out->kind = WARP_BUFFER;
        access_of(i, out);
        into(i, out);
    } else if (i->op >= VALHALL_ATOM1_RETURN_I32 && i->op <= VALHALL_ATOM_RETURN_I64) {
        atomic(i, out);
    } else {
        unsupported(i, out);
    }
}
