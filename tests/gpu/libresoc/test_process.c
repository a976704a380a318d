/* Static Linux programs: what they begin with, their system calls, and how they end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "gpu/libresoc/process.h"

/* What arch/riscv has of them. */
#define __ARCH_WANT_NEW_STAT
#define __ARCH_WANT_SET_GET_RLIMIT
#define __ARCH_WANT_SYS_CLONE3
#define __ARCH_WANT_MEMFD_SECRET
#include <asm-generic/unistd.h>
#define __NR_riscv_hwprobe      (__NR_arch_specific_syscall + 14)
#define __NR_riscv_flush_icache (__NR_arch_specific_syscall + 15)

#include <errno.h>
#include <stdio.h>

#include "gpu/libresoc/calls.h"
#include "tests/gpu/libresoc/elf_image.h"
#include "util/bits.h"

#define MEMORY (4u << 20)

static struct elf_image image;
static char written[3][256]; /* by descriptor */
static int write_error;
static struct gpu_fault fault;
static struct libresoc_process *process;

static int note(void *data, int descriptor, const void *bytes, uint64_t size)
{
    assert_ptr_equal(data, written);
    const size_t used = strlen(written[descriptor]);
    assert_true(used + size < sizeof written[0]);
    memcpy(written[descriptor] + used, bytes, size);
    return write_error;
}

static int create(const char *text, const void *data, uint64_t bytes, uint64_t fuel)
{
    static const char *const arguments[] = {"./program", "-x", "two words"};
    const struct libresoc_process_options options = {.memory = MEMORY,
                                                     .fuel = fuel,
                                                     .argument = arguments,
                                                     .arguments = 3,
                                                     .write = note,
                                                     .data = written};
    struct util_error error = {0};
    libresoc_process_destroy(process);
    process = NULL;
    memset(written, 0, sizeof written);
    write_error = 0;
    elf_image_make(&image, text, data, bytes);
    return libresoc_process_create(image.bytes, image.size, &options, &process, &error);
}

/* Runs the program to its exit, with the status. */
static void exits(int line, const char *text, const void *data, uint64_t bytes, int status)
{
    assert_int_equal(create(text, data, bytes, 100000), 0);
    if (!libresoc_process_run(process, NULL, &fault))
        fail_msg("line %d: %s", line, fault.text);
    if (process->status != status)
        fail_msg("line %d: status %d, not %d", line, process->status, status);
}

/* Runs it to the fault. */
static void faults(int line, const char *text, enum gpu_fault_kind kind, const char *what)
{
    assert_int_equal(create(text, "data", 4, 100000), 0);
    if (libresoc_process_run(process, NULL, &fault))
        fail_msg("line %d: exits with %d", line, process->status);
    if (fault.kind != kind || strcmp(fault.text, what) != 0)
        fail_msg("line %d: %d, '%s', not '%s'", line, (int)fault.kind, fault.text, what);
    assert_string_equal(fault.gpu, "libresoc");
}

#define EXITS(status, text)      exits(__LINE__, text, "data", 4, status)
#define FAULTS(kind, what, text) faults(__LINE__, text, GPU_FAULT_##kind, what)

/* A call with its number and as many arguments as there are, then another. */
#define CALL(number) "addi x17, x0, " #number "\necall\n"
#define EXIT         "addi x17, x0, 93\necall\n"
#define EXIT_GROUP   "addi x17, x0, 94\necall\n"

static void test_exit(void **state)
{
    (void)state;
    EXITS(7, "addi x10, x0, 7\n" EXIT);
    EXITS(7, "addi x10, x0, 7\n" EXIT_GROUP);
    EXITS(255, "addi x10, x0, -1\n" EXIT);
    EXITS(1, "addi x10, x0, 257\n" EXIT);
    assert_int_equal(process->state.executed, 3);
}

/* ---- what it begins with ---- */

static uint64_t word_at(uint64_t address)
{
    const uint8_t *at = libresoc_pages_at(&process->pages, address, 8, LIBRESOC_PAGE_READ);
    assert_non_null(at);
    return util_load64(at);
}

static const char *text_at(uint64_t address)
{
    return (const char *)process->pages.memory.base + address;
}

