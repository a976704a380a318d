/* What the tests have in common that run RV64 programs under qemu-riscv64: an image of code and data in one segment, assembled by
 * ours. One a process. */
#ifndef VITRAIL_TESTS_DIFF_QEMU_RISCV_H
#define VITRAIL_TESTS_DIFF_QEMU_RISCV_H

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isa/simple_v/asm.h"

enum {
    QEMU_CODE = 0x100000,             /* where the image lies */
    QEMU_DATA = 0x110000,             /* what is no code */
    QEMU_MEMORY = QEMU_DATA + 0x1000, /* what programs load and store */
    QEMU_MEMORY_BYTES = 0x2000,
    QEMU_IMAGE_BYTES = QEMU_MEMORY + QEMU_MEMORY_BYTES - QEMU_CODE,
    QEMU_HEAD = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) /* of the image; code follows */
};

static uint8_t qemu_image[QEMU_IMAGE_BYTES];
static uint32_t qemu_code_bytes; /* so far */

static uint8_t *qemu_at(uint64_t address)
{
    return qemu_image + (address - QEMU_CODE);
}

static void qemu_append(const uint16_t *code, unsigned length)
{
    assert_true(qemu_code_bytes + length * sizeof *code < QEMU_DATA - QEMU_CODE);
    memcpy(qemu_image + qemu_code_bytes, code, length * sizeof *code);
    qemu_code_bytes += length * (unsigned)sizeof *code;
}

static void qemu_text(const char *format, ...)
{
    char text[200];
    void *words;
    uint32_t count;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct util_error error = {0};
    if (simple_v_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s: %s", text, error.text);
    qemu_append(words, count);
    free(words);
}

/* Before the code, once all else is there. */
static void qemu_put_head(void)
{
    const Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                             .e_type = ET_EXEC,
                             .e_machine = EM_RISCV,
                             .e_version = EV_CURRENT,
                             .e_entry = QEMU_CODE + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
                             .e_phoff = sizeof(Elf64_Ehdr),
                             .e_flags = 5, /* RVC, floats of 64 bits */
                             .e_ehsize = sizeof(Elf64_Ehdr),
                             .e_phentsize = sizeof(Elf64_Phdr),
                             .e_phnum = 1};
    const Elf64_Phdr all = {.p_type = PT_LOAD,
                            .p_flags = PF_R | PF_W | PF_X,
                            .p_vaddr = QEMU_CODE,
                            .p_paddr = QEMU_CODE,
                            .p_filesz = sizeof qemu_image,
                            .p_memsz = sizeof qemu_image,
                            .p_align = 0x1000};
    memcpy(qemu_image, &head, sizeof head);
    memcpy(qemu_image + sizeof head, &all, sizeof all);
}

static bool qemu_in_image(uint64_t address, unsigned bytes)
{
    return address >= QEMU_DATA && address + bytes <= QEMU_CODE + sizeof qemu_image;
}

static bool qemu_load(void *ctx, uint64_t address, unsigned bytes, uint64_t *out)
{
    *out = 0;
    if (qemu_in_image(address, bytes))
        memcpy(out, qemu_at(address), bytes);
    return qemu_in_image(address, bytes);
}

static bool qemu_store(void *ctx, uint64_t address, unsigned bytes, uint64_t value)
{
    if (qemu_in_image(address, bytes))
        memcpy(qemu_at(address), &value, bytes);
    return qemu_in_image(address, bytes);
}

/* What the image writes to its first file under qemu-riscv64, `bytes` of it. */
static void qemu_emulate(uint8_t *out, size_t bytes)
{
    char path[] = "/tmp/simple-v-XXXXXX";
    int pipes[2], status, file = mkstemp(path);
    size_t size = 0;
    assert_true(file >= 0 && !fchmod(file, 0700) &&
                write(file, qemu_image, sizeof qemu_image) == (ssize_t)sizeof qemu_image);
    close(file);
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (!child) {
        dup2(pipes[1], 1);
        execlp("qemu-riscv64", "qemu-riscv64", "-cpu", "rv64,Zfh=true,zbb=true", path, (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    for (ssize_t got; size < bytes && (got = read(pipes[0], out + size, bytes - size)) > 0;)
        size += (size_t)got;
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    unlink(path);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        fail_msg("there is no qemu-riscv64: `tools/setup test` installs it");
    assert_int_equal(status, 0);
    assert_int_equal(size, bytes);
}

#endif
