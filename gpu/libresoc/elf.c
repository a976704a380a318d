#include "gpu/libresoc/elf.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/checked.h"

/* The file as it is read. */
struct reader {
    const uint8_t *bytes;
    uint64_t size;
    struct libresoc_elf *out;
    struct util_error *error;
};

#define REFUSE(r, ...) util_fail((r)->error, -EBADMSG, __VA_ARGS__)

/* ---- the file's header ---- */

static int check_kind(struct reader *r, const Elf64_Ehdr *h)
{
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
        return REFUSE(r, "ELF header: e_ident: not an ELF file");
    if (h->e_ident[EI_CLASS] != ELFCLASS64)
        return REFUSE(r, "ELF header: EI_CLASS: %u, not 64 bits", h->e_ident[EI_CLASS]);
    if (h->e_ident[EI_DATA] != ELFDATA2LSB)
        return REFUSE(r, "ELF header: EI_DATA: %u, not little-endian", h->e_ident[EI_DATA]);
    if (h->e_machine != EM_RISCV)
        return REFUSE(r, "ELF header: e_machine: %u, not RISC-V (%u)", h->e_machine, EM_RISCV);
    if (h->e_type == ET_DYN)
        return REFUSE(r, "ELF header: e_type: position-independent (ET_DYN); link with -static -no-pie");
    if (h->e_type != ET_EXEC)
        return REFUSE(r, "ELF header: e_type: %u, no executable (ET_EXEC)", h->e_type);
    if (h->e_version != EV_CURRENT || h->e_ident[EI_VERSION] != EV_CURRENT)
        return REFUSE(r, "ELF header: e_version: %u, not %u", h->e_version, EV_CURRENT);
    if (h->e_flags & EF_RISCV_RVE)
        return REFUSE(r, "ELF header: e_flags: 0x%x: the ABI of RV32E, with half of the registers",
                      h->e_flags);
    if ((h->e_flags & EF_RISCV_FLOAT_ABI) == EF_RISCV_FLOAT_ABI_QUAD)
        return REFUSE(r, "ELF header: e_flags: 0x%x: floats of 128 bits", h->e_flags);
    return 0;
}

static int check_table(struct reader *r, const Elf64_Ehdr *h)
{
    if (h->e_phentsize != sizeof(Elf64_Phdr))
        return REFUSE(r, "ELF header: e_phentsize: %u, not %zu", h->e_phentsize, sizeof(Elf64_Phdr));
    if (h->e_phnum == PN_XNUM)
        return REFUSE(r, "ELF header: e_phnum: more program headers than it can say");
    if (!util_in_range(h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf64_Phdr), r->size))
        return REFUSE(r,
                      "ELF header: e_phoff: %u program headers at 0x%" PRIx64
                      " are not in the file of %" PRIu64 " bytes",
                      h->e_phnum, (uint64_t)h->e_phoff, r->size);
    return 0;
}

/* ---- program headers ---- */

static int check_place(struct reader *r, uint32_t n, const Elf64_Phdr *p)
{
    uint64_t end;
    if (p->p_filesz > p->p_memsz)
        return REFUSE(r, "program header %u: p_filesz: 0x%" PRIx64 ", more than p_memsz (0x%" PRIx64 ")", n,
                      (uint64_t)p->p_filesz, (uint64_t)p->p_memsz);
    if (!util_in_range(p->p_offset, p->p_filesz, r->size))
        return REFUSE(r,
                      "program header %u: p_offset: 0x%" PRIx64 " bytes at 0x%" PRIx64
                      " are not in the file of %" PRIu64 " bytes",
                      n, (uint64_t)p->p_filesz, (uint64_t)p->p_offset, r->size);
    if (!util_add(p->p_vaddr, p->p_memsz, &end))
        return REFUSE(r, "program header %u: p_memsz: 0x%" PRIx64 " bytes at 0x%" PRIx64 " wrap around", n,
                      (uint64_t)p->p_memsz, (uint64_t)p->p_vaddr);
    if (p->p_align & (p->p_align - 1))
        return REFUSE(r, "program header %u: p_align: 0x%" PRIx64 ", no power of two", n,
                      (uint64_t)p->p_align);
    if (p->p_align > 1 && (p->p_vaddr - p->p_offset) & (p->p_align - 1))
        return REFUSE(r,
                      "program header %u: p_vaddr: 0x%" PRIx64 " and p_offset 0x%" PRIx64
                      " differ modulo p_align (0x%" PRIx64 ")",
                      n, (uint64_t)p->p_vaddr, (uint64_t)p->p_offset, (uint64_t)p->p_align);
    return 0;
}

