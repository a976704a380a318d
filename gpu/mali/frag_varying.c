/* Varyings of a draw: which of them the program reads, where a vertex has them, and how set-up takes them. */
#include <string.h>

#include <immintrin.h>

#include "gpu/mali/frag_internal.h"
#include "isa/midgard/names.h"
#include "raster/texture/sampler.h"
#include "util/bits.h"
#include "util/half.h"

static void look_at(const struct midgard_memory *m, struct mali_frag_asked *asked)
{
    const struct midgard_memory_info *info = midgard_memory_info(m->op);
    uint32_t index = (uint32_t)midgard_offset_index(m), how = (uint32_t)midgard_offset_rest(m);
    if (!info || info->class != MIDGARD_VARYING)
        return;
    bool flat = how & ISA_INTERPOLATE_FLAT;
    asked->linear |= !flat && !(how & ISA_INTERPOLATE_PERSPECTIVE);
    if (m->index_reg != MIDGARD_A_ZERO) {
        memset(asked->smooth, true, sizeof asked->smooth);
        return;
    }
    if (index < FRAG_VARYINGS_MOST)
        (flat ? asked->flat : asked->smooth)[index] = true;
}

static void look(const struct midgard_program *p, struct mali_frag_asked *asked)
{
    for (uint32_t n = 0; p && n < p->insn_count; n++)
        if (midgard_kind_of(p->insns[n].tag) == MIDGARD_LOAD_STORE)
            for (unsigned k = 0; k < 2; k++)
                look_at(&p->insns[n].memory[k], asked);
}

bool mali_frag_describe(const struct mali_frag *f, uint32_t index, struct mali_frag_descriptor *out,
                        struct mali_stop *stop)
{
    const enum mali_version version = f->shared->job->version;
    const struct mali_array *array;
    *out = (struct mali_frag_descriptor){.kind = MALI_ARRAY_NONE};
    if (version >= MALI_V9)
        return mali_frag_describe_v9(f, index, out, stop);
    const struct mali_attribute *a = mali_world_attribute(&f->world, true, index, &array, &out->format, stop);
    if (!a)
        return false;
    out->kind = array->kind;
    out->array = mali_array_is_linear(array) ? NULL : array;
    out->address = array->pointer + (uint64_t)(int64_t)a->offset;
    out->stride = array->stride;
    out->constant = a->format == MALI_FORMAT_CONSTANT;
    return mali_order_of(version, a->order, &out->order) ||
           mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, FRAG_UNIT,
                         f->job.draw.varyings, "varying %u has its channels in order %u", index, a->order);
}

/* What a flat or an interpolated varying takes among the primitive's. */
static uint8_t width_of(enum raster_format format, bool flat)
{
    const struct raster_texel *texel = &raster_texels[format];
    uint8_t channels = 0;
    if (flat)
        return (uint8_t)util_div_up(raster_format_bytes(format), 4);
    for (unsigned c = 0; c < 4; c++)
        if (texel->channel[c].bits)
            channels = (uint8_t)(c + 1);
    return channels;
}

/* The row's channels as they stand, and all of one kind. */
static bool is_plain(enum raster_format format, unsigned bits)
{
    const struct raster_texel *texel = &raster_texels[format];
    for (unsigned c = 0; c < 4; c++) {
        const bool there = texel->channel[c].bits;
        if (there && (texel->channel[c].bits != bits || texel->channel[c].kind != RASTER_KIND_FLOAT ||
                      texel->channel[c].at != c * bits || texel->from[c] != c))
            return false;
    }
    return true;
}

static uint8_t unpacking_of(enum raster_format format, bool flat)
{
    return flat || is_plain(format, 32) ? FRAG_COPY : is_plain(format, 16) ? FRAG_HALVES : FRAG_UNPACK;
}

static bool too_many(const struct mali_frag *f, struct mali_stop *stop)
{
    return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, FRAG_UNIT,
                         f->job.draw.varyings, "more than %u varyings a vertex are not done",
                         RASTER_MAX_VARYINGS);
}

/* Descriptor n, if it is of vertices and `flat` or not. What cannot be used is the port's to refuse. */
static bool place(struct mali_frag *f, uint32_t n, const struct mali_frag_asked *asked, bool flat,
                  struct mali_stop *stop)
{
    struct mali_frag_descriptor d;
    struct mali_stop unheard;
    if (!mali_frag_describe(f, n | f->varying_table, &d, &unheard) || d.kind != MALI_ARRAY_1D || d.constant)
        return true;
    if (flat != (raster_sampler_integer(d.format) || !asked->smooth[n]))
        return true;
    struct mali_frag_slot slot = {.address = d.address,
                                  .stride = d.stride,
                                  .format = (uint16_t)d.format,
                                  .divided = d.array,
                                  .flat = flat,
                                  .first = (uint8_t)f->vary_count,
                                  .count = width_of(d.format, flat),
                                  .bytes = (uint8_t)raster_format_bytes(d.format),
                                  .as = unpacking_of(d.format, flat)};
    uint32_t end = f->vary_count + slot.count;
    if (end + f->ahead > RASTER_MAX_VARYINGS)
        return too_many(f, stop);
    f->flat = flat ? end : f->flat;
    f->slot_of[n] = (uint8_t)f->slot_count;
    f->slot[f->slot_count++] = slot;
    f->vary_count = end;
    return true;
}

