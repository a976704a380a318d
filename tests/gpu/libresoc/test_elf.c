/* The ELF loader: each field that is wrong is named, and no bytes do harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "gpu/libresoc/elf.h"

#include <errno.h>
#include <stdio.h>

#include "gpu/libresoc/process.h"
#include "isa/random.h"
#include "tests/gpu/libresoc/elf_image.h"

static struct elf_image image;
static const char EXITS[] = "addi x17, x0, 93\naddi x10, x0, 7\necall\n";

static void make(void)
{
    elf_image_make(&image, EXITS, "0123456789abcdef", 16);
}

static void test_good(void **state)
{
    (void)state;
    struct libresoc_elf elf;
    struct util_error error = {0};
    make();
    assert_int_equal(libresoc_elf_read(image.bytes, image.size, &elf, &error), 0);
    assert_int_equal(elf.count, 2);
    assert_int_equal(elf.headers, ELF_IMAGE_CODE + sizeof(Elf64_Ehdr));
    assert_int_equal(elf.header_count, 2);
    assert_true(elf.segment[0].executes && elf.segment[0].reads && !elf.segment[0].writes);
    assert_true(!elf.segment[1].executes && elf.segment[1].reads && elf.segment[1].writes);
    assert_int_equal(elf.segment[1].address, ELF_IMAGE_DATA);
    assert_int_equal(elf.segment[1].in_file, 16);
    assert_int_equal(elf.segment[1].size, 16 + ELF_IMAGE_ZEROS);
    /* Headers that are not loaded have no address; empty segments are none. */
    make();
    elf_image_segment(&image, 0)->p_offset += 16;
    elf_image_segment(&image, 0)->p_filesz = 0;
    elf_image_segment(&image, 1)->p_filesz = elf_image_segment(&image, 1)->p_memsz = 0;
    assert_int_equal(libresoc_elf_read(image.bytes, image.size, &elf, &error), 0);
    assert_int_equal(elf.headers, 0);
    assert_int_equal(elf.count, 1);
}

/* The image as it is now is refused with the message. */
static void refused(int line, const char *message)
{
    struct libresoc_elf elf;
    struct util_error error = {0};
    const int err = libresoc_elf_read(image.bytes, image.size, &elf, &error);
    if (err != -EBADMSG || strncmp(error.text, message, strlen(message)) != 0)
        fail_msg("line %d: %d, '%s', not '%s'", line, err, error.text, message);
}

#define REFUSED(change, message)                                                                             \
    do {                                                                                                     \
        make();                                                                                              \
        Elf64_Ehdr *h = elf_image_header(&image);                                                            \
        Elf64_Phdr *p = elf_image_segment(&image, 0), *q = p + 1;                                            \
        change;                                                                                              \
        (void)h, (void)p, (void)q;                                                                           \
        refused(__LINE__, message);                                                                          \
    } while (0)

static void test_header(void **state)
{
    (void)state;
    REFUSED(image.size = 63, "ELF header: the file has 63 bytes");
    REFUSED(image.size = 0, "ELF header: the file has 0 bytes");
    REFUSED(h->e_ident[1] = 'e', "ELF header: e_ident:");
    REFUSED(h->e_ident[EI_CLASS] = ELFCLASS32, "ELF header: EI_CLASS: 1");
    REFUSED(h->e_ident[EI_DATA] = ELFDATA2MSB, "ELF header: EI_DATA: 2");
    REFUSED(h->e_machine = EM_X86_64, "ELF header: e_machine: 62");
    REFUSED(h->e_type = ET_DYN, "ELF header: e_type: position-independent");
    REFUSED(h->e_type = ET_REL, "ELF header: e_type: 1");
    REFUSED(h->e_version = 2, "ELF header: e_version: 2");
    REFUSED(h->e_flags |= EF_RISCV_RVE, "ELF header: e_flags: 0xd");
    REFUSED(h->e_flags |= EF_RISCV_FLOAT_ABI_QUAD, "ELF header: e_flags: 0x7");
    REFUSED(h->e_phentsize = 32, "ELF header: e_phentsize: 32");
    REFUSED(h->e_phnum = PN_XNUM, "ELF header: e_phnum:");
    REFUSED(h->e_phoff = image.size, "ELF header: e_phoff: 2 program headers at");
    REFUSED(h->e_phoff = UINT64_MAX, "ELF header: e_phoff: 2 program headers at 0xffffffffffffffff");
    REFUSED(h->e_phnum = 500, "ELF header: e_phoff: 500 program headers");
    REFUSED(h->e_phnum = 0, "ELF header: e_entry: 0x100b0 is in no executable segment");
    REFUSED(h->e_entry++, "ELF header: e_entry: 0x100b1 is odd");
    REFUSED(h->e_entry = ELF_IMAGE_DATA, "ELF header: e_entry: 0x20000 is in no executable segment");
}

