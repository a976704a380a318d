/* What a recorded submission of v7 and v9 (tests/hostile/mali_job.h) has elsewhere than Midgard's: sections of the job that
 * shades its own vertices, programs. Included by tests/hostile/test_mali_*.c. */
#ifndef VITRAIL_TESTS_HOSTILE_MALI_LATE_JOB_H
#define VITRAIL_TESTS_HOSTILE_MALI_LATE_JOB_H

#include "isa/sets.h"
#include "tests/gpu/mali/pack.h"
#include "tests/hostile/mali_job.h"

static inline bool is_v9(const struct job *j)
{
    return j->s.guest.device->version == MALI_V9;
}

static inline uint64_t section(struct job *j, enum mali_section s)
{
    const uint32_t type = *at(j, tiler_job(j) + 16) >> 1 & 0x7f;
    return tiler_job(j) + mali_section_at(j->s.guest.device->version, type, s);
}

static inline void set(struct job *j, uint64_t address, const struct mali_desc *desc, const char *name,
                       uint64_t value)
{
    pack_set(at(j, address), desc, j->s.guest.device->version, name, value);
}

/* What a program runs with: the draw that names a state, or on v9 the environment that names a program. */
static inline uint64_t of_vertices(struct job *j)
{
    return section(j, is_v9(j) ? MALI_SECTION_POSITION : MALI_SECTION_VERTEX_DRAW);
}
static inline uint64_t of_fragments(struct job *j)
{
    return section(j, MALI_SECTION_DRAW) + (is_v9(j) ? 64 : 0);
}
static inline uint64_t named_by(struct job *j, uint64_t of)
{
    return word_at(j, of + (is_v9(j) ? 40 : AT_STATE - AT_DRAW));
}
static inline void set_named(struct job *j, uint64_t of, uint64_t address)
{
    put(j, of + (is_v9(j) ? 40 : AT_STATE - AT_DRAW), address);
}
static inline void set_program(struct job *j, uint64_t of, uint64_t address)
{
    put(j, named_by(j, of) + (is_v9(j) ? 8 : 0), address);
}
static inline void assemble(struct job *j, uint64_t of, const char *bifrost, const char *valhall)
{
    const struct isa_set *isa = is_v9(j) ? &valhall_set : &bifrost_set;
    const char *text = is_v9(j) ? valhall : bifrost;
    struct util_error error = {0};
    void *words;
    uint32_t count;
    if (isa_assemble(isa->syntax, text, strlen(text), &words, &count, &error))
        fail_msg("%s", error.text);
    memcpy(j->more + 0x1000, words, (size_t)count * isa->word_bytes);
    set_program(j, of, ODD + 0x1000);
    free(words);
}

#endif
