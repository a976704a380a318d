# A vertex of a lit mesh, 32 at a time. In: position x y z, normal x y z, u v. Out: clip x y z w, u, v, light.
# Uniforms: a matrix of 16 singles, columns one behind the other; the light's direction, x y z; what it gives; what there is without.
    flw f0, 0(x15)
    flw f1, 4(x15)
    flw f2, 8(x15)
    flw f3, 12(x15)
    flw f4, 16(x15)
    flw f5, 20(x15)
    flw f6, 24(x15)
    flw f7, 28(x15)
    flw f8, 32(x15)
    flw f9, 36(x15)
    flw f10, 40(x15)
    flw f11, 44(x15)
    flw f12, 48(x15)
    flw f13, 52(x15)
    flw f14, 56(x15)
    flw f15, 60(x15)
    flw f16, 64(x15)
    flw f17, 68(x15)
    flw f18, 72(x15)
    flw f19, 76(x15)
    flw f20, 80(x15)
    fmv.w.x f21, x0
    sv.setvl x0, x0, 32
    addi x5, x0, 2
half:
    p48 flw f32v, 0(x13)
    p48 flw f48v, 256(x13)
    p48 flw f64v, 512(x13)
# clip coordinates, row after row of the matrix
    p48 fmul.s f96v, f32v, f0
    p48 fmadd.s f96v, f48v, f4, f96v
    p48 fmadd.s f96v, f64v, f8, f96v
    p48 fadd.s f96v, f96v, f12
    p48 fsw f96v, 0(x14)
    p48 fmul.s f96v, f32v, f1
    p48 fmadd.s f96v, f48v, f5, f96v
    p48 fmadd.s f96v, f64v, f9, f96v
    p48 fadd.s f96v, f96v, f13
    p48 fsw f96v, 256(x14)
    p48 fmul.s f96v, f32v, f2
    p48 fmadd.s f96v, f48v, f6, f96v
    p48 fmadd.s f96v, f64v, f10, f96v
    p48 fadd.s f96v, f96v, f14
    p48 fsw f96v, 512(x14)
    p48 fmul.s f96v, f32v, f3
    p48 fmadd.s f96v, f48v, f7, f96v
    p48 fmadd.s f96v, f64v, f11, f96v
    p48 fadd.s f96v, f96v, f15
    p48 fsw f96v, 768(x14)
# the normal, of length 1, meets the light
    p48 flw f32v, 768(x13)
    p48 flw f48v, 1024(x13)
    p48 flw f64v, 1280(x13)
    p48 fmul.s f96v, f32v, f16
    p48 fmadd.s f96v, f48v, f17, f96v
    p48 fmadd.s f96v, f64v, f18, f96v
    p48 fmul.s f112v, f32v, f32v
    p48 fmadd.s f112v, f48v, f48v, f112v
    p48 fmadd.s f112v, f64v, f64v, f112v
    p48 fsqrt.s f112v, f112v
    p48 fdiv.s f96v, f96v, f112v
    p48 fmax.s f96v, f96v, f21
    p48 fmul.s f96v, f96v, f19
    p48 fadd.s f96v, f96v, f20
    p48 fsw f96v, 1536(x14)
    p48 flw f32v, 1536(x13)
    p48 flw f48v, 1792(x13)
    p48 fsw f32v, 1024(x14)
    p48 fsw f48v, 1280(x14)
    addi x13, x13, 128
    addi x14, x14, 128
    addi x5, x5, -1
    bne x5, x0, half
    jalr x0, 0(x1)
