/* The Libre-SOC GPU's part of `vitrail decode`: registers, and the records of frames, draws, attributes and programs. */
#include "tools/decode.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <xxhash.h>

#include "gpu/libresoc/records.h"
#include "gpu/libresoc/regs.h"
#include "isa/simple_v/asm.h"
#include "util/bits.h"

struct libresoc_decode {
    struct decode *decode;
    uint32_t record[2]; /* RECORD_LOW and _HIGH as last written */
};

static int create(struct decode *d, void **self)
{
    struct libresoc_decode *v = *self = calloc(1, sizeof *v);
    if (!v)
        return -ENOMEM;
    v->decode = d;
    return 0;
}

/* ---- records ---- */

static void list_fields(struct libresoc_decode *v, enum libresoc_record_kind kind, uint64_t address)
{
    static const uint32_t sizes[LIBRESOC_RECORDS] = {LIBRESOC_FRAME_WORDS, LIBRESOC_DRAW_OWN_WORDS,
                                                     LIBRESOC_PROGRAM_WORDS, LIBRESOC_ATTRIBUTE_WORDS};
    struct gpu_field fields[LIBRESOC_RECORD_FIELDS];
    uint32_t words[LIBRESOC_DRAW_OWN_WORDS];
    const uint8_t *at = gpu_memory_at(&v->decode->memory, address, sizes[kind] * 4ull);
    if (!at)
        return;
    memcpy(words, at, sizes[kind] * 4ull);
    listing_table(&v->decode->listing, fields, libresoc_record_list(kind, words, fields));
}

struct text {
    const uint8_t *words;
    uint32_t count;
};

static int print_program(FILE *out, const void *program)
{
    const struct text *text = program;
    return simple_v_disasm_program(out, text->words, text->count);
}

static void list_program(struct libresoc_decode *v, enum libresoc_stage_kind stage,
                         const struct libresoc_program_record *record)
{
    struct listing *l = &v->decode->listing;
    const struct text text = {gpu_memory_at(&v->decode->memory, record->address, record->bytes),
                              record->bytes / SIMPLE_V_WORD_BYTES};
    if (!record->address)
        return;
    listing_open(l, "program", "%s at 0x%08" PRIx64 ", %u halfwords, entry 0x%x, uniforms at 0x%08" PRIx64,
                 libresoc_stage_name(stage), record->address, text.count, record->entry, record->uniforms);
    if (!text.words || text.count > LIBRESOC_PROGRAM_MOST)
        listing_lines(l, "(not in memory, or too long)");
    else if (v->decode->programs)
        decode_program(v->decode, XXH3_64bits(text.words, record->bytes), print_program, &text);
    listing_close(l);
}

static void list_attributes(struct libresoc_decode *v, const struct libresoc_draw_record *draw)
{
    struct listing *l = &v->decode->listing;
    for (uint32_t n = 0; n < draw->attribute_count; n++) {
        const uint64_t at = draw->attributes + n * (uint64_t)LIBRESOC_ATTRIBUTE_WORDS * 4;
        struct libresoc_attribute_record attribute;
        struct gpu_fault fault;
        listing_open(l, "attribute", "attribute %u", n);
        if (libresoc_attribute_read(&v->decode->memory, at, &attribute, &fault))
            list_fields(v, LIBRESOC_ATTRIBUTE, at);
        else
            listing_lines(l, fault.text);
        listing_close(l);
    }
}

/* False: what follows is no draw's, either. */
static bool list_draw(struct libresoc_decode *v, uint32_t number, uint64_t address)
{
    struct listing *l = &v->decode->listing;
    struct libresoc_draw_record draw;
    struct gpu_fault fault;
    const bool read = libresoc_draw_read(&v->decode->memory, address, &draw, &fault);
    listing_open(l, "draw", "draw %u at 0x%08" PRIx64, number, address);
    if (read) {
        list_fields(v, LIBRESOC_DRAW, address);
        list_attributes(v, &draw);
        for (unsigned s = 0; s < LIBRESOC_STAGES; s++)
            list_program(v, (enum libresoc_stage_kind)s, &draw.stage[s]);
    } else {
        listing_lines(l, fault.text);
    }
    listing_close(l);
    return read;
}

static void list_frame(struct libresoc_decode *v)
{
    struct listing *l = &v->decode->listing;
    const uint64_t address = (uint64_t)v->record[1] << 32 | v->record[0];
    struct libresoc_frame_record frame;
    struct gpu_fault fault;
    const bool read = libresoc_frame_read(&v->decode->memory, address, &frame, &fault);
    listing_open(l, "job", "job %" PRIu64 ", frame at 0x%08" PRIx64, v->decode->job, address);
    if (read)
        list_fields(v, LIBRESOC_FRAME, address);
    else
        listing_lines(l, fault.text);
    for (uint32_t n = 0; read && n < frame.draw_count; n++)
        if (!list_draw(v, n + 1, frame.draws + n * (uint64_t)LIBRESOC_DRAW_WORDS * 4))
            break;
    listing_close(l);
}

/* ---- registers ---- */

static bool starts(uint32_t offset, uint32_t value)
{
    return offset == LIBRESOC_COMMAND && value & LIBRESOC_BIT(COMMAND, START) &&
           !(value & LIBRESOC_BIT(COMMAND, RESET));
}

static bool begins(const void *self, uint32_t offset, uint32_t value)
{
    return starts(offset, value);
}

static void write_register(void *self, uint32_t offset, uint32_t value, bool reply)
{
    struct libresoc_decode *v = self;
    struct listing *l = &v->decode->listing;
    const struct gpu_register *reg = gpu_register_find(&libresoc_registers, 0, offset);
    struct gpu_field fields[8];
    if (offset == LIBRESOC_RECORD_LOW || offset == LIBRESOC_RECORD_HIGH)
        v->record[offset == LIBRESOC_RECORD_HIGH] = value;
    if (l->muted)
        return;
    listing_open(l, "register", "%s%s [0x%03x] = 0x%08x", reply ? "in answer to an interrupt: " : "",
                 reg ? reg->name : "(no register)", offset, value);
    if (reg)
        listing_fields(l, fields,
                       gpu_register_fields(&libresoc_registers, reg, value, fields, UTIL_ARRAY_SIZE(fields)));
    if (starts(offset, value))
        list_frame(v);
    listing_close(l);
}

const struct decode_family decode_libresoc = {
    .create = create, .destroy = free, .begins = begins, .write = write_register};
