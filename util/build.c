#include "util/build.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/bits.h"

static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && address >= at && address - at < p->p_memsz)
            return true;
    }
    return false;
}

static void print(const uint8_t *bytes, size_t size, char out[UTIL_BUILD_ID])
{
    for (size_t i = 0; i < size && 2 * i + 2 < UTIL_BUILD_ID; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

/* elf(5): notes are padded to four bytes, name and what it names. */
static void look_at_notes(const uint8_t *at, size_t size, char out[UTIL_BUILD_ID])
{
    ElfW(Nhdr) note;
    while (size >= sizeof note) {
        memcpy(&note, at, sizeof note);
        size_t name = util_align(note.n_namesz, 4), bytes = util_align(note.n_descsz, 4);
        if (name > size - sizeof note || bytes > size - sizeof note - name)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof "GNU" &&
            !memcmp(at + sizeof note, "GNU", sizeof "GNU"))
            print(at + sizeof note + name, note.n_descsz, out);
        at += sizeof note + name + bytes;
        size -= sizeof note + name + bytes;
    }
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *data)
{
    if (!holds(info, (uintptr_t)look_at_object))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_NOTE)
            look_at_notes((const uint8_t *)(info->dlpi_addr + p->p_vaddr), p->p_memsz, data);
    }
    return 1;
}

void util_build_id(char out[UTIL_BUILD_ID])
{
    out[0] = 0;
    dl_iterate_phdr(look_at_object, out);
}
