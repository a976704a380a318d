#include "gpu/capture.h"
#include "gpu/vc4/cl.h"
#include "gpu/vc4/shader_state.h"
#include "isa/vc4_qpu/asm.h"
#include "tools/tool.h"
#include "util/bits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] = "Usage: vitrail decode [OPTIONS] CAPTURE\n"
                           "\n"
                           "Lists a capture readably: register writes, every control-list record with its\n"
                           "fields, shader state records, programs as assembly, uniforms.\n"
                           "\n"
                           "  --job N          only the job that starts with the N-th binning list, from 1\n"
                           "  --no-programs    leave programs and uniforms out\n"
                           "  --pages          also name every page of memory recorded\n"
                           "\n"
                           "Examples:\n"
                           "  vitrail decode cube.vtc | less\n"
                           "  vitrail decode --job 3 --no-programs cube.vtc\n";

#define MAX_RECORDS 1000000u /* in one list: a list that loops ends here */
#define MAX_SEEN    4096u

struct listing {
    struct gpu_memory memory;
    struct vc4_programs *programs;
    uint64_t job, only_job;
    bool no_programs, pages;
    uint32_t list_start[2];  /* CT0CA, CT1CA as last written */
    uint64_t seen[MAX_SEEN]; /* hashes of programs already printed */
    uint32_t seen_count;
};

static bool wanted(const struct listing *l)
{
    return !l->only_job || l->job == l->only_job;
}

static void print_program(struct listing *l, const char *name, const struct vc4_stage *stage)
{
    const struct vc4_qpu_program *p = stage->program;

    printf("      %s program at 0x%08x, %u instructions, uniforms at 0x%08x\n", name, stage->code,
           p->insn_count, stage->uniforms);
    for (uint32_t i = 0; i < l->seen_count; i++)
        if (l->seen[i] == p->hash) {
            printf("        (listed above)\n");
            return;
        }
    if (l->seen_count < MAX_SEEN)
        l->seen[l->seen_count++] = p->hash;
    uint64_t *words = malloc(sizeof *words * p->insn_count);
    if (!words)
        return;
    for (uint32_t i = 0; i < p->insn_count; i++)
        words[i] = p->insns[i].word;
    vc4_qpu_disasm_program(stdout, words, p->insn_count);
    free(words);
}

static void print_uniforms(const struct listing *l, const char *name, const struct vc4_stage *stage)
{
    uint32_t count = stage->program->uniform_count;
    const uint8_t *at = gpu_memory_at(&l->memory, stage->uniforms, (uint64_t)count * 4);

    if (!count)
        return;
    if (!at) {
        printf("      %s uniforms: %u words at 0x%08x leave guest memory\n", name, count, stage->uniforms);
        return;
    }
    printf("      %s uniforms:", name);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = util_load32(at + (size_t)4 * i);
        printf("%s %08x (%g)", i % 4 ? "" : "\n       ", word, (double)util_u2f(word));
    }
    printf("\n");
}

static void print_shader_state(struct listing *l, const struct vc4_cl_record *record)
{
    struct vc4_shader_state state;
    struct gpu_fault fault = {0};
    unsigned count = (unsigned)record->field[VC4_SHADER_ATTRIBUTES];

    if (vc4_programs_are_many(l->programs))
        vc4_programs_empty(l->programs);
    if (!vc4_shader_state_read(l->programs, &l->memory, (uint32_t)record->field[VC4_SHADER_ADDRESS],
                               count ? count : 8, record->field[VC4_SHADER_EXTENDED] != 0, &state, &fault)) {
        printf("      not readable: %s\n", fault.text);
        return;
    }
    printf("      clipping %d, point size %d, single threaded %d, varyings %u\n", state.clipping,
           state.point_size, state.single_threaded, state.varying_count);
    for (uint32_t i = 0; i < state.attribute_count; i++) {
        const struct vc4_attribute *a = &state.attribute[i];
        printf("      attribute %u: 0x%08x, %u bytes, stride %u, vertex row offset %u, coordinate row offset "
               "%u\n",
               i, a->address, a->bytes, a->stride, a->vs_offset, a->cs_offset);
    }
    if (l->no_programs)
        return;
    print_program(l, "fragment", &state.fs);
    print_uniforms(l, "fragment", &state.fs);
    print_program(l, "vertex", &state.vs);
    print_uniforms(l, "vertex", &state.vs);
    print_program(l, "coordinate", &state.cs);
    print_uniforms(l, "coordinate", &state.cs);
}