static void test_stack(void **state)
{
    (void)state;
    assert_int_equal(create(EXIT, NULL, 0, 10), 0);
    uint64_t sp = simple_v_x(&process->state, 2), value[64] = {0};
    assert_int_equal(sp % 16, 0);
    for (unsigned n = 0; n < 32; n++)
        assert_true(n == 2 || !simple_v_x(&process->state, n));
    assert_int_equal(word_at(sp), 3);
    assert_string_equal(text_at(word_at(sp + 8)), "./program");
    assert_string_equal(text_at(word_at(sp + 16)), "-x");
    assert_string_equal(text_at(word_at(sp + 24)), "two words");
    assert_int_equal(word_at(sp + 32), 0);
    assert_int_equal(word_at(sp + 40), 0); /* the environment */
    for (sp += 48; word_at(sp) != AT_NULL; sp += 16) {
        assert_true(word_at(sp) < UTIL_ARRAY_SIZE(value));
        value[word_at(sp)] = word_at(sp + 8);
    }
    assert_int_equal(value[AT_PAGESZ], 4096);
    assert_int_equal(value[AT_ENTRY], process->state.pc);
    assert_int_equal(value[AT_PHDR], ELF_IMAGE_CODE + 64);
    assert_int_equal(value[AT_PHENT], 56);
    assert_int_equal(value[AT_PHNUM], 2);
    assert_int_equal(value[AT_HWCAP], 1 | 4 | 8 | 1 << 5 | 1 << 8 | 1 << 12); /* A C D F I M */
    assert_string_equal(text_at(value[AT_EXECFN]), "./program");
    assert_non_null(libresoc_pages_at(&process->pages, value[AT_RANDOM], 16, LIBRESOC_PAGE_READ));
}

static void test_too_large(void **state)
{
    (void)state;
    const char *many[] = {NULL};
    struct libresoc_process_options options = {.memory = MEMORY, .fuel = 1, .argument = many, .arguments = 1};
    struct libresoc_process *none;
    struct util_error error = {0};
    char *huge = malloc(MEMORY);
    assert_non_null(huge);
    memset(huge, 'x', MEMORY - 1);
    huge[MEMORY - 1] = 0;
    many[0] = huge;
    elf_image_make(&image, EXIT, NULL, 0);
    assert_int_equal(libresoc_process_create(image.bytes, image.size, &options, &none, &error), -E2BIG);
    assert_non_null(strstr(error.text, "arguments"));
    free(huge);
    options = (struct libresoc_process_options){.memory = 0x21000, .fuel = 1};
    error = (struct util_error){0};
    assert_int_equal(libresoc_process_create(image.bytes, image.size, &options, &none, &error), -E2BIG);
    assert_string_equal(
        error.text,
        "program header 1: p_memsz: no room for a stack behind 0x21000: memory has 0x21000 bytes");
    options.memory = 0x11000;
    error = (struct util_error){0};
    assert_int_equal(libresoc_process_create(image.bytes, image.size, &options, &none, &error), -E2BIG);
    assert_string_equal(
        error.text,
        "program header 1: p_vaddr: 0x1000 bytes at 0x20000 are not in memory, which has 0x11000");
    /* Two segments of a page, of which one executes. */
    options.memory = MEMORY;
    elf_image_segment(&image, 1)->p_vaddr = ELF_IMAGE_CODE + 0x800;
    elf_image_segment(&image, 1)->p_align = 1;
    error = (struct util_error){0};
    assert_int_equal(libresoc_process_create(image.bytes, image.size, &options, &none, &error), -EBADMSG);
    assert_non_null(
        strstr(error.text, "program header 1: p_vaddr: page 0x10000 would be writable and executable"));
    assert_null(none);
}

/* ---- calls ---- */

static void test_write(void **state)
{
    (void)state;
    static const char hello[] = "hello world";
    exits(__LINE__,
          "lui x11, 0x20\naddi x10, x0, 1\naddi x12, x0, 6\n" CALL(
              64) "addi x5, x10, 0\naddi x10, x0, 2\naddi "
                  "x11, x11, 6\naddi x12, x0, 5\n" CALL(64) "add x10, x10, x5\n" EXIT,
          hello, sizeof hello, 11);
    assert_string_equal(written[1], "hello ");
    assert_string_equal(written[2], "world");
    EXITS(EBADF, "addi x10, x0, 3\n" CALL(64) "sub x10, x0, x10\n" EXIT);
    EXITS(EFAULT, "addi x10, x0, 1\naddi x12, x0, 1\n" CALL(64) "sub x10, x0, x10\n" EXIT);
    /* From the last byte that there is, one more. */
    EXITS(EFAULT, "addi x10, x0, 1\nlui x11, 0x21\naddi x12, x0, 2\naddi x11, x11, 1027\n" /* 0x21403 */
                  "lui x5, 1\nadd x11, x11, x5\naddi x11, x11, -1028\n"                    /* 0x21fff */
          CALL(64) "sub x10, x0, x10\n" EXIT);
    EXITS(0, "addi x10, x0, 1\naddi x12, x0, 0\n" CALL(64) EXIT);
    assert_int_equal(
        create("lui x11, 0x20\naddi x10, x0, 1\naddi x12, x0, 1\n" CALL(64) "sub x10, x0, x10\n" EXIT, "x", 1,
               100),
        0);
    write_error = -ENOSPC;
    assert_true(libresoc_process_run(process, NULL, &fault));
    assert_int_equal(process->status, ENOSPC);
}

