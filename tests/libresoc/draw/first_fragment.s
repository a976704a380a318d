# In: x, y, z, 1/w, then the colour, 0 to 1. Out: RGBA8.
    sv.setvl x0, x0, 64
    lui x5, 0x437f0
    fmv.w.x f1, x5
    lui x6, 0xff000
    p48 flw f32v, 1536(x13)
    p48 fmul.s f32v, f32v, f1
    p48 fcvt.wu.s x32v, f32v, rne, itype:32
    p48 flw f32v, 1280(x13)
    p48 fmul.s f32v, f32v, f1
    p48 fcvt.wu.s x64v, f32v, rne, itype:32
    p48 slli x32v, x32v, 8, itype:32
    p48 or x32v, x32v, x64v, itype:32
    p48 flw f32v, 1024(x13)
    p48 fmul.s f32v, f32v, f1
    p48 fcvt.wu.s x64v, f32v, rne, itype:32
    p48 slli x32v, x32v, 8, itype:32
    p48 or x32v, x32v, x64v, itype:32
    p48 or x32v, x32v, x6, itype:32
    p48 sw x32v, 0(x14), itype:32
    jalr x0, 0(x1)
