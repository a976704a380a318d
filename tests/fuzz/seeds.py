#!/usr/bin/env python3
"""Writes the fuzzers' seeds: small inputs in which everything is as it should be.

Usage: tests/fuzz/seeds.py VITRAIL     (the built tool: its assembler makes the programs)

The layouts are those at the head of each fuzz_*.c.
"""
import json, os, struct, subprocess, sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, ".."))
from tables import executed_sets, tables  # noqa: E402

data = os.path.join(here, "..", "data", "vc4")
vitrail = sys.argv[1]
GPUS = [gpu["name"] for gpu in tables(vitrail)["gpus"]]


def save(target, name, content):
    folder = os.path.join(here, "seeds", target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(content)


def assemble(text):
    run = subprocess.run([vitrail, "asm", "--hex", "-"], input=text.encode(), stdout=subprocess.PIPE, check=True)
    return b"".join(struct.pack("<Q", int(word, 16)) for word in run.stdout.split())


def read(*path):
    with open(os.path.join(data, *path), "rb") as f:
        return f.read()


# ---- programs ----

END = "nop ; thrend\nnop\nnop ; sbdone\n"
FLAT = "mov tlb_z, rb15 ; sbwait\nmov tlb_color, unif\n" + END
VARYING = ("mov r2, ra15\nnop ; fmul r0, vary, r2\nfadd r0, r0, r5\nnop ; fmul r1.c8888, r0, 1.0\n"
           "mov tlb_z, rb15 ; sbwait\nmov tlb_color, r1\n" + END)
TEXTURED = ("mov r2, ra15\nnop ; fmul r0, vary, r2\nfadd r0, r0, r5\nmov tmu0_t, r0\nmov tmu0_s, r0\n"
            "nop ; ldtmu0\nmov tlb_z, rb15 ; sbwait\nmov tlb_color, r4\n" + END)
LOOP = ("ldi r0, 4\nagain:\nsub.sf r0, r0, 1\nnop\nnop\nbrr.anyzc -, -, again\nnop\nnop\nnop\n" + FLAT)


def copy(rows):
    return ("ldi vr_setup, 0x%x\nldi vw_setup, 0x1a00\n" % (rows << 20 | 0x1a00) + "mov vpm, vpm\n" * rows +
            "nop ; thrend\nnop\nnop\n")


# ---- a scene: programs, vertices, a binning list and a rendering list in one image of memory ----

IMAGE, TILES, TILE_BYTES = 0x1000, 0x8000, 0x1000
TILE_STATE, COLOR, ZS = 0xa000, 0xc000, 0x14000


class Image:
    def __init__(self):
        self.bytes = bytearray()

    def put(self, content, align=16):
        self.bytes += b"\0" * (-len(self.bytes) % align)
        at = IMAGE + len(self.bytes)
        self.bytes += content
        return at


def scene(fragment, mode=4, multisample=0, texture=None, indexed=False, varyings=1):
    """One 64x64 tile (four of 32x32 with multisampling): the image, and where the two lists begin and end."""
    m = Image()
    words = [0xff336699]
    if texture is not None:
        words = [m.put(texture, 4096) & ~0xfff, 0 | 8 << 8 | 8 << 20]
    uniforms = m.put(struct.pack("<%dI" % len(words), *words))
    vertices = b""
    for x, y, v in ((4, 4, 0.0), (60, 8, 0.5), (8, 56, 1.0), (50, 50, 0.25)):
        clip = (x / 32.0 - 1, y / 32.0 - 1, 0.25, 1.0)
        vertices += struct.pack("<4fhhfff", *clip, x * 16 - 512, y * 16 - 512, 0.5, 1.0, v)
    array = m.put(vertices)
    fs, vs, cs = m.put(assemble(fragment)), m.put(assemble(copy(3 + varyings))), m.put(assemble(copy(7)))
    record = m.put(struct.pack("<HBBIIHBBIIHBBII", 1 | 4, 0, varyings, fs, uniforms, 0, 1, 12 + 4 * varyings,
                               vs, uniforms, 0, 2, 28, cs, uniforms) +
                   struct.pack("<IBBBB", array + 16, 11 + 4 * varyings, 32 - 0 + 0, 0, 0) +
                   struct.pack("<IBBBB", array, 27, 32 - 0, 0, 0))
    indices = m.put(bytes([0, 1, 2, 1, 2, 3]))
    tiles = 2 if multisample else 1
    state = (struct.pack("<BI", 64, record | 2) + struct.pack("<BBBB", 96, 3, 0x70, 2) +
             struct.pack("<Bf", 98, 8.0) + struct.pack("<Bf", 99, 3.0) + struct.pack("<BII", 102, 0, 64 | 64 << 16) +
             struct.pack("<BI", 103, 512 | 512 << 16) + struct.pack("<Bff", 105, 512.0, 512.0) +
             struct.pack("<Bff", 106, 0.5, 0.5))
    if multisample:
        state = state.replace(struct.pack("<BBBB", 96, 3, 0x70, 2), struct.pack("<BBBB", 96, 0x43, 0x70, 2))
    draw = (struct.pack("<BBIII", 32, mode, 6, indices, 3) if indexed else struct.pack("<BBII", 33, mode, 4, 0))
    binning = (struct.pack("<BIIIBBB", 112, TILES, TILE_BYTES, TILE_STATE, tiles, tiles, multisample | 4) + b"\x06" +
               struct.pack("<BB", 56, 0x12) + state + draw + b"\x07\x04")
    rendering = (struct.pack("<BIIIB", 114, 0xff204060, 0xff204060, 0xffffff, 0) +
                 struct.pack("<BIHHH", 113, COLOR, 64, 64, 4 | (0x11 if multisample else 0)) +
                 struct.pack("<BBB", 115, 0, 0) + struct.pack("<BHI", 28, 0, 0) + b"\x08")
    for y in range(tiles):
        for x in range(tiles):
            last = x == tiles - 1 and y == tiles - 1
            rendering += (struct.pack("<BBB", 115, x, y) +
                          struct.pack("<BI", 17, TILES + (y * tiles + x) * 32) +
                          struct.pack("<BHI", 28, 2 | 1 << 13, ZS) + struct.pack("<BBB", 115, x, y) +
                          (b"\x19" if last else b"\x18"))
    bin_at, render_at = m.put(binning), m.put(rendering)
    return bytes(m.bytes), (bin_at, bin_at + len(binning), render_at, render_at + len(rendering))


def u24(value):
    return struct.pack("<I", value)[:3]


scenes = {
    "triangle": scene(VARYING, indexed=True),
    "strip": scene(VARYING, mode=5),
    "lines": scene(VARYING, mode=3),
    "points": scene(FLAT, mode=0),
    "loop": scene(LOOP),
    "multisample": scene(VARYING, multisample=1),
    "texture": scene(TEXTURED, texture=bytes(range(256))),
}
for name, (image, lists) in scenes.items():
    save("fuzz_control_list", name, b"\0" + b"".join(u24(at) for at in lists) + image)

# ---- captures: the same scenes as events ----

for name in ("triangle", "multisample"):
    image, lists = scenes[name]
    pages = [image[i:i + 4096].ljust(4096, b"\0") for i in range(0, len(image), 4096)]
    events = b"\x01" + struct.pack("<I", len(pages))
    for i, page in enumerate(pages):
        zero = page.count(0) == len(page)
        events += struct.pack("<Q", IMAGE + i * 4096 | (1 if zero else 0)) + (b"" if zero else page)
    for offset, value in zip((0x110, 0x108, 0x114, 0x10c), lists):
        events += struct.pack("<BII", 2, offset, value)
    events += struct.pack("<B7I", 4, COLOR, 64, 64, 0, 0, 256, 0)
    save("fuzz_capture", name, b"\0" + events)
    # the same words, as answers to an interrupt that never comes
    save("fuzz_capture", name + "-replies", b"\0" + events + struct.pack("<BII", 3, 0x308, 0x70000))
save("fuzz_capture", "empty-file", b"\1VITRAIL\n" + bytes(40))

# ---- whole jobs of a Mali: the recorded submissions, with few tiles, in a memory of their own ----

DIRECTORY, TABLES, PAGES, PAGE = 0, 0x1000, 0x8000, 4096
HEAP_PAGES, TILES_KEPT = 6, 3
FRAME_WORDS, WB_WORDS, LISTS = 23, 12, 60  # of a PP's frame: the count of units' words stands between


class Guest:
    """Physical memory, and the page tables to what is mapped."""

    def __init__(self):
        self.memory, self.tables, self.pages = {}, {}, PAGES

    def put(self, at, content):
        self.memory.update((at + n, byte) for n, byte in enumerate(content))

    def map(self, address, content, pages=None):
        for n in range(pages or max(1, -(-len(content) // PAGE))):
            at = address + n * PAGE
            if at >> 22 not in self.tables:
                self.tables[at >> 22] = TABLES + PAGE * len(self.tables)
                self.put(DIRECTORY + (at >> 22) * 4, struct.pack("<I", self.tables[at >> 22] | 1))
            self.put(self.tables[at >> 22] + (at >> 12 & 1023) * 4, struct.pack("<I", self.pages | 7))
            self.put(self.pages, content[n * PAGE:(n + 1) * PAGE])
            self.pages += PAGE

    def pieces(self):
        """Runs of bytes, zeros between them left out."""
        places = sorted(at for at, byte in self.memory.items() if byte)
        runs = []
        for at in places:
            if runs and at - runs[-1][1] < 16 and at - runs[-1][0] < 0x8000:
                runs[-1][1] = at
            else:
                runs.append([at, at])
        return b"".join(struct.pack("<IH", first, last + 1 - first) +
                        bytes(self.memory.get(at, 0) for at in range(first, last + 1)) for first, last in runs)


def cut_list(content):
    """A master list of a few tiles, from its middle."""
    tiles = [content[at:at + 16] for at in range(0, len(content) - 15, 16)]
    middle = len(tiles) // 2
    return b"".join(tiles[middle:middle + TILES_KEPT]) + struct.pack("<II", 0, 0xbc000000)


def mali_job(scene, flags):
    folder = os.path.join(here, "..", "data", "mali400", scene)
    gp = open(os.path.join(folder, "frame.bin"), "rb").read()
    pp = struct.unpack_from("<%dI" % (LISTS + 1), open(os.path.join(folder, "pp-frame.bin"), "rb").read())
    guest, heap = Guest(), struct.unpack_from("<4xI", gp, 12)[0]
    mapped = {}
    for index in ("index.txt", "pp-index.txt"):
        for line in open(os.path.join(folder, index)):
            if not line.startswith("bo "):
                continue
            said = dict(word.split("=") for word in line.split() if "=" in word)
            address, size = int(said["gpu"], 16), int(said["size"])
            content = b"" if said["file"] == "ZERO" else open(os.path.join(folder, said["file"]), "rb").read()
            if address == pp[LISTS]:
                content = cut_list(content)
            pages = HEAP_PAGES if said["kind"] == "heap" else size // PAGE
            if size == 1 << 20:  # lima's ring of small things: what was used of it
                pages = max(1, -(-len(content) // PAGE))
            if len(content) >= len(mapped.get(address, (b"",))[0]):
                mapped[address] = (content, pages)
    for address, (content, pages) in sorted(mapped.items()):
        guest.map(address, content, pages)
    frame = list(pp[:FRAME_WORDS])
    frame[0] = pp[LISTS]
    units = pp[FRAME_WORDS + 1:FRAME_WORDS + 1 + 3 * WB_WORDS]
    assert guest.pages <= 1 << 20, hex(guest.pages)
    return (bytes([flags]) + gp[:24] + struct.pack("<%dI" % (FRAME_WORDS + 3 * WB_WORDS), *frame, *units) +
            guest.pieces())


def page_events(job, at):
    """The pieces of memory from a place in a job on, as the pages of a capture."""
    memory = bytearray(1 << 20)
    while at < len(job):
        place, size = struct.unpack_from("<IH", job, at)
        memory[place:place + size] = job[at + 6:at + 6 + size]
        at += 6 + size
    pages = [bytes(memory[n:n + PAGE]) for n in range(0, len(memory), PAGE)]
    events = b"\x01" + struct.pack("<I", len(pages))
    for n, page in enumerate(pages):
        zero = page.count(0) == PAGE
        events += struct.pack("<Q", n * PAGE | (1 if zero else 0)) + (b"" if zero else page)
    return events


def mali_events(scene):
    """The same as a capture's events: pages, then what a driver writes to start the GP and one PP."""
    job = mali_job(scene, 0)
    words = struct.unpack_from("<%dI" % (6 + FRAME_WORDS + 3 * WB_WORDS), job, 1)
    events = page_events(job, 1 + 4 * len(words))
    writes = [(0x3008, 0), (0x4008, 0)] + [(n * 4, word) for n, word in enumerate(words[:6])] + [(0x20, 16), (0x20, 3)]
    writes += [(0x8000 + n * 4, word) for n, word in enumerate(words[6:6 + FRAME_WORDS])]
    writes += [(0x8100 + n // WB_WORDS * 0x100 + n % WB_WORDS * 4, word)
               for n, word in enumerate(words[6 + FRAME_WORDS:])] + [(0x900c, 1 << 6)]
    return events + register_events(writes)


def register_events(writes):
    return b"".join(struct.pack("<BII", 2, *write) for write in writes)


for gpu in (gpu["name"] for gpu in tables(vitrail)["gpus"] if gpu.get("driver") == "lima"):
    save("fuzz_capture", "%s-triangle" % gpu, bytes([GPUS.index(gpu) << 1]) + mali_events("triangle"))
for scene in ("clear", "triangle", "cube", "loop"):
    save("fuzz_utgard_job", scene, mali_job(scene, 0))
save("fuzz_utgard_job", "inside", mali_job("triangle", 1))
save("fuzz_utgard_job", "twice", mali_job("triangle", 2))
save("fuzz_utgard_job", "reset", mali_job("triangle", 6))
save("fuzz_utgard_job", "changed", mali_job("cube", 8))
save("fuzz_utgard_job", "both", mali_job("loop", 16))
save("fuzz_utgard_job", "both-twice", mali_job("triangle", 18))
save("fuzz_utgard_job", "both-reset", mali_job("triangle", 22))

# ---- chains of Midgard, Bifrost, Valhall ----

class Midgard(Guest):
    """With page tables of four levels, the first at 0."""

    def table_of(self, at, shift):
        key = shift, at >> shift
        if key not in self.tables:
            self.tables[key] = PAGE * (1 + len(self.tables))
            above = 0 if shift == 39 else self.table_of(at, shift + 9)
            self.put(above + (at >> shift & 511) * 8, struct.pack("<Q", self.tables[key] | 3))
        return self.tables[key]

    def map(self, address, content, pages=None):
        for n in range(pages or max(1, -(-len(content) // PAGE))):
            at = address + n * PAGE
            self.put(self.table_of(at, 21) + (at >> 12 & 511) * 8, struct.pack("<Q", self.pages | 0xc1))
            self.put(self.pages, content[n * PAGE:(n + 1) * PAGE])
            self.pages += PAGE

    def again(self, address, pages):
        """The last page stands there, too."""
        for n in range(pages):
            at = address + n * PAGE
            self.put(self.table_of(at, 21) + (at >> 12 & 511) * 8, struct.pack("<Q", self.pages - PAGE | 0xc1))


HEAP_PAGES = 3


def as_afbc(gpu, content, at, chain):
    """The frame of a fragment job (v7, v9) with its target as AFBC: headers of 256x256 pixels, then bodies."""
    content = bytearray(content.ljust(PAGE * 16, b"\0"))
    tagged, = struct.unpack_from("<Q", content, chain - at + 40)
    target = (tagged & ~63) - at + (192 if tagged & 2 else 128)
    words = list(struct.unpack_from("<16I", content, target))
    base = words[8]
    words[1] = words[1] & ~0xf00 | 12 << 8  # AFBC
    if gpu == "g57":
        words[2], words[10], words[11] = 10 << 10, 256, PAGE  # R8G8B8A8; bytes of a row of headers
    else:
        words[4:10] = [base, 0, 16, 0, base + PAGE, 0]
    struct.pack_into("<16I", content, target, *words)
    return bytes(content)


def midgard_job(gpu, scene, flags, chains=None, later=0, edit=None):
    folder = os.path.join(here, "..", "data", gpu, scene)
    guest, heads = Midgard(), {0: 0, 1: 0, 2: 0}
    for line in open(os.path.join(folder, "index.txt")):
        said = dict(word.split("=") for word in line.split() if "=" in word)
        if line.startswith("chain "):
            heads[int(said["slot"])] = int(said["at"], 16)
            continue
        content = b"" if said["file"] == "ZERO" else open(os.path.join(folder, said["file"]), "rb").read()
        at, pages = int(said["gpu"], 16), int(said["size"]) // PAGE
        if said["kind"] == "heap":  # which grows on demand
            guest.map(at, b"", HEAP_PAGES)
            continue
        if edit and at <= heads[0] < at + len(content):
            content = edit(gpu, content, at, heads[0])
        if at <= heads[0] < at + len(content):  # some tiles in the middle
            bounds = heads[0] - at + 32
            content = content[:bounds] + struct.pack("<HHHH", 7, 7, 8, 8) + content[bounds + 8:]
        own = min(pages, max(2, -(-len(content) // PAGE)))
        guest.map(at, content, own)
        guest.again(at + own * PAGE, pages - own)  # images are whole, and take little
    assert guest.pages <= 1 << 20, hex(guest.pages)
    heads = chains or [heads[1], heads[0], heads[2]]
    return struct.pack("<BQQQI", flags, *heads, 0x83300 | later) + guest.pieces()


for number, (gpu, scenes) in enumerate((("t720", ("clear", "triangle", "cube")), ("t760", ("triangle",)),
                                        ("t860", ("clear", "triangle", "cube")))):
    for scene in scenes:
        save("fuzz_mali_job", "%s-%s" % (gpu, scene), midgard_job(gpu, scene, number))
        save("fuzz_mali_job", "%s-%s-compiled" % (gpu, scene), midgard_job(gpu, scene, number | 128))
for later, gpu in ((2, "g52"), (3, "g57")):  # the lower bits of JS_CONFIG choose one since Bifrost
    for scene in ("clear", "triangle", "cube"):
        save("fuzz_mali_job", "%s-%s" % (gpu, scene), midgard_job(gpu, scene, 3, later=later))
        if scene != "clear":
            save("fuzz_mali_job", "%s-%s-compiled" % (gpu, scene), midgard_job(gpu, scene, 3 | 128, later=later))
    for name, flag in (("answered", 4), ("changed", 12), ("off", 16), ("stopped", 36), ("together", 68)):
        save("fuzz_mali_job", "%s-%s" % (gpu, name), midgard_job(gpu, "cube", 3 | flag, later=later))
    save("fuzz_mali_job", "%s-afbc" % gpu, midgard_job(gpu, "clear", 3, later=later, edit=as_afbc))


def midgard_events(gpu, scene):
    """The same as a capture's events: pages, then what the kernel's driver writes."""
    job = midgard_job(gpu, scene, 0)
    chains = struct.unpack_from("<QQ", job, 1)
    writes = [(at, 0xffffffff) for at in (0x1a0, 0x190, 0x180, 0x1008, 0x2008)]  # power, interrupts
    writes += [(0x2400, 7), (0x2418, 1)]  # page tables
    for slot, chain in ((1, chains[0]), (0, chains[1])):
        at = 0x1800 + slot * 0x80
        writes += [(at + 0x40, chain), (at + 0x50, 0xffffffff), (at + 0x58, 0x83300), (at + 0x60, 1), (0x1004, 0xffffffff)]
    return page_events(job, 1 + 3 * 8 + 4) + register_events(writes)


for gpu in ("t720", "t860", "g52", "g57"):
    save("fuzz_capture", "%s-cube" % gpu, bytes([GPUS.index(gpu) << 1]) + midgard_events(gpu, "cube"))
for name, flag in (("answered", 4), ("changed", 12), ("off", 16), ("stopped", 36), ("together", 68)):
    save("fuzz_mali_job", name, midgard_job("t860", "cube", 2 | flag))
save("fuzz_mali_job", "waits", midgard_job("t860", "triangle", 2, [0x3000000, 0x3000000, 0x2075440]))


def program(target, name, flags, code):
    save(target, name, bytes([flags]) + code)


for n, (name, text) in enumerate((("flat", FLAT), ("varying", VARYING), ("textured", TEXTURED), ("loop", LOOP), ("copy", copy(4)))):
    program("fuzz_vc4_qpu", name, n | 8 | 16 * (n % 2), assemble(text))
    save("fuzz_vc4_qpu", name + ".qpu", text.encode())
for folder in ("triangle", "cube", "loop"):
    for n, file in enumerate(sorted(f for f in os.listdir(os.path.join(data, folder)) if f.startswith("bo"))):
        if n < 3:
            program("fuzz_vc4_qpu", "mesa-%s-%d" % (folder, n), n, read(folder, file))

# The cases of tests/isa, some together; interpreted alone or compiled too, in each mode. What ends a program where a case may not.
ENDS = {"vc4-qpu": assemble("nop ; thrend\nnop\nnop\n"),
        "utgard-pp": struct.pack("<I", 1 | 1 << 5),  # one word, no fields
        "midgard": struct.pack("<2Q", 8 | 1 << 4, 0),  # a bundle of no units, behind which nothing is
        "valhall": struct.pack("<Q", 0x7800c00000000000),  # NOP.end
        "bifrost": bytes.fromhex("490000004418cb809365070000000000")}  # a clause of NOPs that ends
for isa in executed_sets(vitrail):
    set_name, size, programs = isa["name"].replace("-", "_"), isa["word_bytes"], []
    for line in open(os.path.join(here, "..", "isa", set_name + ".cases")):
        code = line.split(" ")[0]
        if line[:1] in "#!\n" or any(c not in "0123456789abcdef" for c in code):
            continue
        programs.append(int(code, 16).to_bytes(-(-len(code) // (2 * size)) * size, "little"))
    for n in range(0, len(programs), 6):
        program("fuzz_" + set_name, "cases-%02d" % (n // 6), n // 6 % 8 | 8 * (n // 6 % 2) | 16 * (n // 12 % 4),
                b"".join(programs[n:n + 6]) + ENDS.get(isa["name"], b""))

# What a program has to ask for in the right way: textures two at once, by gradients and at varyings, branches on halves,
# halves from one operation to the next, lanes that part and meet.
VALHALL = {
    "dual": "TEX_DUAL.slot0.f.16.32.2d.computed @r0:r1:r2:r3:r4:r5, @r8:r9, u2\n",
    "gradient": "TEX_GRADIENT.slot0.u.32.rg.2d.derivative_enable @r6:r7, @r4:r5:r6:r7, u2\n"
                "TEX_SINGLE.slot0.f.32.2d.grdesc @r0:r1:r2:r3, @r4:r5:r6:r7, u2\n",
    "varying": "VAR_TEX_DUAL.slot0.center_store.f.16.32.2d.computed @r0:r1:r2:r3:r4:r5, u2, r8\n"
               "VAR_TEX_BUF_GRADIENT.slot0.center_store.u.32.2d @r6:r7:r8:r9, u2, r8\n",
    "halves": "BRANCHZ.eq r1.and, offset:on\nFMA.v2f16.clamp_0_1 r2, r3, r4.h10, r5.h00\nFRSQ.f16.discard r6, r2.h11\n"
              "on: FADD.v2f16 r2.h0, r2.neg.abs, r6\nFADD.f32 r7, r2.h1, r2.h0\n",
    "loop": "MOV.i32 r1, lane_id\nback: FLUSH.f32.quiet_nan.ftz r2, r1\nIADD_IMM.i32 r1, r1, #0xFFFFFFFF\n"
            "ICMP_OR.u32.lt.u1 r3, r1, r2, 0x0\nICMP_MULTI.s32.lt.m1 r3, r3, r2, r3\nBRANCHZ r1, offset:back\n",
}
for n, (name, text) in enumerate(VALHALL.items()):
    run = subprocess.run([vitrail, "asm", "--isa", "valhall", "--hex", "-"], input=(text + "NOP.end\n").encode(),
                         stdout=subprocess.PIPE, check=True)
    code = b"".join(struct.pack("<Q", int(word, 16)) for word in run.stdout.split())
    for mode in range(4):
        program("fuzz_valhall", "%s-%d" % (name, mode), n % 4 << 1 | mode & 1 | 8 | 16 * mode, code)

# ---- texture units ----

for kind in range(18):
    p0 = 0x10000 | (kind & 15) << 4 | 3
    p1 = (kind >> 4) << 31 | 32 << 20 | 32 << 8 | 5 << 4
    coordinates = struct.pack("<16f", *[i / 7.0 - 0.6 for i in range(16)])
    save("fuzz_texture", "type-%02d" % kind, struct.pack("<B4I", 4 | (1 | 8) << 3, p0, p1, 0, 0) + coordinates)
save("fuzz_texture", "cube", struct.pack("<B4I", 4 | (3 | 8) << 3, 0x10200, 8 << 20 | 8 << 8, 1 << 30 | 0x1000, 0) +
     struct.pack("<8f", 1, -1, 0.5, 0, -0.25, 2, -3, 0.1))

# ---- the card: ioctls in the order of the tables of drm/vc4/driver.c, drm/core/ioctl.c and drm/core/gem.c ----

SUBMIT, WAIT, _, CREATE, MAP, SHADER = range(6)
POINTED = 1024


def step(row, argument, node=1):
    return bytes([row, node]) + argument


def session(steps, pointed=b"", gpu="vc4"):
    """The last byte is the GPU's."""
    body = b"".join(steps)
    return struct.pack("<H", len(body)) + body + pointed + bytes([GPUS.index(gpu)])


create = struct.pack("<IIII", 16384, 0, 0, 0)
code = assemble(FLAT)
save("fuzz_protocol", "buffers", session([step(CREATE, create), step(MAP, struct.pack("<IIQ", 1, 0, 0)),
                                          step(WAIT, struct.pack("<QQ", 1, 0))]))
save("fuzz_protocol", "shader", session([step(SHADER, struct.pack("<IIQII", len(code), 0, POINTED, 0, 0))], code))
submit = bytearray(read("clear", "submit.bin"))
bin_cl = read("clear", "bin_cl.bin")
struct.pack_into("<QQQQ", submit, 0, POINTED, 0, 0, POINTED + 64)
handles = struct.pack("<4I", 1, 2, 3, 4)
save("fuzz_protocol", "submit", session([step(CREATE, struct.pack("<IIII", 262144, 0, 0, 0))] * 4 +
                                        [step(SUBMIT, bytes(submit)), step(WAIT, struct.pack("<QQ", 1, 0))],
                                        bin_cl.ljust(64, b"\0") + handles))
# The calls that move descriptors, in each direction and in sizes around their own: these stand behind the driver's.
VC4_ROWS = 15
PRIME_OUT, PRIME_IN, SYNC_NEW, SYNC_OUT, SYNC_IN = (VC4_ROWS + n for n in (12, 13, 14, 16, 17))
argument = struct.pack("<8I", 1, 0, 5, 0, 0, 0, 0, 0)
for name, row in (("prime-out", PRIME_OUT), ("prime-in", PRIME_IN), ("sync-out", SYNC_OUT), ("sync-in", SYNC_IN)):
    forms = [bytes([row, 2 | 4 * (n & 1)]) + struct.pack("<H", d << 14 | n) + argument[:n]
             for d in range(4) for n in (0, 8, 11, 12, 16, 24)]
    save("fuzz_protocol", name, session([step(CREATE, create), step(SYNC_NEW, bytes(8))] + forms))
for n in range(64):
    save("fuzz_protocol", "row-%02d" % n, session([step(CREATE, create), step(n, struct.pack("<8I", 1, 0, 1, 0, 1024, 0, 1, 0),
                                                   0)], bytes(range(64))))

# ---- the card of a Mali: the driver's rows stand first, as in drm/lima/driver.c ----

PARAM, LIMA_CREATE, INFO, LIMA_SUBMIT, LIMA_WAIT, NEW_CONTEXT, END_CONTEXT = range(7)
FIRST = 0x10000  # the first buffer's address
FRAME = POINTED + 256


def mali_session(name, gpu, steps, buffers=b"", frame=b""):
    pointed = buffers.ljust(FRAME - POINTED, b"\0") + frame
    save("fuzz_protocol", "%s-%s" % (gpu, name), session(steps, pointed, gpu))


def lima_submit(pipe, count, frame_size, out_sync=0):
    return step(LIMA_SUBMIT, struct.pack("<IIIIQQIIII", 0, pipe, count, frame_size, POINTED, FRAME, 0, out_sync, 0, 0))


def lima_buffer(size, heap=0):
    return step(LIMA_CREATE, struct.pack("<IIII", size, heap, 0, 0))


context = step(NEW_CONTEXT, struct.pack("<II", 0, 0))
wait = step(LIMA_WAIT, struct.pack("<IIq", 1, 3, 0))
for gpu, frame_size, lists in (("mali400", 272, 8), ("mali450", 312, 18)):
    mali_session("asked", gpu, [step(PARAM, struct.pack("<IIQ", n, 0, 0)) for n in range(5)])
    mali_session("buffers", gpu, [lima_buffer(8192), lima_buffer(1 << 20, 1),
                                  step(INFO, struct.pack("<IIQ", 1, 0, 0)), step(INFO, struct.pack("<IIQ", 2, 0, 0)),
                                  wait, context, step(END_CONTEXT, struct.pack("<II", 0, 0))])
    two = struct.pack("<IIII", 1, 3, 2, 3)
    mali_session("gp", gpu, [context, lima_buffer(8192), lima_buffer(1 << 20, 1), lima_submit(0, 2, 24), wait],
                 two, struct.pack("<6I", FIRST, FIRST + 64, FIRST + 256, FIRST + 512, FIRST + 8192, FIRST + 8192 + (1 << 20)))
    registers = [FIRST, FIRST] + [0] * 12 + [4096] + [0] * 8
    frame = struct.pack("<23II36I", *registers, 2, *[0] * 36) + struct.pack("<%dI" % lists, *([0, 0] if lists > 8 else []),
                                                                            *[FIRST] * (lists - (2 if lists > 8 else 0)))
    mali_session("pp", gpu, [context, lima_buffer(8192), lima_buffer(8192), lima_submit(1, 2, frame_size), wait],
                 two, frame)
    mali_session("twice", gpu, [context, lima_buffer(8192), lima_submit(1, 2, frame_size)], struct.pack("<IIII", 1, 3, 1, 3),
                 frame)

# ---- fuzz_libresoc_job: a triangle in front of the frame's depth, with all three stages ----

LIBRESOC_STAGES = [  # copies four streams; the same colour everywhere; the fragment's colour
    "sv.setvl x0, x0, 64\naddi x6, x0, 4\nagain: p48 lw x32v, 0(x13), itype:32\np48 sw x32v, 0(x14), itype:32\naddi x13, x13, 256\n"
    "addi x14, x14, 256\naddi x6, x6, -1\nbne x6, x0, again\njalr x0, 0(x1)\n",
    "sv.setvl x0, x0, 64\naddi x5, x0, -1\np48 add x32v, x32v, x5, itype:32\np48 sw x32v, 0(x14), itype:32, src:x9, dst:x10\njalr x0, 0(x1)\n",
    "sv.setvl x0, x0, 64\np48 lw x32v, 0(x13), itype:32\np48 sw x32v, 0(x14), itype:32\njalr x0, 0(x1)\n"]


# ---- Linux programs: an ELF file with a segment that executes and one that is written ----

def simple_v(text):
    run = subprocess.run([vitrail, "asm", "--isa", "simple-v", "--hex", "-"], input=text.encode(), stdout=subprocess.PIPE, check=True)
    return b"".join(struct.pack("<H", int(word, 16)) for word in run.stdout.split())


def libresoc_job(flags):
    frame, draw, attribute, vertices, color, depth, heap = 0x1000, 0x1100, 0x1200, 0x1300, 0x10000, 0x14000, 0x20000
    side, one, half, centre = 40, 0x3f800000, 0x3f000000, 0x41a00000
    programs = [(0x1400 + 0x200 * n, simple_v(text)) for n, text in enumerate(LIBRESOC_STAGES)]
    words = {
        frame: [0x52465653, side | side << 16, 0, 0xff402010, one, 1, draw, 0, color, 0, side * 4, 0, depth, 0, side * 4, 0x8000,
                heap, 0, 0, 0],
        draw: [0x52445653, 4 | 1 << 9 | 1 << 12 | 1 << 13, 3, 3, 1, 1, attribute, 0, 0, 0, centre, centre, half, centre, centre, half,
               0, side | side << 16, 0, one, 0, 0, 0, 0] + [w for at, code in programs for w in (at, 0, len(code), 0, vertices, 0, 0, 0)],
        attribute: [vertices, 0, 16, 3 | 4 << 8, 0, 0, 0, 0],
    }
    pieces = [(at, struct.pack("<%dI" % len(w), *w)) for at, w in words.items()] + programs
    pieces.append((vertices, struct.pack("<12f", -1, -1, 0, 1, 1, -1, 0, 1, -1, 1, 0.5, 1)))
    return bytes([flags]) + struct.pack("<I", frame) + b"".join(struct.pack("<IH", at, len(b)) + b for at, b in pieces)


save("fuzz_libresoc_job", "triangle", libresoc_job(0))
save("fuzz_libresoc_job", "inside-again", libresoc_job(3))
def elf(text, data=b""):
    code, at, headers = simple_v(text), 0x10000, 64 + 2 * 56
    place = headers + len(code) + 15 & ~15
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 243, 1, at + headers, 64, 0, 5, 64, 56, 2, 0, 0, 0)
    segments = struct.pack("<IIQQQQQQ", 1, 5, 0, at, at, headers + len(code), headers + len(code), 16) + \
        struct.pack("<IIQQQQQQ", 1, 6, place, 0x20000, 0x20000, len(data), len(data) + 4096, 16)
    return (header + segments + code).ljust(place, b"\0") + data


def call(number, *arguments):
    return "".join(f"addi x{10 + n}, {'x0, ' if isinstance(a, int) else ''}{a}\n" for n, a in enumerate(arguments)) + \
        f"addi x17, x0, {number}\necall\n"


for name, flags, text in (
        ("hello", 0, "lui x5, 32\n" + call(64, 1, "x5, 0", 6) + call(93, 0)),
        ("memory", 1, call(214, 0) + "addi x10, x10, 64\n" + "addi x17, x0, 214\necall\n" + call(222, 0, 2047, 3, 34, -1, 0) +
         "sd x10, 0(x10)\naddi x11, x0, 2047\n" + "addi x17, x0, 226\naddi x12, x0, 1\necall\naddi x17, x0, 215\necall\n" + call(94, 7)),
        ("names", 2, "lui x5, 32\n" + call(160, "x5, 512") + "lui x5, 32\n" + call(113, 1, "x5, 0") + call(56, 0)),
        ("vectors", 12, "lui x12, 32\nsv.setvl x0, x0, 8\np48 flw f32v, 0(x12)\np48 fmul.s f48v, f32v, f1, pred:x9\n"
         "vblock both:4, subvl:4, regs(f10=f32v:32, f11=f64v:32) { fmv.swizzle f11, f10, wzyx ; c.nop }\n"
         "vblock regs(x5=x40v:8, x12=x12), preds(x5=!x0.ff) { lbu x5, 0(x12) }\np48 fsw f48v, 64(x12)\n" + call(93, 0)),
        ("loop", 31, "addi x5, x0, 50\nagain:\nmul x6, x5, x5\nadd x7, x7, x6\namoadd.d x8, x7, (x2)\naddi x5, x5, -1\n"
         "bne x5, x0, again\n" + call(93, 0))):
    for compiled in (0, 96):
        save("fuzz_libresoc_process", name + ("-compiled" if compiled else ""), bytes([flags | compiled]) + elf(text, b"hello\n" + bytes(range(250))))

# ---- fuzz_libresoc_scene: scenes of tests/libresoc/draw, small, and one with all that a scene may name ----

WHOLE = {
    "size": [64, 40], "clear": [0, 0.5, 1, 1], "clear_depth": 1, "heap": 65536, "format": "B8G8R8A8_UNORM",
    "textures": {"t": {"png": "glass.png", "wrap": "repeat"}},
    "buffers": {"corners": [{"f32": [0.0, 0.8, 1, 0, 0, -0.8, -0.8, 0, 1, 0, 0.8, -0.8, 0, 0, 1]}],
                "which": [{"u16": [0, 1, 2]}],
                "mixed": [{"u8": [1, 2]}, {"u32": [7]}, {"address": "corners"}, {"texture": "t"}, {"file": "own"}]},
    "programs": {"vertex": {"asm": "first_vertex.s"}, "fragment": {"asm": "first_fragment.s"}},
    "draws": [{"mode": "triangles", "vertices": 3, "varyings": 3, "indices": "which", "index_type": "u16", "count": 3,
               "instances": 2, "attributes": [
                   {"buffer": "corners", "stride": 20, "format": "R32G32_FLOAT"},
                   {"buffer": "corners", "offset": 8, "stride": 20, "format": "R32G32B32_FLOAT", "components": 3, "divisor": 0}],
               "vertex": {"program": "vertex"}, "fragment": {"program": "fragment", "uniforms": "mixed"},
               "depth": {"func": "less", "write": True}, "cull": "none", "front": "clockwise", "viewport": [0, 0, 64, 40],
               "clip": [0, 0, 64, 40], "offset": [0, 0], "flat": 2, "flat_first": True, "kills": False, "line_width": 1}]}


def libresoc_scene(name, scene, own):
    for flags in (0, 3):
        save("fuzz_libresoc_scene", name + ("-compiled" if flags else ""),
             bytes([flags]) + json.dumps(scene).encode() + b"\0" + own)


def with_program(**program):
    return {**WHOLE, "programs": {"vertex": {"asm": "first_vertex.s"}, "fragment": program}}


libresoc_scene("whole", WHOLE, b"some bytes")
libresoc_scene("blended", {**WHOLE, "programs": {**WHOLE["programs"], "blend": {"words": "own"}},
                           "draws": [{**WHOLE["draws"][0], "blend": {"program": "blend"}}]}, simple_v(LIBRESOC_STAGES[2]))
libresoc_scene("text", with_program(asm="own"), LIBRESOC_STAGES[1].encode())
libresoc_scene("words", with_program(words="own"), simple_v(LIBRESOC_STAGES[1]))
libresoc_scene("elf", with_program(elf="own"), elf(LIBRESOC_STAGES[1]))
libresoc_scene("picture", {**WHOLE, "textures": {"t": {"png": "own"}}},
               open(os.path.join(here, "..", "libresoc", "draw", "glass.png"), "rb").read())
