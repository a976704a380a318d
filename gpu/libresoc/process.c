#include "gpu/libresoc/process.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/libresoc/calls.h"
#include "gpu/libresoc/code.h"
#include "gpu/libresoc/elf.h"
#include "util/bits.h"
#include "util/checked.h"

#define STACK_BYTES  (8u << 20) /* or a quarter of memory, if that is less */
#define RANDOM_BYTES 16u

/* ---- memory ---- */

static int load_segment(struct libresoc_process *p, const uint8_t *elf, const struct libresoc_segment *s,
                        struct util_error *error)
{
    const uint8_t rights = (s->reads || s->writes ? LIBRESOC_PAGE_READ : 0) |
                           (s->writes ? LIBRESOC_PAGE_WRITE : 0) | (s->executes ? LIBRESOC_PAGE_EXECUTE : 0);
    if (!util_in_range(s->address, s->size, p->pages.memory.size))
        return util_fail(error, -E2BIG,
                         "program header %u: p_vaddr: 0x%" PRIx64 " bytes at 0x%" PRIx64
                         " are not in memory, which has 0x%" PRIx64,
                         s->header, s->size, s->address, p->pages.memory.size);
    if (s->address < GPU_PAGE)
        return util_fail(error, -EBADMSG, "program header %u: p_vaddr: 0x%" PRIx64 " is in page 0", s->header,
                         s->address);
    for (uint64_t page = s->address / GPU_PAGE; page <= (s->address + s->size - 1) / GPU_PAGE; page++) {
        const uint8_t all = p->pages.rights[page] | rights | LIBRESOC_PAGE_MAPPED;
        if (all & LIBRESOC_PAGE_WRITE && all & LIBRESOC_PAGE_EXECUTE)
            return util_fail(error, -EBADMSG,
                             "program header %u: p_vaddr: page 0x%" PRIx64
                             " would be writable and executable, as another segment has it, too",
                             s->header, page * GPU_PAGE);
        p->pages.rights[page] = all;
    }
    if (s->in_file)
        memcpy(p->pages.memory.base + s->address, elf + s->offset, s->in_file);
    return 0;
}

/* All code as one program: between executable segments there is nothing that could be executed, and zeros behind what is in
 * the file are no instructions, so that decoding takes no longer than the file is long. */
static int take_code(struct libresoc_process *p, const uint8_t *bytes, const struct libresoc_elf *elf,
                     struct util_error *error)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t n = 0; n < elf->count; n++) {
        const struct libresoc_segment *s = &elf->segment[n];
        if (s->executes && s->in_file) {
            low = UTIL_MIN(low, s->address & ~UINT64_C(1));
            high = UTIL_MAX(high, s->address + s->in_file);
        }
    }
    if (low > high)
        low = high;
    const uint64_t count = (high - low) / 2;
    if (count > SIMPLE_V_MAX_WORDS)
        return util_fail(error, -E2BIG,
                         "executable segments reach from 0x%" PRIx64 " to 0x%" PRIx64 ", more than %u bytes",
                         low, high, SIMPLE_V_MAX_WORDS * 2);
    uint16_t *code = calloc(count + 1, sizeof *code);
    if (!code)
        return -ENOMEM;
    for (uint32_t n = 0; n < elf->count; n++) {
        const struct libresoc_segment *s = &elf->segment[n];
        if (s->executes && s->in_file)
            memcpy((uint8_t *)code + (s->address - low), bytes + s->offset, s->in_file);
    }
    const int err = simple_v_program_create(code, (uint32_t)count, low, &p->program, error);
    free(code);
    return err;
}

/* Heap, stack, and what is between them. */
static int place_areas(struct libresoc_process *p, const struct libresoc_elf *elf, struct util_error *error)
{
    const struct libresoc_segment *last = &elf->segment[elf->count - 1];
    const uint64_t memory = p->pages.memory.size;
    uint64_t heap, stack = UTIL_MIN((uint64_t)STACK_BYTES, memory / 4);
    if (!libresoc_pages_round(last->address + last->size, &heap) || !libresoc_pages_round(stack, &stack))
        return -E2BIG;
    /* A page that nobody has stands before the stack. */
    if (!util_in_range(heap, stack + GPU_PAGE, memory))
        return util_fail(error, -E2BIG,
                         "program header %u: p_memsz: no room for a stack behind 0x%" PRIx64
                         ": memory has 0x%" PRIx64 " bytes",
                         last->header, last->address + last->size, memory);
    p->heap = p->brk = heap;
    p->stack = memory - stack;
    p->top = p->stack - GPU_PAGE;
    libresoc_pages_map(&p->pages, p->stack, stack, LIBRESOC_PAGE_READ | LIBRESOC_PAGE_WRITE);
    return 0;
}

