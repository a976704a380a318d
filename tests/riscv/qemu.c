#include "tests/riscv/qemu.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isa/simple_v/asm.h"

enum { HEAD = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) };

uint8_t qemu_image[QEMU_IMAGE_BYTES];
uint32_t qemu_code_bytes;

void qemu_begin(void)
{
    memset(qemu_image, 0, sizeof qemu_image);
    qemu_code_bytes = HEAD;
}

uint64_t qemu_entry(void)
{
    return QEMU_CODE + HEAD;
}

void qemu_append(const uint16_t *code, unsigned length)
{
    assert_true(qemu_code_bytes + length * sizeof *code < QEMU_DATA - QEMU_CODE);
    memcpy(qemu_image + qemu_code_bytes, code, length * sizeof *code);
    qemu_code_bytes += length * (unsigned)sizeof *code;
}

void qemu_text(const char *format, ...)
{
    char text[200];
    void *words;
    uint32_t count;
    va_list args;
    va_start(args, format);
    assert_true(vsnprintf(text, sizeof text, format, args) < (int)sizeof text);
    va_end(args);
    struct util_error error = {0};
    if (simple_v_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s: %s", text, error.text);
    qemu_append(words, count);
    free(words);
}

uint32_t qemu_reserve(void)
{
    const uint32_t where = qemu_code_bytes;
    qemu_append((const uint16_t[2]){0}, 2);
    return where;
}

void qemu_branch(uint32_t where, const char *branch)
{
    const uint32_t here = qemu_code_bytes;
    qemu_code_bytes = where;
    qemu_text("%s, %u", branch, here - where);
    assert_int_equal(qemu_code_bytes, where + 4);
    qemu_code_bytes = here;
}

/* Before the code, once all else is there. */
static void put_head(void)
{
    const Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                             .e_type = ET_EXEC,
                             .e_machine = EM_RISCV,
                             .e_version = EV_CURRENT,
                             .e_entry = QEMU_CODE + HEAD,
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

void qemu_end(unsigned from, unsigned bytes)
{
    const unsigned upper = (bytes + 0x800) >> 12;
    qemu_text("lui x11, %u\naddi x11, x11, %u", QEMU_DATA >> 12, from);
    qemu_text("lui x12, %u\naddi x12, x12, %d", upper, (int)bytes - (int)(upper << 12));
    qemu_text("addi x17, x0, 64\naddi x10, x0, 1\necall\naddi x17, x0, 93\naddi x10, x0, 0\necall");
    put_head();
}

static bool in_image(uint64_t address, unsigned bytes)
{
    return address >= QEMU_DATA && address + bytes <= QEMU_CODE + sizeof qemu_image;
}

bool qemu_load(void *ctx, uint64_t address, unsigned bytes, uint64_t *out)
{
    *out = 0;
    if (in_image(address, bytes))
        memcpy(out, qemu_at(address), bytes);
    return in_image(address, bytes);
}

bool qemu_store(void *ctx, uint64_t address, unsigned bytes, uint64_t value)
{
    if (in_image(address, bytes))
        memcpy(qemu_at(address), &value, bytes);
    return in_image(address, bytes);
}

void qemu_emulate(uint8_t *out, size_t bytes)
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