/* One list, branches followed; sub-lists of a rendering list are tile lists that the binner has yet to write:
 * named, not followed. */
static void print_list(struct listing *l, uint32_t start, uint32_t end, bool rendering)
{
    uint32_t at = start;

    for (uint32_t n = 0; n < MAX_RECORDS && at != end; n++) {
        struct vc4_cl_record record;
        const uint8_t *bytes = gpu_memory_at(&l->memory, at, 1);
        int err = bytes ? vc4_cl_decode(bytes, (size_t)(l->memory.size - at), &record) : VC4_CL_TRUNCATED;

        if (err) {
            printf("    0x%08x  %s\n", at,
                   err == VC4_CL_UNKNOWN ? "reserved record: the list cannot be followed further"
                                         : "the list leaves guest memory");
            return;
        }
        vc4_cl_print(stdout, at, &record);
        if (!vc4_cl_allowed(record.id, rendering))
            printf("      (not allowed in a %s list)\n", rendering ? "rendering" : "binning");
        if (record.id == VC4_CL_GL_SHADER_STATE)
            print_shader_state(l, &record);
        if (record.id == VC4_CL_HALT || record.id == VC4_CL_COMPRESSED_PRIMITIVES ||
            record.id == VC4_CL_CLIPPED_PRIMITIVES)
            return;
        at = record.id == VC4_CL_BRANCH ? (uint32_t)record.field[VC4_BRANCH_ADDRESS] : at + record.size;
    }
    if (at != end)
        printf("    (stopped after %u records: the list does not end)\n", MAX_RECORDS);
}

static const char *register_name(uint32_t offset)
{
    static const struct {
        uint32_t offset;
        const char *name;
    } names[] = {{VC4_CT0CS, "CT0CS"},   {VC4_CT1CS, "CT1CS"},     {VC4_CT0CA, "CT0CA"},
                 {VC4_CT1CA, "CT1CA"},   {VC4_CT0EA, "CT0EA"},     {VC4_CT1EA, "CT1EA"},
                 {VC4_BPCA, "BPCA"},     {VC4_BPCS, "BPCS"},       {VC4_BPOA, "BPOA"},
                 {VC4_BPOS, "BPOS"},     {VC4_INTCTL, "INTCTL"},   {VC4_INTENA, "INTENA"},
                 {VC4_INTDIS, "INTDIS"}, {VC4_L2CACTL, "L2CACTL"}, {VC4_SLCACTL, "SLCACTL"},
                 {VC4_RFC, "RFC"},       {VC4_BFC, "BFC"}};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(names); i++)
        if (names[i].offset == offset)
            return names[i].name;
    return "register";
}

static void print_register(struct listing *l, uint32_t offset, uint32_t value, bool reply)
{
    if (offset == VC4_CT0CA)
        l->list_start[0] = value;
    if (offset == VC4_CT1CA)
        l->list_start[1] = value;
    if (offset == VC4_CT0EA)
        l->job++;
    if (!wanted(l))
        return;
    printf("%s%s [0x%03x] = 0x%08x\n", reply ? "in answer to an interrupt: " : "", register_name(offset),
           offset, value);
    if (offset == VC4_CT0EA || offset == VC4_CT1EA) {
        unsigned thread = offset == VC4_CT1EA;
        printf("  job %" PRIu64 ", %s list 0x%08x..0x%08x\n", l->job, thread ? "rendering" : "binning",
               l->list_start[thread], value);
        print_list(l, l->list_start[thread], value, thread);
    }
}