/* ---- what the stack begins with ---- */

struct stack {
    struct libresoc_process *process;
    uint64_t at; /* all from here on is used */
    bool full;   /* half of the stack, at least, is the program's */
};

static uint64_t push(struct stack *s, const void *bytes, uint64_t size)
{
    const struct libresoc_process *p = s->process;
    const uint64_t least = p->stack + (p->pages.memory.size - p->stack) / 2;
    if (s->full || !util_in_range(least, size, s->at)) {
        s->full = true;
        return 0;
    }
    s->at -= size;
    memcpy(p->pages.memory.base + s->at, bytes, size);
    return s->at;
}

static void put(uint64_t **to, uint64_t a)
{
    *(*to)++ = a;
}

static void put_pair(uint64_t **to, uint64_t type, uint64_t value)
{
    put(to, type);
    put(to, value);
}

enum { AUXILIARY = 14, AROUND = 3 }; /* pairs; argc, and what ends argv and envp */

static void put_auxiliary(uint64_t **to, const struct libresoc_elf *elf, uint64_t name, uint64_t random)
{
    static const char letters[] = "IMAFDC";
    uint64_t capabilities = 0;
    for (const char *c = letters; *c; c++)
        capabilities |= UINT64_C(1) << (*c - 'A');
    put_pair(to, AT_HWCAP, capabilities);
    put_pair(to, AT_PAGESZ, GPU_PAGE);
    put_pair(to, AT_CLKTCK, 100);
    put_pair(to, AT_PHDR, elf->headers);
    put_pair(to, AT_PHENT, sizeof(Elf64_Phdr));
    put_pair(to, AT_PHNUM, elf->headers ? elf->header_count : 0);
    put_pair(to, AT_ENTRY, elf->entry);
    put_pair(to, AT_UID, 0);
    put_pair(to, AT_EUID, 0);
    put_pair(to, AT_GID, 0);
    put_pair(to, AT_EGID, 0);
    put_pair(to, AT_RANDOM, random);
    put_pair(to, AT_EXECFN, name);
    put_pair(to, AT_NULL, 0);
}

static int fill_stack(struct libresoc_process *p, const struct libresoc_elf *elf, struct util_error *error)
{
    static const uint8_t random[RANDOM_BYTES] = "not random";
    const uint32_t arguments = p->options.arguments;
    const uint64_t words = AROUND + arguments + 2 * AUXILIARY;
    struct stack s = {.process = p, .at = p->pages.memory.size};
    uint64_t *list = arguments <= LIBRESOC_ARGUMENTS ? calloc(words, sizeof *list) : NULL;
    if (arguments > LIBRESOC_ARGUMENTS)
        return util_fail(error, -E2BIG, "a program has at most %u arguments", LIBRESOC_ARGUMENTS);
    if (!list)
        return -ENOMEM;
    uint64_t *to = list;
    put(&to, arguments);
    for (uint32_t n = 0; n < arguments; n++)
        put(&to, push(&s, p->options.argument[n], strlen(p->options.argument[n]) + 1));
    put(&to, 0);
    put(&to, 0);
    const uint64_t name = arguments ? list[1] : push(&s, "", 1);
    put_auxiliary(&to, elf, name, push(&s, random, sizeof random));
    s.at = (s.at - words * sizeof *list) & ~UINT64_C(15);
    s.at += words * sizeof *list; /* so that the stack pointer is a multiple of 16 */
    push(&s, list, words * sizeof *list);
    free(list);
    if (s.full)
        return util_fail(error, -E2BIG, "the program's arguments do not fit its stack");
    simple_v_start(&p->state, elf->entry);
    simple_v_set_x(&p->state, 2, s.at);
    return 0;
}

/* ---- life ---- */

static int load(struct libresoc_process *p, const uint8_t *bytes, const struct libresoc_elf *elf,
                struct util_error *error)
{
    int err = 0;
    for (uint32_t n = 0; n < elf->count && !err; n++)
        err = load_segment(p, bytes, &elf->segment[n], error);
    if (!err)
        err = take_code(p, bytes, elf, error);
    if (!err)
        err = place_areas(p, elf, error);
    return err ? err : fill_stack(p, elf, error);
}