static bool place_all(struct mali_frag *f, bool flat, struct mali_stop *stop)
{
    const struct mali_frag_asked *asked = f->asked;
    const uint32_t count =
        f->shared->job->version <= MALI_V7 ? f->job.bindings.state.varying_count : FRAG_VARYINGS_MOST;
    for (uint32_t k = 0; k < asked->count && asked->number[k] < count; k++)
        if (!place(f, asked->number[k], asked, flat, stop))
            return false;
    return mali_frag_place_words(f, asked, flat) || too_many(f, stop);
}

static void look_all(const struct mali_decoded *program, struct mali_frag_asked *asked)
{
    if (program->warp)
        mali_frag_look_warp(program->warp, asked);
    else
        look(program->midgard, asked);
    for (uint32_t n = 0; n < FRAG_VARYINGS_MOST; n++)
        if (asked->smooth[n] || asked->flat[n])
            asked->number[asked->count++] = (uint8_t)n;
    for (unsigned flat = 0; flat < 2; flat++)
        for (uint32_t n = 0; n < FRAG_WORDS_MOST; n++)
            asked->words += asked->word[flat][n] || asked->any_word[flat];
}

/* Looked for once a program, and what comes before it. NULL: no host memory. */
static const struct mali_frag_asked *find_asked(const struct mali_frag *f)
{
    static const char what[] = "varyings";
    const struct util_memo_key key = {f->messages, sizeof f->messages, what, sizeof what};
    enum util_make_status status;
    struct mali_frag_asked *asked = gpu_program_plan(f->world.from, &key, sizeof *asked, &status);
    if (status == UTIL_MAKING) {
        look_all(f->world.program, asked);
        util_memo_end(&f->world.from->plans, asked, true);
    }
    return asked;
}

/* Memory for what the program asks for; a slot has a descriptor or a word at least. False: there is none. */
static bool make_room(struct mali_frag *f)
{
    const uint32_t descriptors = f->asked->count, words = UTIL_MIN(f->asked->words, RASTER_MAX_VARYINGS);
    struct util_arena *arena = f->shared->arena;
    if (!descriptors && !words)
        return true;
    f->slot = util_arena_alloc(arena, (descriptors + words) * sizeof *f->slot);
    f->slot_of = util_arena_alloc(arena, FRAG_VARYINGS_MOST);
    f->word_of = words ? util_arena_alloc(arena, 2 * sizeof *f->word_of) : NULL;
    if (!f->slot || !f->slot_of || (words && !f->word_of))
        return false;
    memset(f->slot_of, FRAG_NO_SLOT, FRAG_VARYINGS_MOST);
    if (words)
        memset(f->word_of, FRAG_NO_SLOT, 2 * sizeof *f->word_of);
    return true;
}

bool mali_frag_place_varyings(struct mali_frag *f, struct mali_stop *stop)
{
    if (!f->has_program)
        return true;
    f->asked = find_asked(f);
    if (!f->asked || !make_room(f))
        return mali_stop_set(stop, MALI_OOM, GPU_FAULT_SHADER, FRAG_UNIT, f->world.address,
                             "no host memory for a program's varyings");
    f->varying_table = f->asked->table;
    if (f->asked->linear)
        return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, FRAG_UNIT,
                             f->world.address, "varyings without perspective are not done");
    /* flat ones come first (raster_setup.flat_below) */
    return place_all(f, true, stop) && place_all(f, false, stop);
}

/* Whether a vertex has its varyings one behind the other, and they need no more than to be read. */
static bool are_plain(const struct mali_frag *f)
{
    const struct mali_frag_slot *first = &f->slot[0];
    if ((first->address | first->stride) % sizeof(float) || first->address > UINT32_MAX)
        return false;
    for (uint32_t n = 0; n < f->slot_count; n++) {
        const struct mali_frag_slot *s = &f->slot[n];
        if (s->as != FRAG_COPY || s->divided || s->stride != first->stride ||
            s->bytes != s->count * sizeof(float) || s->address != first->address + s->first * sizeof(float))
            return false;
    }
    return true;
}

void mali_frag_say_varyings(const struct mali_frag *f, struct gpu_frame_draw *draw)
{
    if (!f->slot_count)
        return;
    draw->varyings = (uint32_t)f->slot[0].address;
    draw->varying_stride = f->slot[0].stride;
    draw->varyings_plain = are_plain(f);
}

/* ---- vertices ---- */