static void test_writev(void **state)
{
    (void)state;
    static const uint64_t list[] = {ELF_IMAGE_DATA + 48, 3, ELF_IMAGE_DATA + 51, 0,
                                    ELF_IMAGE_DATA + 51, 4, 0x6362612033323120,  0x64};
    static const char *const program = "lui x11, 0x20\naddi x10, x0, 1\naddi x12, x0, 3\n" CALL(66) EXIT;
    exits(__LINE__, program, list, sizeof list, 7);
    assert_string_equal(written[1], " 123 ab"); /* little-endian */
    EXITS(EINVAL, "lui x12, 1\naddi x10, x0, 1\n" CALL(66) "sub x10, x0, x10\n" EXIT);
    EXITS(EFAULT, "addi x12, x0, 1\naddi x10, x0, 1\n" CALL(66) "sub x10, x0, x10\n" EXIT);
    EXITS(ENOTTY, "addi x10, x0, 1\n" CALL(29) "sub x10, x0, x10\n" EXIT);
}

static void test_time_and_names(void **state)
{
    (void)state;
    /* Nanoseconds are instructions: two calls, so many instructions apart. */
    EXITS(6, "lui x11, 0x20\naddi x10, x0, 1\n" CALL(113) "ld x5, 8(x11)\naddi x10, x0, 1\naddi x0, x0, "
                                                          "0\naddi x0, x0, 0\n" CALL(
                                                              113) "ld x6, 8(x11)\nsub x10, x6, x5\n" EXIT);
    EXITS(EINVAL, "lui x11, 0x20\naddi x10, x0, 12\n" CALL(113) "sub x10, x0, x10\n" EXIT);
    EXITS(EFAULT, "addi x11, x0, 0\naddi x10, x0, 1\n" CALL(113) "sub x10, x0, x10\n" EXIT);
    EXITS('r', "lui x10, 0x20\n" CALL(160) "lui x5, 0x20\nlbu x10, 260(x5)\n" EXIT);
    EXITS(EFAULT, "addi x10, x0, 5\n" CALL(160) "sub x10, x0, x10\n" EXIT);
    EXITS(1, CALL(96) EXIT);
}

static void test_heap(void **state)
{
    (void)state;
    /* Asked where it is; grown by a byte, which can be stored to; the next page cannot. */
    EXITS(5, "addi x10, x0, 0\n" CALL(214) "addi x5, x10, 0\naddi x10, x10, 1\n" CALL(
                 214) "sub x6, x10, x5\naddi x7, x0, 4\nsb x7, 0(x5)\nlbu x7, 0(x5)\nadd x10, x6, x7\n" EXIT);
    FAULTS(MEMORY, "sb: stores to where nothing may be stored (0x23000)",
           "addi x10, x0, 0\n" CALL(214) "addi x5, x10, 0\naddi x10, x10, 1\n" CALL(
               214) "lui x6, 1\nadd x5, x5, x6\nsb x7, 0(x5)\n");
    /* Given back and taken again: zero. */
    EXITS(0,
          "addi x10, x0, 0\n" CALL(214) "addi x5, x10, 0\naddi x10, x10, 8\n" CALL(
              214) "sd x10, 0(x5)\naddi x10, x5, 0\n" CALL(214) "addi x10, x5, 8\n" CALL(214) "ld x10, "
                                                                                              "0(x5)\n" EXIT);
    /* Over the stack, or below its beginning, it does not go. */
    EXITS(0, "addi x10, x0, 0\n" CALL(214) "addi x5, x10, 0\naddi x10, x2, 0\n" CALL(
                 214) "sub x5, x10, x5\naddi x10, x0, 64\n" CALL(214) "lui x6, 0x22\nsub x10, x10, x6\nadd "
                                                                      "x10, x10, x5\n" EXIT);
}

