/* Captures through the linter: the programs of each frame that starts, looked at where its draws name them. */
#include "gpu/lint.h"

#include "gpu/libresoc/records.h"
#include "gpu/libresoc/regs.h"
#include "isa/sets.h"

struct libresoc_lint {
    struct gpu_lint lint;
    uint32_t record[2]; /* RECORD_LOW, _HIGH */
};

static void look_at_program(struct gpu_lint *l, enum libresoc_stage_kind stage,
                            const struct libresoc_program_record *record)
{
    const void *words = gpu_memory_at(&l->memory, record->address, record->bytes);
    if (record->address && words && record->bytes / 2 <= LIBRESOC_PROGRAM_MOST)
        gpu_lint_program(&(struct gpu_lint_program){.lint = l,
                                                    .set = isa_set_find("simple-v"),
                                                    .place = libresoc_stage_name(stage),
                                                    .address = record->address,
                                                    .what = record->address,
                                                    .words = words,
                                                    .count = record->bytes / 2});
}

static void look_at_frame(struct gpu_lint *l, uint64_t address)
{
    struct libresoc_frame_record frame;
    struct gpu_fault fault;
    l->summary->jobs++;
    if (!libresoc_frame_read(&l->memory, address, &frame, &fault))
        return;
    for (uint32_t n = 0; n < frame.draw_count && !l->error; n++) {
        struct libresoc_draw_record draw;
        if (!libresoc_draw_read(&l->memory, frame.draws + n * (uint64_t)LIBRESOC_DRAW_WORDS * 4, &draw,
                                &fault))
            return;
        l->summary->draws++;
        l->draw = n + 1;
        for (unsigned s = 0; s < LIBRESOC_STAGES; s++)
            look_at_program(l, (enum libresoc_stage_kind)s, &draw.stage[s]);
    }
}

static int begin(struct gpu_lint *lint, const struct capture_info *info)
{
    return 0;
}

static void write_register(struct gpu_lint *lint, uint32_t offset, uint32_t value)
{
    struct libresoc_lint *l = (struct libresoc_lint *)lint;
    if (offset == LIBRESOC_RECORD_LOW || offset == LIBRESOC_RECORD_HIGH)
        l->record[offset == LIBRESOC_RECORD_HIGH] = value;
    else if (offset == LIBRESOC_COMMAND && value & LIBRESOC_BIT(COMMAND, START))
        look_at_frame(lint, (uint64_t)l->record[1] << 32 | l->record[0]);
}

static void end(struct gpu_lint *lint) {}

const struct gpu_linter libresoc_linter = {.family = "libresoc",
                                           .bytes = sizeof(struct libresoc_lint),
                                           .begin = begin,
                                           .write = write_register,
                                           .end = end};
