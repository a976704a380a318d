# void transform(const float in[4][32], float out[4][32], const float matrix[16])
# 32 vertices by a matrix of columns, in P48: x in f32 to f47, y to f63, z to f79, w to f95, two sums behind them.
    .globl transform
transform: # f8 and f9 are the caller's
    fsd f8, -16(sp)
    fsd f9, -8(sp)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    flw f\n, 4 * \n(x12)
    .endr
    %sv.setvl x0, x0, 32
    %p48 flw f32v, 0(x10)
    %p48 flw f48v, 128(x10)
    %p48 flw f64v, 256(x10)
    %p48 flw f80v, 384(x10)
    %p48 fmul.s f96v, f32v, f0
    %p48 fmul.s f112v, f32v, f1
    %p48 fmadd.s f96v, f48v, f4, f96v
    %p48 fmadd.s f112v, f48v, f5, f112v
    %p48 fmadd.s f96v, f64v, f8, f96v
    %p48 fmadd.s f112v, f64v, f9, f112v
    %p48 fmadd.s f96v, f80v, f12, f96v
    %p48 fmadd.s f112v, f80v, f13, f112v
    %p48 fsw f96v, 0(x11)
    %p48 fsw f112v, 128(x11)
    %p48 fmul.s f96v, f32v, f2
    %p48 fmul.s f112v, f32v, f3
    %p48 fmadd.s f96v, f48v, f6, f96v
    %p48 fmadd.s f112v, f48v, f7, f112v
    %p48 fmadd.s f96v, f64v, f10, f96v
    %p48 fmadd.s f112v, f64v, f11, f112v
    %p48 fmadd.s f96v, f80v, f14, f96v
    %p48 fmadd.s f112v, f80v, f15, f112v
    %p48 fsw f96v, 256(x11)
    %p48 fsw f112v, 384(x11)
    fld f8, -16(sp)
    fld f9, -8(sp)
    ret
