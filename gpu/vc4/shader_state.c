/* Shader state records and the program cache. */
#include "gpu/vc4/shader_state.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/vertex.h"
#include "util/bits.h"

#define UNIT "shader state"

/* ---- the program cache ----
 * Two indexes over one set of programs. By place: what was last found at a guest address; a hit needs the
 * words there to be still the same, which costs one comparison of the program's length. By content: the same
 * words at another address, or again at this one, give the same program. */

struct program {
    struct vc4_qpu_program *program;
    uint64_t *words; /* insn_count of them: what guest memory must hold for a hit */
    struct vc4_program_notes notes;
    struct program *next_content;
};

struct place {
    uint32_t code;
    struct program *program;
    uint64_t job; /* the last to find it there */
};

struct vc4_programs {
    pthread_mutex_t lock;
    struct program **content; /* chained buckets, a power of two */
    uint32_t content_size, count;
    struct place *places; /* open addressing, a power of two, at most half full */
    uint32_t place_size, place_count;
    /* Instructions, and as much as some for each place: decoded since the cache was empty; and of all places
     * that the job has used, whether they were known or not, for a job's end must not depend on what is
     * cached. */
    uint64_t taken, used, job;
};

#define FIRST_SIZE 64u
/* An instruction takes some 60 bytes decoded; a job's programs have a few thousand. */
#define TAKEN_MANY (1u << 20)
#define TAKEN_MAX  (4u << 20)
#define PLACE_COST 16u

int vc4_programs_create(struct vc4_programs **out)
{
    struct vc4_programs *p = calloc(1, sizeof *p);
    if (!p)
        return -ENOMEM;
    p->content = calloc(FIRST_SIZE, sizeof *p->content);
    p->places = calloc(FIRST_SIZE, sizeof *p->places);
    if (!p->content || !p->places || pthread_mutex_init(&p->lock, NULL)) {
        free(p->content);
        free(p->places);
        free(p);
        return -ENOMEM;
    }
    p->content_size = p->place_size = FIRST_SIZE;
    *out = p;
    return 0;
}

static void program_free(struct program *e)
{
    if (!e)
        return;
    vc4_vertex_code_destroy(atomic_load(&e->notes.vertex));
    free(atomic_load(&e->notes.vpm));
    vc4_frag_code_destroy(atomic_load(&e->notes.fragment));
    for (unsigned i = 0; i < 2; i++)
        free(atomic_load(&e->notes.tile[i]));
    vc4_qpu_program_destroy(e->program);
    free(e->words);
    free(e);
}

void vc4_programs_begin(struct vc4_programs *p)
{
    p->job++;
    p->used = 0;
}

bool vc4_programs_are_many(struct vc4_programs *p)
{
    return p->taken > TAKEN_MANY;
}

void vc4_programs_empty(struct vc4_programs *p)
{
    for (uint32_t i = 0; i < p->content_size; i++) {
        for (struct program *e = p->content[i], *next; e; e = next) {
            next = e->next_content;
            program_free(e);
        }
        p->content[i] = NULL;
    }
    memset(p->places, 0, p->place_size * sizeof *p->places);
    p->count = p->place_count = 0;
    p->taken = 0;
    vc4_programs_begin(p);
}

void vc4_programs_destroy(struct vc4_programs *p)
{
    if (!p)
        return;
    vc4_programs_empty(p);
    pthread_mutex_destroy(&p->lock);
    free(p->content);
    free(p->places);
    free(p);
}

static uint32_t place_slot(const struct place *places, uint32_t size, uint32_t code)
{
    uint32_t i = (code >> 3) * 0x9e3779b1u;
    for (i &= size - 1; places[i].program && places[i].code != code;)
        i = (i + 1) & (size - 1);
    return i;
}

/* Remembers what stands at `code`. Losing the memory of it (no room) costs time only. */
static void place_set(struct vc4_programs *p, uint32_t code, struct program *program)
{
    if ((p->place_count + 1) * 2 > p->place_size) {
        struct place *grown = calloc(p->place_size * 2ull, sizeof *grown);
        if (!grown)
            return;
        for (uint32_t i = 0; i < p->place_size; i++)
            if (p->places[i].program)
                grown[place_slot(grown, p->place_size * 2, p->places[i].code)] = p->places[i];
        free(p->places);
        p->places = grown;
        p->place_size *= 2;
    }
    struct place *slot = &p->places[place_slot(p->places, p->place_size, code)];
    p->place_count += !slot->program;
    *slot = (struct place){code, program, p->job};
}

static struct program *content_find(struct vc4_programs *p, const struct program *wanted, uint64_t hash)
{
    uint32_t count = wanted->program->insn_count;
    for (struct program *e = p->content[hash & (p->content_size - 1)]; e; e = e->next_content)
        if (e->program->insn_count == count && !memcmp(e->words, wanted->words, count * sizeof(uint64_t)))
            return e;
    return NULL;
}

