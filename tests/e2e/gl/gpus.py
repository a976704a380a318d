"""What gldiff knows of each GPU: one row each. A new one gets all of it for a row.

Tolerances are reasons, not wishes: each number stands beside what it comes of.
"""
import dataclasses

from gl.interval import Numbers

SINGLES = dict(epsilon=2.0 ** -21,  # a few roundings of 2^-24 each: a division is a product with a reciprocal that was refined
               least=2.0 ** -126,   # denormals may be zero
               most=3.4028234e38)
# Mesa's asin, acos and atan are polynomials: nir_builtin_builder.c names their errors, 2^-11 of pi at worst.
ARCS = {"asin": (2.0 ** -10, 2.0 ** -11), "atan": (2.0 ** -12, 2.0 ** -12)}

LLVMPIPE = Numbers(**SINGLES, whole=2.0 ** 31, ints=2 ** 31, wrap=True, functions={
    **ARCS,
    "log2": (2.0 ** -18, 2.0 ** -18),  # a polynomial of the mantissa
    "exp2": (2.0 ** -18, 0.0),
    "sin": (2.0 ** -20, 2.0 ** -20), "cos": (2.0 ** -20, 2.0 ** -20)})

VC4 = Numbers(**SINGLES, whole=2.0 ** 31, ints=2 ** 31, wrap=True,
              # The driver's Newton step for 1 / sqrt(x) squares it, which is denormal beyond.
              root=2.0 ** 125, functions={
    **ARCS,
    "log2": (2.0 ** -20, 2.0 ** -20), "exp2": (2.0 ** -20, 0.0),  # --numeric fast; silicon has 10 to 12 bits of them
    # vc4_program.c: five terms of the sine's series over half a turn, 3.6e-3 off at its ends; of the cosine's six.
    "sin": (0.0, 2.0 ** -7), "cos": (0.0, 2.0 ** -7)})

# --numeric exact: sums and products cut off, special functions of 64 chords (isa/vc4_qpu/README.md).
VC4_EXACT = dataclasses.replace(VC4, epsilon=2.0 ** -19, functions=dict(VC4.functions, **{
    "log2": (2.0 ** -12, 2.0 ** -12), "exp2": (2.0 ** -12, 0.0)}))

# Mali's fragment programs: numbers of 16 bits, of 11 digits; ints are such numbers too (nir_lower_int_to_float).
MALI_PP = Numbers(epsilon=2.0 ** -9, least=2.0 ** -14, most=65504.0, whole=2.0 ** 15, ints=2 ** 11, wrap=False,
                  constant=2.0 ** -11, functions={
                      "sin": (2.0 ** -8, 2.0 ** -8), "cos": (2.0 ** -8, 2.0 ** -8), "log2": (2.0 ** -9, 2.0 ** -9),
                      "asin": (2.0 ** -7, 2.0 ** -7), "atan": (2.0 ** -7, 2.0 ** -7)})
# Its vertex programs: singles; ints are such numbers (lima_program.c: lower_ffract).
MALI_GP = Numbers(**SINGLES, whole=2.0 ** 31, ints=2 ** 23, wrap=False, has_fract=False, functions={
    **ARCS, "log2": (2.0 ** -18, 2.0 ** -18), "exp2": (2.0 ** -18, 0.0),
    "sin": (0.0, 2.0 ** -7), "cos": (0.0, 2.0 ** -7)})


# Midgard computes in singles, with denormals in memory alone. Special functions of the vertex and fragment programs are
# one piece: log2, exp2 and sines are tables of their own (HARDWARE.md, 3.3). midgard_compile.h: lower_ffract.
MIDGARD = Numbers(**SINGLES, whole=2.0 ** 31, ints=2 ** 31, wrap=True, has_fract=False, functions={
    **ARCS, "log2": (2.0 ** -18, 2.0 ** -18), "exp2": (2.0 ** -18, 0.0), "sin": (2.0 ** -14, 2.0 ** -14), "cos": (2.0 ** -14, 2.0 ** -14)})

# Bifrost and Valhall: singles, a product and a sum rounded once where the compiler fuses them. exp2 takes a number of 24 bits behind
# the point, log2 is a whole number and a product. Of sines the driver adds two terms to a table of 64 places a turn, and leaves out
# (pi / 64)^3 / 6; pi is 3.14159 to it, and the bias that finds the place holds up to 2^18 quarters of a turn
# (bi_lower_fsincos_32 in bifrost_compile.c). bifrost_compile.h: lower_ffract.
WARP = Numbers(**SINGLES, whole=2.0 ** 31, ints=2 ** 31, wrap=True, has_fract=False, angle=2.0 ** -20, angles=411774.0, functions={
    **ARCS, "log2": (2.0 ** -20, 2.0 ** -20), "exp2": (2.0 ** -20, 0.0), "sin": (0.0, 2.0 ** -15), "cos": (0.0, 2.0 ** -15)})