static int add_segment(struct reader *r, uint32_t n, const Elf64_Phdr *p)
{
    struct libresoc_elf *out = r->out;
    const int err = check_place(r, n, p);
    if (err || !p->p_memsz)
        return err;
    if (out->count == LIBRESOC_SEGMENTS)
        return REFUSE(r, "program header %u: p_type: more than %u segments to load", n, LIBRESOC_SEGMENTS);
    if (p->p_flags & PF_W && p->p_flags & PF_X)
        return REFUSE(
            r,
            "program header %u: p_flags: writable and executable; code is read once, so it must not change",
            n);
    const struct libresoc_segment *before = out->count ? &out->segment[out->count - 1] : NULL;
    if (before && p->p_vaddr < before->address + before->size)
        return REFUSE(r,
                      "program header %u: p_vaddr: 0x%" PRIx64
                      " is not behind program header %u's segment, which ends at 0x%" PRIx64,
                      n, (uint64_t)p->p_vaddr, before->header, before->address + before->size);
    out->segment[out->count++] = (struct libresoc_segment){.header = n,
                                                           .address = p->p_vaddr,
                                                           .size = p->p_memsz,
                                                           .offset = p->p_offset,
                                                           .in_file = p->p_filesz,
                                                           .reads = p->p_flags & PF_R,
                                                           .writes = p->p_flags & PF_W,
                                                           .executes = p->p_flags & PF_X};
    return 0;
}

static int take_header(struct reader *r, uint32_t n, const Elf64_Phdr *p)
{
    switch (p->p_type) {
    case PT_LOAD: return add_segment(r, n, p);
    case PT_INTERP:
        return REFUSE(r, "program header %u: p_type: dynamically linked (PT_INTERP); link with -static", n);
    default: return 0;
    }
}

/* Where what stands at an offset of the file is loaded; 0: nowhere. */
static uint64_t loaded_at(const struct libresoc_elf *elf, uint64_t offset, uint64_t size)
{
    for (uint32_t n = 0; n < elf->count; n++) {
        const struct libresoc_segment *s = &elf->segment[n];
        if (offset >= s->offset && util_in_range(offset - s->offset, size, s->in_file))
            return s->address + (offset - s->offset);
    }
    return 0;
}

static int check_entry(struct reader *r)
{
    const struct libresoc_elf *out = r->out;
    if (out->entry & 1)
        return REFUSE(r, "ELF header: e_entry: 0x%" PRIx64 " is odd", out->entry);
    for (uint32_t n = 0; n < out->count; n++) {
        const struct libresoc_segment *s = &out->segment[n];
        if (s->executes && out->entry >= s->address && out->entry - s->address < s->size)
            return 0;
    }
    return REFUSE(r, "ELF header: e_entry: 0x%" PRIx64 " is in no executable segment", out->entry);
}

int libresoc_elf_read(const uint8_t *bytes, uint64_t size, struct libresoc_elf *out, struct util_error *error)
{
    struct reader r = {bytes, size, out, error};
    Elf64_Ehdr h;
    int err;
    *out = (struct libresoc_elf){0};
    if (size < sizeof h)
        return REFUSE(&r, "ELF header: the file has %" PRIu64 " bytes, a header has %zu", size, sizeof h);
    memcpy(&h, bytes, sizeof h);
    if ((err = check_kind(&r, &h)) || (err = check_table(&r, &h)))
        return err;
    out->entry = h.e_entry;
    out->header_count = h.e_phnum;
    for (uint32_t n = 0; n < h.e_phnum; n++) {
        Elf64_Phdr p;
        memcpy(&p, bytes + h.e_phoff + n * sizeof p, sizeof p);
        if ((err = take_header(&r, n, &p)))
            return err;
    }
    out->headers = loaded_at(out, h.e_phoff, (uint64_t)h.e_phnum * sizeof(Elf64_Phdr));
    return check_entry(&r);
}