static void test_segments(void **state)
{
    (void)state;
    REFUSED(p->p_type = PT_INTERP, "program header 0: p_type: dynamically linked");
    REFUSED(q->p_filesz = q->p_memsz + 1, "program header 1: p_filesz: 0x1011, more than p_memsz (0x1010)");
    REFUSED(q->p_offset += 16, "program header 1: p_offset: 0x10 bytes at");
    REFUSED(q->p_offset = UINT64_MAX - 15, "program header 1: p_offset: 0x10 bytes at 0xfffffffffffffff0");
    REFUSED(q->p_memsz = UINT64_MAX, "program header 1: p_memsz: 0xffffffffffffffff bytes at 0x20000 wrap");
    REFUSED(q->p_align = 24, "program header 1: p_align: 0x18");
    REFUSED(q->p_vaddr++, "program header 1: p_vaddr: 0x20001 and p_offset");
    REFUSED(q->p_vaddr = ELF_IMAGE_CODE,
            "program header 1: p_vaddr: 0x10000 is not behind program header 0's");
    REFUSED(q->p_flags |= PF_X, "program header 1: p_flags: writable and executable");
}

static void test_too_many_segments(void **state)
{
    (void)state;
    make();
    elf_image_header(&image)->e_phoff = 0x800;
    elf_image_header(&image)->e_phnum = LIBRESOC_SEGMENTS + 1;
    image.size = ELF_IMAGE_BYTES;
    for (unsigned n = 0; n <= LIBRESOC_SEGMENTS; n++) {
        const Elf64_Phdr p = {
            .p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = 0x10000 + n * 0x1000, .p_memsz = 1};
        memcpy(image.bytes + 0x800 + n * sizeof p, &p, sizeof p);
    }
    refused(__LINE__, "program header 32: p_type: more than 32 segments");
}

/* Files with some bytes changed: refused in words, or loaded and run to an end. */
static void test_random(void **state)
{
    (void)state;
    struct isa_random r = {1};
    unsigned loaded = 0, ran = 0;
    for (unsigned n = 0; n < 3000; n++) {
        make();
        const unsigned changes = 1 + isa_random_below(&r, 4);
        for (unsigned i = 0; i < changes; i++)
            image.bytes[isa_random_below(&r, 64 + 2 * 56)] = (uint8_t)isa_random_next(&r);
        if (isa_random_one_in(&r, 8))
            image.size = isa_random_below(&r, (uint32_t)image.size);
        const struct libresoc_process_options options = {.memory = 1 << 20, .fuel = 1000};
        struct libresoc_process *p;
        struct util_error error = {0};
        struct gpu_fault fault;
        const int err = libresoc_process_create(image.bytes, image.size, &options, &p, &error);
        assert_true(err == 0 || err == -EBADMSG || err == -E2BIG);
        if (err && !*error.text)
            fail_msg("program %u: refused without a word", n);
        if (!err) {
            loaded++;
            ran += libresoc_process_run(p, NULL, &fault);
        }
        libresoc_process_destroy(p);
    }
    assert_true(loaded > 300 && ran > 200 && loaded < 2700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good), cmocka_unit_test(test_header), cmocka_unit_test(test_segments),
        cmocka_unit_test(test_too_many_segments), cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
