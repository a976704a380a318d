# void transform(const float in[8][4], float out[8][4], const float matrix[16])
# Eight vertices as sub-vectors of four: each component is spread by a swizzle, then multiplied by a column, which stays.
# f32 to f47: vertices; f64 to f79: a component of them; f96 to f111: sums; f0 to f7: columns, two singles a register.
    .globl transform, normalise
transform:
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    fld f\n, 8 * \n(x12)
    .endr
    %vblock both:8, subvl:4, regs(f10=f32v:32) { flw f10, 0(x10) ; c.nop }
    %vblock regs(f10=f32v:32, f11=f64v:32, f12=f96v:32, f13=f0:32) { fmv.swizzle f11, f10, xxxx ; fmul.s f12, f11, f13 }
    %vblock regs(f10=f32v:32, f11=f64v:32, f12=f96v:32, f13=f2:32) { fmv.swizzle f11, f10, yyyy ; fmadd.s f12, f11, f13, f12 }
    %vblock regs(f10=f32v:32, f11=f64v:32, f12=f96v:32, f13=f4:32) { fmv.swizzle f11, f10, zzzz ; fmadd.s f12, f11, f13, f12 }
    %vblock regs(f10=f32v:32, f11=f64v:32, f12=f96v:32, f13=f6:32) { fmv.swizzle f11, f10, wwww ; fmadd.s f12, f11, f13, f12 }
    %vblock regs(f12=f96v:32, x11=x11) { fsw f12, 0(x11) }
    csrwi 0x802, 1
    ret

# void normalise(float v[3][16]): of 16 vectors, x, y, z apart
normalise:
    %sv.setvl x0, x0, 16
    %p48 flw f32v, 0(x10)
    %p48 flw f40v, 64(x10)
    %p48 flw f48v, 128(x10)
    %p48 fmul.s f56v, f32v, f32v
    %p48 fmadd.s f56v, f40v, f40v, f56v
    %p48 fmadd.s f56v, f48v, f48v, f56v
    %p48 frsqrt.s f56v, f56v
    %p48 fmul.s f32v, f32v, f56v
    %p48 fmul.s f40v, f40v, f56v
    %p48 fmul.s f48v, f48v, f56v
    %p48 fsw f32v, 0(x10)
    %p48 fsw f40v, 64(x10)
    %p48 fsw f48v, 128(x10)
    ret