# Frequent defects of drivers, by their code (no board was asked); generators leave out what meets them. Rare ones stand in known.txt.
DISCARD_COMPARISON = "discard by a comparison of two values"  # lima: ppir_lower_branch_merge_condition inverts it, as if it skipped a block
RGB565_ALPHA = "destination alpha of RGB565"  # lima blends with the alpha that was drawn, not with 1: no alpha is masked for formats without
POINT_COORD = "gl_PointCoord in framebuffer objects"  # lima has one direction for it, where windows stand the other way up
TARGET_GAPS = "a target left out between two that are drawn to"  # panfrost: its program that loads them again ends before the gap, as mir_add_writeout_loops (midgard_compile.c) looks for the next target alone
BYTE_MASKS = "masks of channels on integers of 8 bits"  # panfrost: mir_pack_swizzle (midgard_emit.c) packs components 4 to 7 of a swizzle for the upper eight bytes, not 8 to 15
READS_IN_A_ROW = "two reads of shared memory before a barrier"  # panfrost since v6: create_dag (bi_pressure_schedule.c) keeps the last of several loads alone before a store or barrier, and moves the others beyond it
UPLOAD_THEN_DRAW = "draw to a part of what was uploaded"  # vc4: only draws count as writes in vc4_job.c, and what has none is cleared


@dataclasses.dataclass(frozen=True)
class Gpu:
    name: str
    renderer: str             # what glGetString(GL_RENDERER) begins with: no other driver took the draws
    version: int              # of GL ES, in tenths: which generators run
    vertex: Numbers
    fragment: Numbers
    halves: bool              # fragment programs compute in halves: inputs are chosen that those have
    points: float             # largest point
    snap: float               # in pixels: where vertices stand may be off by this
    lod: float                # error of a level of detail
    exact: Numbers = None     # of both stages with --numeric exact, where that is not usual
    avoid: tuple = ()         # what scenes leave out, as the driver is known to fail at it: names below


GPUS = {gpu.name: gpu for gpu in (
    # Vertices are cut off to 1/16 pixel. log2 of a level goes straight between powers of two: 0.043 off.
    Gpu("vc4", "VC4", 20, VC4, VC4, False, 512.0, 1 / 16, 0.045, VC4_EXACT, (UPLOAD_THEN_DRAW,)),
    Gpu("mali400", "Mali400", 20, MALI_GP, MALI_PP, True, 100.0, 1 / 16, 0.02, None, (DISCARD_COMPARISON, RGB565_ALPHA, POINT_COORD)),
    Gpu("mali450", "Mali450", 20, MALI_GP, MALI_PP, True, 100.0, 1 / 16, 0.02, None, (DISCARD_COMPARISON, RGB565_ALPHA, POINT_COORD)),
    # A T720 has one target, and so GL ES 2.0 (pan_screen.c).
    Gpu("t720", "Mali-T720", 20, MIDGARD, MIDGARD, False, 4095.0, 1 / 16, 0.02),
    Gpu("t760", "Mali-T760", 31, MIDGARD, MIDGARD, False, 4095.0, 1 / 16, 0.02, None, (TARGET_GAPS, BYTE_MASKS)),
    Gpu("t860", "Mali-T860", 31, MIDGARD, MIDGARD, False, 4095.0, 1 / 16, 0.02, None, (TARGET_GAPS, BYTE_MASKS)),
    Gpu("g72", "Mali-G72", 31, WARP, WARP, False, 4095.0, 1 / 16, 0.02, None, (READS_IN_A_ROW,)),
    Gpu("g31", "Mali-G31", 31, WARP, WARP, False, 4095.0, 1 / 16, 0.02, None, (READS_IN_A_ROW,)),
    Gpu("g52", "Mali-G52", 31, WARP, WARP, False, 4095.0, 1 / 16, 0.02, None, (READS_IN_A_ROW,)),
    Gpu("g57", "Mali-G57", 31, WARP, WARP, False, 4095.0, 1 / 16, 0.02, None, (READS_IN_A_ROW,)),
)}