static uint64_t content_hash(const struct program *e)
{
    return XXH3_64bits(e->words, e->program->insn_count * sizeof(uint64_t));
}

static void content_add(struct vc4_programs *p, struct program *e, uint64_t hash)
{
    struct program **grown = NULL;
    if (p->count >= p->content_size && p->content_size < 1u << 24)
        grown = calloc(p->content_size * 2ull, sizeof(struct program *));
    if (grown) {
        for (uint32_t i = 0; i < p->content_size; i++)
            for (struct program *m = p->content[i], *next; m; m = next) {
                struct program **bucket = &grown[content_hash(m) & (p->content_size * 2 - 1)];
                next = m->next_content;
                m->next_content = *bucket;
                *bucket = m;
            }
        free(p->content);
        p->content = grown;
        p->content_size *= 2;
    }
    struct program **bucket = &p->content[hash & (p->content_size - 1)];
    e->next_content = *bucket;
    *bucket = e;
    p->count++;
}

/* Takes the program at `code` into private memory. A program's length shows only when it is analysed, so
 * growing pieces of memory are tried. NULL and *fault on error. */
static struct program *program_take(const struct gpu_memory *memory, uint32_t code, struct gpu_fault *fault)
{
    uint64_t there = (memory->size - code) / sizeof(uint64_t);
    uint64_t *words = NULL;
    struct vc4_qpu_program *program = NULL;
    struct util_error error = {0};
    int status = -EBADMSG;
    for (uint64_t take = 512; status == -EBADMSG; take *= 16) {
        uint64_t count = UTIL_MIN(UTIL_MIN(there, take), (uint64_t)VC4_QPU_MAX_INSNS);
        free(words);
        words = malloc(count * sizeof *words);
        error = (struct util_error){0};
        if (!words) {
            status = -ENOMEM;
            break;
        }
        memcpy(words, memory->base + code, count * sizeof *words);
        status = vc4_qpu_program_create(words, (uint32_t)count, &program, &error);
        if (count < take) /* that was all there is */
            break;
    }
    struct program *e = status ? NULL : calloc(1, sizeof *e);
    if (!e) {
        gpu_fault_set(fault, GPU_FAULT_SHADER, "program", code, "%s",
                      error.text[0] ? error.text : "no memory to take the program");
        if (!status)
            vc4_qpu_program_destroy(program);
        free(words);
        return NULL;
    }
    e->program = program;
    e->words = words;
    uint64_t *exact = realloc(words, program->insn_count * sizeof *words);
    if (exact)
        e->words = exact;
    return e;
}

static bool is_unchanged(const struct program *e, const struct gpu_memory *memory, uint32_t code)
{
    uint64_t bytes = e->program->insn_count * sizeof(uint64_t);
    const uint8_t *now = gpu_memory_at(memory, code, bytes);
    return now && !memcmp(now, e->words, bytes);
}

static struct program *programs_get(struct vc4_programs *p, const struct gpu_memory *memory, uint32_t code,
                                    struct gpu_fault *fault)
{
    struct place *place = &p->places[place_slot(p->places, p->place_size, code)];
    struct program *known = place->program;
    if (known && !is_unchanged(known, memory, code))
        known = NULL;
    if (known && place->job == p->job)
        return known;
    if (p->used > TAKEN_MAX) {
        gpu_fault_set(fault, GPU_FAULT_SHADER, "program", code,
                      "a job with more than %u instructions of programs", TAKEN_MAX);
        return NULL;
    }
    if (known) {
        place->job = p->job;
        p->used += known->program->insn_count + PLACE_COST;
        return known;
    }
    struct program *taken = program_take(memory, code, fault);
    if (!taken)
        return NULL;
    p->taken += taken->program->insn_count + PLACE_COST;
    p->used += taken->program->insn_count + PLACE_COST;
    uint64_t hash = content_hash(taken);
    struct program *same = content_find(p, taken, hash);
    if (same)
        program_free(taken);
    else
        content_add(p, same = taken, hash);
    place_set(p, code, same);
    return same;
}

/* The caller holds the lock. */
static const struct vc4_qpu_program *lookup(struct vc4_programs *p, const struct gpu_memory *memory,
                                            uint32_t code, struct vc4_program_notes **notes,
                                            struct gpu_fault *fault)
{
    if (code & 7 || !gpu_memory_at(memory, code, sizeof(uint64_t))) {
        gpu_fault_set(fault, code & 7 ? GPU_FAULT_SHADER : GPU_FAULT_MEMORY, "program", code,
                      code & 7 ? "code address is not a multiple of 8" : "code lies outside memory");
        return NULL;
    }
    struct program *found = programs_get(p, memory, code, fault);
    if (found && notes)
        *notes = &found->notes;
    return found ? found->program : NULL;
}