#define MMAP(address, size, protection, flags)                                                               \
    "lui x10, " #address "\naddi x11, x0, " #size "\naddi x12, x0, " #protection "\naddi x13, x0, " #flags   \
    "\naddi x14, x0, -1\naddi x15, x0, 0\n" CALL(222)

static void test_mmap(void **state)
{
    (void)state;
    /* A page below another, both zero, and to be written; unmapped, not. */
    EXITS(16, MMAP(0, 1, 3, 34) "addi x5, x10, 0\nsd x5, 0(x5)\n" MMAP(
                  0, 1, 3, 34) "ld x6, 0(x10)\nsub x10, x5, x10\n"
                               "srli x10, x10, 8\nor x10, x10, x6\n" EXIT);
    FAULTS(MEMORY, "ld: loads from where nothing is (0x2fe000)",
           MMAP(0, 1, 3, 34) "addi x5, x10, 0\naddi x11, x0, 1\n" CALL(215) "ld x6, 0(x5)\n");
    FAULTS(MEMORY, "sd: stores to where nothing may be stored (0x2fe000)",
           MMAP(0, 1, 1, 34) "sd x6, 0(x10)\n");
    FAULTS(MEMORY, "ld: loads from where nothing is (0x2fe000)", MMAP(0, 1, 0, 34) "ld x6, 0(x10)\n");
    /* Where it is asked for, in place of what is there; there, but not in place. */
    EXITS(0, MMAP(0x20, 1, 3, 50) "lui x5, 0x20\nsub x6, x10, x5\nlbu x10, 0(x5)\nor x10, x10, x6\n" EXIT);
    EXITS(EEXIST, "lui x13, 0x100\naddi x13, x13, 34\nlui x10, 0x20\naddi x11, x0, 1\naddi x12, x0, 3\n" CALL(
                      222) "sub x10, x0, x10\n" EXIT);
    EXITS(EPERM, MMAP(0x10, 1, 3, 50) "sub x10, x0, x10\n" EXIT); /* code */
    EXITS(EPERM, MMAP(0, 1, 3, 50) "sub x10, x0, x10\n" EXIT);    /* page 0 */
    EXITS(ENOMEM, MMAP(0x400, 1, 3, 50) "sub x10, x0, x10\n" EXIT);
    EXITS(EINVAL, MMAP(0, 0, 3, 34) "sub x10, x0, x10\n" EXIT);
    EXITS(ENOMEM, MMAP(0, -1, 3, 34) "sub x10, x0, x10\n" EXIT);
    EXITS(ENOMEM, "lui x11, 0x300\naddi x12, x0, 3\naddi x13, x0, 34\n" CALL(222) "sub x10, x0, x10\n" EXIT);
    FAULTS(UNSUPPORTED,
           "ecall: makes a call that nobody takes: system call mmap (222) of a file, or of shared memory",
           MMAP(0, 1, 3, 2));
    FAULTS(UNSUPPORTED,
           "ecall: makes a call that nobody takes: system call mmap (222) of memory that executes",
           MMAP(0, 1, 7, 34));
    /* Unmapping code, or what is no page. */
    EXITS(EPERM, "lui x10, 0x10\naddi x11, x0, 1\n" CALL(215) "sub x10, x0, x10\n" EXIT);
    EXITS(EINVAL, "addi x10, x0, 5\naddi x11, x0, 1\n" CALL(215) "sub x10, x0, x10\n" EXIT);
    EXITS(EINVAL,
          "addi x10, x0, -1\nslli x10, x10, 12\naddi x11, x0, -1\n" CALL(215) "sub x10, x0, x10\n" EXIT);
}

static void test_mprotect(void **state)
{
    (void)state;
    FAULTS(MEMORY, "sb: stores to where nothing may be stored (0x20000)",
           "lui x10, 0x20\naddi x11, x0, 1\naddi x12, x0, 1\n" CALL(
               226) "lui x5, 0x20\nlbu x6, 0(x5)\nsb x6, 0(x5)\n");
    EXITS(ENOMEM, "lui x10, 0x30\naddi x11, x0, 1\naddi x12, x0, 1\n" CALL(226) "sub x10, x0, x10\n" EXIT);
    EXITS(EPERM, "lui x10, 0x10\naddi x11, x0, 1\naddi x12, x0, 3\n" CALL(226) "sub x10, x0, x10\n" EXIT);
    EXITS(EINVAL, "addi x10, x0, 1\naddi x11, x0, 1\n" CALL(226) "sub x10, x0, x10\n" EXIT);
}