/* At most 16 bytes, above them zeros. */
static __m128i load(const uint8_t *at, uint32_t bytes)
{
    uint32_t word[4] = {0};
    switch (bytes) {
    case 2: return _mm_cvtsi32_si128(util_load16(at));
    case 4: return _mm_cvtsi32_si128((int32_t)util_load32(at));
    case 6: return _mm_insert_epi16(_mm_cvtsi32_si128((int32_t)util_load32(at)), util_load16(at + 4), 2);
    case 8: return _mm_loadl_epi64((const __m128i *)at);
    case 12: return _mm_insert_epi32(_mm_loadl_epi64((const __m128i *)at), (int32_t)util_load32(at + 8), 2);
    case 16: return _mm_loadu_si128((const __m128i *)at);
    default: memcpy(word, at, bytes); return _mm_loadu_si128((const __m128i *)word);
    }
}

/* Up to four numbers, of which the slot's count. */
static __m128i numbers(const struct mali_frag_slot *s, const uint8_t *at)
{
    uint32_t channel[4], word[4];
    __m128i v = load(at, s->bytes);
    if (s->as == FRAG_COPY)
        return v;
    if (s->as == FRAG_HALVES)
        return _mm_castps_si128(util_halves_to_floats(_mm_unpacklo_epi16(v, _mm_setzero_si128())));
    _mm_storeu_si128((__m128i *)word, v);
    raster_texel_unpack(&raster_texels[s->format], word, channel);
    return _mm_loadu_si128((const __m128i *)channel);
}

static void read_slot(const struct mali_frag_slot *s, const uint8_t *at, float *out)
{
    __m128i v = numbers(s, at);
    if (s->first + 4u <= RASTER_MAX_VARYINGS)
        _mm_storeu_si128((__m128i *)(out + s->first), v); /* what is too much, the next slot overwrites */
    else
        memcpy(out + s->first, &v, s->count * sizeof *out);
}

/* ---- halves near each other ---- */

#define HALVES_BYTES 8u   /* a slot's, with what is behind */
#define HALVES_SPAN  256u /* a vertex's */

void mali_frag_find_halves(struct mali_frag *f, bool instruction)
{
    const struct mali_frag_slot *first = f->slot;
    uint64_t low = UINT64_MAX, high = 0;
    f->halves.bytes = 0;
    for (uint32_t n = 0; n < f->slot_count; n++) {
        const struct mali_frag_slot *s = &f->slot[n];
        if (!instruction || s->as != FRAG_HALVES || s->divided || s->stride != first->stride ||
            s->first + 4u > RASTER_MAX_VARYINGS)
            return;
        low = UTIL_MIN(low, s->address);
        high = UTIL_MAX(high, s->address);
    }
    if (f->slot_count && high <= UINT32_MAX && high - low <= HALVES_SPAN)
        f->halves = (struct mali_frag_halves){low, first->stride, (uint32_t)(high - low) + HALVES_BYTES};
}

/* How many vertices have theirs in memory, and the bytes behind them, from the first on: of the next it is found out slot
 * by slot which have not. */
__attribute__((target("avx2,f16c"))) static unsigned
fetch_halves(const struct mali_frag *f, const struct gpu_space *space, struct gpu_space_run *run,
             const uint32_t index[], unsigned count, float (*out)[RASTER_MAX_VARYINGS])
{
    const struct mali_frag_halves *h = &f->halves;
    for (unsigned k = 0; k < count; k++) {
        const uint64_t address = h->address + (uint64_t)index[k] * h->stride;
        const uint8_t *at = address <= UINT32_MAX ? gpu_space_near(space, run, address, h->bytes) : NULL;
        if (!at)
            return k;
        for (uint32_t n = 0; n < f->slot_count; n++) {
            const struct mali_frag_slot *s = &f->slot[n];
            __m128i v = _mm_loadl_epi64((const __m128i *)(at + (s->address - h->address)));
            _mm_storeu_ps(out[k] + s->first, _mm_cvtph_ps(v));
        }
    }
    return count;
}

static bool fetch_slots(const struct mali_frag *f, const struct gpu_space *space, struct gpu_space_run *run,
                        uint32_t index, float *out, struct gpu_fault *fault)
{
    for (uint32_t n = 0; n < f->slot_count; n++) {
        const struct mali_frag_slot *s = &f->slot[n];
        uint64_t element = s->divided ? mali_array_element(s->divided, index) : index;
        uint64_t address = s->address + element * s->stride;
        const uint8_t *at = address <= UINT32_MAX ? gpu_space_near(space, run, address, s->bytes) : NULL;
        if (!at)
            return gpu_fault_set(fault, GPU_FAULT_MEMORY, FRAG_UNIT, address,
                                 "a varying of vertex %u is not in memory", index);
        read_slot(s, at, out);
    }
    return true;
}

bool mali_frag_fetch(const struct mali_frag *f, const struct gpu_space *space, struct gpu_space_run *run,
                     const uint32_t index[], unsigned count, float (*out)[RASTER_MAX_VARYINGS],
                     struct gpu_fault *fault)
{
    for (unsigned k = f->halves.bytes ? fetch_halves(f, space, run, index, count, out) : 0; k < count; k++)
        if (!fetch_slots(f, space, run, index[k], out[k], fault))
            return false;
    return true;
}