int libresoc_process_create(const uint8_t *bytes, uint64_t size,
                            const struct libresoc_process_options *options, struct libresoc_process **out,
                            struct util_error *error)
{
    struct libresoc_elf elf;
    *out = NULL;
    int err = libresoc_elf_read(bytes, size, &elf, error);
    if (err)
        return err;
    struct libresoc_process *p = calloc(1, sizeof *p);
    if (!p)
        return -ENOMEM;
    p->options = *options;
    err = libresoc_pages_init(&p->pages, options->memory);
    if (!err)
        err = load(p, bytes, &elf, error);
    if (!err && options->engine)
        err = libresoc_process_code_create(p->program, options->engine, options->after, &p->code);
    p->options.argument = NULL;
    if (err) {
        libresoc_process_destroy(p);
        return err;
    }
    *out = p;
    return 0;
}

void libresoc_process_destroy(struct libresoc_process *p)
{
    if (!p)
        return;
    libresoc_process_code_destroy(p->code);
    simple_v_program_destroy(p->program);
    libresoc_pages_finish(&p->pages);
    free(p);
}

/* ---- running ---- */

static bool port_load(void *ctx, uint64_t address, unsigned bytes, uint64_t *out)
{
    const struct libresoc_process *p = ctx;
    const uint8_t *at = libresoc_pages_at(&p->pages, address, bytes, LIBRESOC_PAGE_READ);
    *out = 0;
    if (at)
        memcpy(out, at, bytes);
    return at;
}

static bool port_store(void *ctx, uint64_t address, unsigned bytes, uint64_t value)
{
    const struct libresoc_process *p = ctx;
    uint8_t *at = libresoc_pages_at(&p->pages, address, bytes, LIBRESOC_PAGE_WRITE);
    if (at)
        memcpy(at, &value, bytes);
    return at;
}

/* What the program did, in words: the instruction, what is wrong with it, and where. */
static void describe(const struct libresoc_process *p, const struct simple_v_report *r,
                     struct gpu_fault *fault)
{
    const enum simple_v_fault kind = p->endless ? SIMPLE_V_FAULT_FUEL : r->fault;
    const struct isa_fault_row *row = &simple_v_faults[kind];
    const bool has_address = kind == SIMPLE_V_FAULT_LOAD || kind == SIMPLE_V_FAULT_STORE ||
                             kind == SIMPLE_V_FAULT_MISALIGNED || kind == SIMPLE_V_FAULT_FETCH;
    const char *why = kind == SIMPLE_V_FAULT_CALL && p->refused.code ? p->refused.text : r->why.text;
    char address[32] = "", opcode[48] = "";
    if (has_address)
        snprintf(address, sizeof address, " (0x%" PRIx64 ")", r->address);
    if (p->state.in_block)
        snprintf(opcode, sizeof opcode, ", at halfword %u of its VBLOCK's opcodes", r->at);
    gpu_fault_set(fault, gpu_fault_kind_of(row->class), "program", r->pc, "%s%s%s%s%s%s%s", r->name,
                  *r->name ? ": " : "", row->text, address, *why ? ": " : "", why, opcode);
    fault->gpu = "libresoc";
    fault->job = 1;
    fault->write = kind == SIMPLE_V_FAULT_STORE;
}

bool libresoc_process_run(struct libresoc_process *p, const struct libresoc_watch *watch,
                          struct gpu_fault *fault)
{
    const struct simple_v_ports ports = {p, port_load, port_store, libresoc_process_call};
    const struct simple_v_run run = {.program = p->program,
                                     .ports = &ports,
                                     .stop = LIBRESOC_PROCESS_STOP,
                                     .fuel = p->options.fuel,
                                     .trace = watch ? watch->trace : NULL,
                                     .trace_data = watch ? watch->trace_data : NULL,
                                     .watch = watch ? watch->elements : NULL};
    const bool watched = run.trace || run.watch;
    struct simple_v_report report;
    if (p->code && !watched)
        libresoc_process_code_run(p->code, &p->pages, &run, &p->state, &report);
    else
        simple_v_run(&run, &p->state, &report);
    if (!report.fault && !p->endless)
        return true;
    describe(p, &report, fault);
    return false;
}