const struct vc4_qpu_program *vc4_programs_get(struct vc4_programs *p, const struct gpu_memory *memory,
                                               uint32_t code, struct vc4_program_notes **notes,
                                               struct gpu_fault *fault)
{
    pthread_mutex_lock(&p->lock);
    const struct vc4_qpu_program *program = lookup(p, memory, code, notes, fault);
    pthread_mutex_unlock(&p->lock);
    return program;
}

/* ---- the record, Guide table 45 ---- */

#define RECORD_FIXED    36u  /* bytes before the attribute arrays */
#define RECORD_EXTENDED 100u /* where the long strides stand */

enum { FLAG_SINGLE_THREADED = 1, FLAG_POINT_SIZE = 2, FLAG_CLIPPING = 4 };

static void attributes_read(struct vc4_shader_state *state, const uint8_t *record, bool extended)
{
    for (uint32_t i = 0; i < state->attribute_count; i++) {
        const uint8_t *a = record + RECORD_FIXED + i * 8;
        state->attribute[i] = (struct vc4_attribute){
            .address = util_load32(a),
            .bytes = a[4] + 1u,
            .stride = a[5],
            .vs_offset = a[6],
            .cs_offset = a[7],
        };
        if (extended) /* 26 bits, of which the low 8 stand in the short field */
            state->attribute[i].stride |= util_load32(record + RECORD_EXTENDED + i * 4) & 0x03ffff00;
    }
}

/* The caller holds the programs' lock. */
static bool stage_read(struct vc4_programs *programs, const struct gpu_memory *memory, const char *name,
                       uint32_t code, uint32_t uniforms, struct vc4_stage *out, struct gpu_fault *fault)
{
    out->code = code;
    out->uniforms = uniforms;
    if (uniforms & 3) {
        gpu_fault_set(fault, GPU_FAULT_SHADER, UNIT, uniforms,
                      "uniforms of the %s program are not at a multiple of 4", name);
        return false;
    }
    out->program = lookup(programs, memory, code, &out->notes, fault);
    if (out->program)
        return true;
    fault->unit = name; /* the message tells what, the unit which program */
    return false;
}

bool vc4_shader_state_read(struct vc4_programs *programs, const struct gpu_memory *memory, uint32_t address,
                           unsigned attribute_count, bool extended, struct vc4_shader_state *out,
                           struct gpu_fault *fault)
{
    if (!attribute_count || attribute_count > VC4_MAX_ATTRIBUTES) {
        gpu_fault_set(fault, GPU_FAULT_PACKET, UNIT, address, "%u attribute arrays", attribute_count);
        return false;
    }
    if (extended) /* the record then has all arrays (Guide table 38, id 64) */
        attribute_count = VC4_MAX_ATTRIBUTES;
    uint8_t record[RECORD_EXTENDED + VC4_MAX_ATTRIBUTES * 4];
    uint32_t size = extended ? RECORD_EXTENDED + attribute_count * 4 : RECORD_FIXED + attribute_count * 8;
    const uint8_t *guest = gpu_memory_at(memory, address, size);
    if (!guest) {
        gpu_fault_set(fault, GPU_FAULT_MEMORY, UNIT, address,
                      "shader state record of %u bytes lies outside memory", size);
        return false;
    }
    memcpy(record, guest, size);

    uint16_t flags = util_load16(record);
    if (flags & ~7u) {
        gpu_fault_set(fault, GPU_FAULT_PACKET, UNIT, address,
                      "reserved flags 0x%04x in a shader state record", flags);
        return false;
    }
    *out = (struct vc4_shader_state){
        .address = address,
        .clipping = flags & FLAG_CLIPPING,
        .point_size = flags & FLAG_POINT_SIZE,
        .single_threaded = flags & FLAG_SINGLE_THREADED,
        .varying_count = record[3],
        .attribute_count = attribute_count,
    };
    out->vs.attribute_select = record[14];
    out->vs.attribute_size = record[15];
    out->cs.attribute_select = record[26];
    out->cs.attribute_size = record[27];
    attributes_read(out, record, extended);
    pthread_mutex_lock(&programs->lock); /* once for the three */
    bool ok = stage_read(programs, memory, "fragment program", util_load32(record + 4),
                         util_load32(record + 8), &out->fs, fault) &&
              stage_read(programs, memory, "vertex program", util_load32(record + 16),
                         util_load32(record + 20), &out->vs, fault) &&
              stage_read(programs, memory, "coordinate program", util_load32(record + 28),
                         util_load32(record + 32), &out->cs, fault);
    pthread_mutex_unlock(&programs->lock);
    return ok;
}

uint32_t vc4_shader_state_cost(const struct vc4_shader_state *state)
{
    uint32_t insns = state->fs.program ? state->fs.program->insn_count : 0;
    if (state->kind == VC4_SHADER_GL)
        insns += state->vs.program->insn_count + state->cs.program->insn_count;
    return insns / 64;
}