/* ---- how it ends ---- */

static void test_faults(void **state)
{
    (void)state;
    FAULTS(UNSUPPORTED, "ecall: makes a call that nobody takes: system call openat (56)", CALL(56));
    FAULTS(UNSUPPORTED, "ecall: makes a call that nobody takes: system call of no name (999)", CALL(999));
    assert_int_equal(fault.address, ELF_IMAGE_CODE + 64 + 2 * 56 + 4);
    FAULTS(MEMORY, "lw: loads from where nothing is (0x8)", "lw x5, 8(x0)\n");
    FAULTS(MEMORY, "sw: stores to where nothing may be stored (0x10000)", "lui x5, 0x10\nsw x5, 0(x5)\n");
    FAULTS(MEMORY, "goes where no code is (0x20000)", "lui x5, 0x20\njalr x0, 0(x5)\n");
    FAULTS(SHADER, "ebreak: stops at a breakpoint", "ebreak\n");
    FAULTS(TIMEOUT, "loops for too long", "here:\njal x0, here\n");
    FAULTS(SHADER, "lr.w: uses an address that is not aligned (0x20001)",
           "lui x5, 0x20\naddi x5, x5, 1\nlr.w x6, (x5)\n");
    FAULTS(SHADER, "executes an illegal instruction: 0x0 is reserved: 0 is reserved here", ".word 0x0000\n");
    FAULTS(MEMORY, "ld: loads from where nothing is (0x22ff8), at halfword 4 of its VBLOCK's opcodes",
           "lui x6, 0x23\naddi x6, x6, -8\nvblock both:2, regs(x5=x40v) { addi x6, x6, 0 ; add x7, x6, x5 ; "
           "ld x5, 0(x6) }\n");
}

/* Zeros of the segment that executes are no code. */
static void test_code_without_bytes(void **state)
{
    (void)state;
    struct util_error error = {0};
    const struct libresoc_process_options options = {.memory = MEMORY, .fuel = 10};
    for (unsigned empty = 0; empty < 2; empty++) {
        elf_image_make(&image, "jal x0, 256\n", NULL, 0);
        Elf64_Phdr *code = elf_image_segment(&image, 0);
        code->p_memsz = 0x8000;
        if (empty)
            code->p_filesz = 0;
        libresoc_process_destroy(process);
        process = NULL;
        assert_int_equal(libresoc_process_create(image.bytes, image.size, &options, &process, &error), 0);
        assert_int_equal(process->program->count, empty ? 0 : code->p_filesz / 2);
        assert_false(libresoc_process_run(process, NULL, &fault));
        assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
        assert_non_null(strstr(fault.text, "goes where no code is"));
    }
}

static void test_fuel(void **state)
{
    (void)state;
    /* Calls that do much take fuel, though they are few. */
    assert_int_equal(
        create("again:\n" MMAP(0, 2047, 3, 34) "addi x11, x0, 2047\n" CALL(215) "jal x0, again\n", NULL, 0,
               100000),
        0);
    assert_false(libresoc_process_run(process, NULL, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_TIMEOUT);
    assert_true(process->state.executed < 20000);
}

/* Numbers are those of the kernel's header. */
#define CALL_OF_TABLE(number, name) _Static_assert(__NR_##name == (number), #name);
#undef CALL
#define CALL CALL_OF_TABLE
#include "gpu/libresoc/calls.inc"

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(libresoc_call_name(64), "write");
    assert_string_equal(libresoc_call_name(222), "mmap");
    assert_null(libresoc_call_name(403)); /* of 32 bits */
    assert_null(libresoc_call_name(UINT64_MAX));
}

static int drop(void **state)
{
    (void)state;
    libresoc_process_destroy(process);
    process = NULL;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exit),
                                       cmocka_unit_test(test_stack),
                                       cmocka_unit_test(test_too_large),
                                       cmocka_unit_test(test_write),
                                       cmocka_unit_test(test_writev),
                                       cmocka_unit_test(test_time_and_names),
                                       cmocka_unit_test(test_heap),
                                       cmocka_unit_test(test_mmap),
                                       cmocka_unit_test(test_mprotect),
                                       cmocka_unit_test(test_faults),
                                       cmocka_unit_test(test_code_without_bytes),
                                       cmocka_unit_test(test_fuel),
                                       cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, drop);
}
