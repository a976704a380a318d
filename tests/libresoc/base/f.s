# F and D: values and flags (NV 16, DZ 8, OF 4, UF 2, NX 1)
    .include "check.inc"
main:
    ff fadd.s, w.x, x.w, 0x40400000, 0, 0x3f800000, 0x40000000         # 1 + 2
    ff fadd.s, w.x, x.w, 0x3f800000, 1, 0x3f800000, 0x33000000         # 1 + 2^-25
    ff fadd.s, w.x, x.w, 0x7fc00000, 16, 0x7f800000, 0xff800000        # inf - inf
    ff fsub.s, w.x, x.w, 0, 0, 0x3f800000, 0x3f800000
    ff fmul.s, w.x, x.w, 0x7f800000, 5, 0x7f7fffff, 0x40000000         # overflow
    ff fmul.s, w.x, x.w, 1, 3, 0x00800000, 0x33c00000                  # underflow
    ff fdiv.s, w.x, x.w, 0x7f800000, 8, 0x3f800000, 0                  # 1 / 0
    ff fdiv.s, w.x, x.w, 0x3eaaaaab, 1, 0x3f800000, 0x40400000         # 1 / 3
    ff fmin.s, w.x, x.w, -0x80000000, 0, 0, 0x80000000                 # -0 is less
    ff fmax.s, w.x, x.w, 0x3f800000, 0, 0x7fc00000, 0x3f800000
    ff fmax.s, w.x, x.w, 0x3f800000, 16, 0x7f800001, 0x3f800000        # a signaling NaN
    ff fsgnj.s, w.x, x.w, -0x40800000, 0, 0x3f800000, 0x80000000
    ff fsgnjn.s, w.x, x.w, 0x3f800000, 0, 0x3f800000, 0x80000000
    ff fsgnjx.s, w.x, x.w, 0x3f800000, 0, 0xbf800000, 0x80000000
    f fsqrt.s, w.x, x.w, 0x3fb504f3, 1, 0x40000000
    f fsqrt.s, w.x, x.w, 0x7fc00000, 16, 0xbf800000
    fx fcvt.w.s, w.x, 2, 1, 0x40200000, , rne                          # 2.5
    fx fcvt.w.s, w.x, 3, 1, 0x40200000, , rmm
    fx fcvt.w.s, w.x, -3, 1, 0xc0200000, , rdn
    fx fcvt.w.s, w.x, -2, 1, 0xc0200000, , rup
    fx fcvt.w.s, w.x, -2, 1, 0xc0200000, , rtz
    fx fcvt.w.s, w.x, 0x7fffffff, 16, 0x7fc00000, , rtz
    fx fcvt.wu.s, w.x, 0, 16, 0xbf800000, , rtz
    fx fcvt.wu.s, w.x, -1, 16, 0x7f800000, , rtz                       # 2^32 - 1, extended with its sign
    fx fcvt.l.s, w.x, 0x8000000000000000, 16, 0xff800000, , rtz
    fx fcvt.lu.s, w.x, 0x8000000000000000, 0, 0x5f000000, , rtz
    fx fclass.s, w.x, 1, 0, 0xff800000
    fx fclass.s, w.x, 4, 0, 0x80000001
    fx fclass.s, w.x, 16, 0, 0
    fx fclass.s, w.x, 256, 0, 0x7f800001
    fx fclass.s, w.x, 512, 0, 0x7fc00000
    ff fadd.d, d.x, x.d, 0x3ff8000000000000, 0, 0x3ff0000000000000, 0x3fe0000000000000
    ff fmul.d, d.x, x.d, 0x3ff0000000000002, 1, 0x3ff0000000000001, 0x3ff0000000000001
    ff fdiv.d, d.x, x.d, 0x3fd5555555555555, 1, 0x3ff0000000000000, 0x4008000000000000
    f fsqrt.d, d.x, x.d, 0x3ff6a09e667f3bcd, 1, 0x4000000000000000
    fx fcvt.l.d, d.x, 0x7fffffffffffffff, 16, 0x43e0000000000000, , rtz
    fx fcvt.w.d, d.x, -0x80000000, 0, 0xc1e0000000000000, , rtz
    fx fclass.d, d.x, 32, 0, 1
    # Single out of double and back; a single that is not boxed is a NaN.
    li t0, 0x3fb999999999999a
    fmv.d.x ft0, t0
    fcvt.s.d ft1, ft0
    fmv.x.d t1, ft1
    li t2, 0xffffffff3dcccccd
    check t1, t2
    fcvt.d.s ft1, ft1
    fmv.x.d t1, ft1
    li t2, 0x3fb99999a0000000
    check t1, t2
    # Fused: 2^-24 more than the product of its roundings.
    fsflags zero
    li t0, 0x3f800001
    fmv.w.x ft0, t0
    li t0, 0xbf800002
    fmv.w.x ft1, t0
    fmadd.s ft2, ft0, ft0, ft1
    fmv.x.w t1, ft2
    li t2, 0x28800000
    check t1, t2
    fnmsub.s ft2, ft0, ft0, ft1 # -(a * a) + c
    fmv.x.w t1, ft2
    li t2, -0x3ffffffe
    check t1, t2
    feq.s t0, ft0, ft0
    li t1, 1
    check t0, t1
    flt.s t0, ft1, ft0
    check t0, t1
    fle.s t0, ft0, ft1
    check t0, zero
    # Rounding of FCSR, where the instruction has none.
    fsrmi 3
    li t0, 0x3f800000
    fmv.w.x ft0, t0
    li t0, 0x33000000
    fmv.w.x ft1, t0
    fadd.s ft2, ft0, ft1
    fmv.x.w t1, ft2
    li t2, 0x3f800001
    check t1, t2
    fsrmi 0
    # Integers.
    li t0, 0x7fffffff
    fcvt.s.w ft0, t0
    fmv.x.w t1, ft0
    li t2, 0x4f000000
    check t1, t2
    li t0, -1
    fcvt.d.lu ft0, t0
    fmv.x.d t1, ft0
    li t2, 0x43f0000000000000
    check t1, t2
    finish
