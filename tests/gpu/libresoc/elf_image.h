/* An ELF file of a program in text: its headers and code in a segment that executes, data in one that is written. */
#ifndef VITRAIL_TESTS_GPU_LIBRESOC_ELF_IMAGE_H
#define VITRAIL_TESTS_GPU_LIBRESOC_ELF_IMAGE_H

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "isa/simple_v/asm.h"

#define ELF_IMAGE_CODE  0x10000u /* where the file's first byte is loaded */
#define ELF_IMAGE_DATA  0x20000u
#define ELF_IMAGE_BYTES 0x4000u /* of the file at most */
#define ELF_IMAGE_ZEROS 0x1000u /* behind the data */

struct elf_image {
    _Alignas(8) uint8_t bytes[ELF_IMAGE_BYTES];
    uint64_t size;
};

static inline Elf64_Ehdr *elf_image_header(struct elf_image *image)
{
    return (Elf64_Ehdr *)(void *)image->bytes;
}

static inline Elf64_Phdr *elf_image_segment(struct elf_image *image, unsigned n)
{
    return (Elf64_Phdr *)(void *)(image->bytes + sizeof(Elf64_Ehdr)) + n;
}

/* The text of the program, which begins at its first line, and bytes that stand at ELF_IMAGE_DATA. Fails the test if it does not
 * assemble. */
static inline void elf_image_make(struct elf_image *image, const char *text, const void *data,
                                  uint64_t data_bytes)
{
    const uint64_t headers = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
    struct util_error error = {0};
    void *code;
    uint32_t count;
    if (simple_v_asm(text, strlen(text), &code, &count, &error))
        fail_msg("%s", error.text);
    const uint64_t code_end = headers + 2ull * count, data_at = (code_end + 15) & ~15ull;
    assert_true(data_at + data_bytes <= ELF_IMAGE_BYTES);
    memset(image, 0, sizeof *image);
    memcpy(image->bytes + headers, code, 2ull * count);
    free(code);
    if (data_bytes)
        memcpy(image->bytes + data_at, data, data_bytes);
    image->size = data_at + data_bytes;
    *elf_image_header(image) =
        (Elf64_Ehdr){.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                     .e_type = ET_EXEC,
                     .e_machine = EM_RISCV,
                     .e_version = EV_CURRENT,
                     .e_entry = ELF_IMAGE_CODE + headers,
                     .e_phoff = sizeof(Elf64_Ehdr),
                     .e_flags = EF_RISCV_RVC | EF_RISCV_FLOAT_ABI_DOUBLE,
                     .e_ehsize = sizeof(Elf64_Ehdr),
                     .e_phentsize = sizeof(Elf64_Phdr),
                     .e_phnum = 2};
    *elf_image_segment(image, 0) = (Elf64_Phdr){.p_type = PT_LOAD,
                                                .p_flags = PF_R | PF_X,
                                                .p_vaddr = ELF_IMAGE_CODE,
                                                .p_filesz = code_end,
                                                .p_memsz = code_end,
                                                .p_align = 16};
    *elf_image_segment(image, 1) = (Elf64_Phdr){.p_type = PT_LOAD,
                                                .p_flags = PF_R | PF_W,
                                                .p_offset = data_at,
                                                .p_vaddr = ELF_IMAGE_DATA,
                                                .p_filesz = data_bytes,
                                                .p_memsz = data_bytes + ELF_IMAGE_ZEROS,
                                                .p_align = 16};
}

#endif
