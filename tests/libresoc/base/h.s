# Zfh and Zbb
    .include "check.inc"
main:
    ff fadd.h, h.x, x.h, 0x4200, 0, 0x3c00, 0x4000
    ff fmul.h, h.x, x.h, 0x7c00, 5, 0x7bff, 0x4000
    ff fdiv.h, h.x, x.h, 0x3555, 1, 0x3c00, 0x4200
    f fsqrt.h, h.x, x.h, 0x3da8, 1, 0x4000
    fx fcvt.w.h, h.x, 3, 1, 0x4180, , rne
    li t0, 0x3e00
    fmv.h.x ft0, t0
    fcvt.s.h ft1, ft0
    fmv.x.w t1, ft1
    li t2, 0x3fc00000
    check t1, t2
    rr andn, 0xf0, 0xff, 0x0f
    rr orn, -16, 0xf0, 0xff
    rr xnor, -1, 5, 5
    rr min, -1, -1, 1
    rr minu, 1, -1, 1
    rr max, 1, -1, 1
    rr maxu, -1, -1, 1
    rr rol, 3, 0x8000000000000001, 1
    rr ror, 0xc000000000000000, 0x8000000000000001, 1
    rr rolw, 3, 0x80000001, 1
    ri rori, 0x8000000000000000, 1, 1
    ri roriw, -0x80000000, 1, 1
    r clz, 63, 1
    r clz, 64, 0
    r ctz, 4, 0x10
    r cpop, 64, -1
    r clzw, 31, 1
    r cpopw, 32, -1
    r sext.b, -128, 0x80
    r sext.h, -0x8000, 0x8000
    r zext.h, 0xffff, -1
    r orc.b, 0xff00ff, 0x010001
    r rev8, 0x0807060504030201, 0x0102030405060708
    finish