static void print_pages(struct listing *l, const struct capture_event *event)
{
    for (uint32_t i = 0; i < event->pages.count; i++) {
        const struct capture_page *page = &event->pages.pages[i];
        uint8_t *to = gpu_memory_at(&l->memory, page->address, GPU_PAGE);
        if (to)
            memcpy(to, page->bytes, GPU_PAGE);
        if (l->pages && wanted(l))
            printf("page 0x%08" PRIx64 "\n", page->address);
    }
    if (!l->pages && wanted(l))
        printf("memory: %u pages\n", event->pages.count);
}

static int list_capture(struct listing *l, const char *path)
{
    struct util_error error = {0};
    struct capture_reader *reader;
    struct capture_event event;
    struct capture_info info;

    int err = capture_reader_open(path, &reader, &error);
    if (err)
        return tool_error("decode", TOOL_BAD_FILE, "%s: %s", path, error.code ? error.text : strerror(-err));
    capture_reader_info(reader, &info);
    int code = TOOL_OK;
    if (strcmp(info.gpu, "vc4") != 0)
        code = tool_error("decode", TOOL_BAD_FILE, "%s: a capture of '%s', which this version cannot list",
                          path, info.gpu);
    else if (gpu_memory_create(info.memory_size, &l->memory) || vc4_programs_create(&l->programs))
        code = tool_error("decode", TOOL_HOST, "out of memory");
    while (!code && !(err = capture_read(reader, &event, &error)) && event.type != CAPTURE_EVENT_END) {
        if (event.type == CAPTURE_EVENT_PAGES)
            print_pages(l, &event);
        else if (event.type == CAPTURE_EVENT_REGISTER || event.type == CAPTURE_EVENT_IRQ_REPLY)
            print_register(l, event.reg.offset, event.reg.value, event.type == CAPTURE_EVENT_IRQ_REPLY);
        else if (event.type == CAPTURE_EVENT_FRAME && wanted(l))
            printf("picture: %ux%u at 0x%08x, %s\n", event.frame.width, event.frame.height,
                   event.frame.address,
                   event.frame.presented ? "shown on the display" : "end of a rendering job");
    }
    if (!code && err)
        code = tool_error("decode", TOOL_BAD_FILE, "%s: %s", path, error.code ? error.text : strerror(-err));
    capture_reader_info(reader, &info);
    if (!code && info.torn)
        tool_error("decode", 0, "%s is cut off after its last whole chunk", path);
    vc4_programs_destroy(l->programs);
    gpu_memory_destroy(&l->memory);
    capture_reader_close(reader);
    return code;
}

int tool_decode(int argc, char **argv)
{
    struct listing *l = calloc(1, sizeof *l);
    const char *path = NULL, *value;
    int got, code = TOOL_OK;

    if (!l)
        return tool_error("decode", TOOL_HOST, "out of memory");
    for (int i = 1; !code && i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            free(l);
            return TOOL_OK;
        }
        if ((got = tool_value("decode", "--job", argc, argv, &i, &value))) {
            if (got < 0 || !tool_number(value, 1, UINT64_MAX, &l->only_job))
                code = got < 0
                           ? TOOL_USAGE
                           : tool_error("decode", TOOL_USAGE, "--job takes a number from 1, not '%s'", value);
        } else if (!strcmp(argv[i], "--no-programs"))
            l->no_programs = true;
        else if (!strcmp(argv[i], "--pages"))
            l->pages = true;
        else
            code = tool_operand("decode", argv[i], &path);
    }
    if (!code && !path)
        code = tool_error("decode", TOOL_USAGE, "no capture given; see `vitrail decode --help`");
    if (!code)
        code = list_capture(l, path);
    free(l);
    return code;
}
