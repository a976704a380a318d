# A pixel of a lit, textured mesh, 16 at a time: the four texels about (u, v), clamped, weighed in steps of 1/256, times the light.
# In: x y z 1/w, u, v, light. Out: RGBA8. Uniforms: a texture's descriptor - address, width, height, bytes a row.
    ld x5, 0(x15)
    lwu x6, 8(x15)
    lwu x7, 12(x15)
    lwu x8, 16(x15)
# places count in 1/256 of a texel, from the centre of the first
    fcvt.s.wu f1, x6
    fcvt.s.wu f2, x7
    lui x10, 0x43800
    fmv.w.x f3, x10
    fmul.s f1, f1, f3
    fmul.s f2, f2, f3
    lui x10, 0xc3000
    fmv.w.x f3, x10
    lui x10, 0x437f0
    fmv.w.x f4, x10
    addi x6, x6, -1
    addi x7, x7, -1
    lui x18, 0x1010
    addi x18, x18, 0x101
    addi x10, x0, 257
    slli x19, x10, 8
    addi x19, x19, 1
    lui x20, 0xff000
    addi x21, x0, 255
    addi x22, x0, 256
    addi x23, x0, 4
again:
    sv.setvl x0, x0, 16
    p48 flw f32v, 1024(x13)
    p48 flw f40v, 1280(x13)
    p48 fmul.s f32v, f32v, f1
    p48 fmul.s f40v, f40v, f2
    p48 fadd.s f32v, f32v, f3
    p48 fadd.s f40v, f40v, f3
    p48 fcvt.w.s x32v, f32v, rne, itype:32
    p48 fcvt.w.s x40v, f40v, rne, itype:32
    p48 srai x48v, x32v, 8, itype:32
    p48 srai x56v, x40v, 8, itype:32
    p48 andi x32v, x32v, 255, itype:32
    p48 andi x40v, x40v, 255, itype:32
    p48 addi x64v, x48v, 1, itype:32
    p48 addi x72v, x56v, 1, itype:32
    p48 max x48v, x48v, x0, itype:32
    p48 max x64v, x64v, x0, itype:32
    p48 max x56v, x56v, x0, itype:32
    p48 max x72v, x72v, x0, itype:32
    p48 min x48v, x48v, x6, itype:32
    p48 min x64v, x64v, x6, itype:32
    p48 min x56v, x56v, x7, itype:32
    p48 min x72v, x72v, x7, itype:32
    p48 slli x48v, x48v, 2, itype:32
    p48 slli x64v, x64v, 2, itype:32
    p48 mul x56v, x56v, x8, itype:32
    p48 mul x72v, x72v, x8, itype:32
# four texels: addresses of 64 bits out of offsets of 32
    vblock regs(x24=x96v, x25=x56v:32, x26=x48v:32) { add x24, x25, x26 ; add x24, x24, x5 }
    p48 lwu x80v, 0(x96v), itype:32
    vblock regs(x24=x96v, x25=x56v:32, x26=x64v:32) { add x24, x25, x26 ; add x24, x24, x5 }
    p48 lwu x88v, 0(x96v), itype:32
    vblock regs(x24=x96v, x25=x72v:32, x26=x48v:32) { add x24, x25, x26 ; add x24, x24, x5 }
    p48 lwu x112v, 0(x96v), itype:32
    vblock regs(x24=x96v, x25=x72v:32, x26=x64v:32) { add x24, x25, x26 ; add x24, x24, x5 }
    p48 lwu x120v, 0(x96v), itype:32
# a pixel's weight becomes its four channels', 8 bits each, then 16
    p48 mul x32v, x32v, x18, itype:32
    p48 mul x40v, x40v, x18, itype:32
    sv.setvl x0, x0, 64
    vblock regs(x24=x48v:16, x25=x32v:8, x26=x64v:16) { c.mv x24, x25 ; sub x26, x22, x24 ; c.nop }
# between left and right, above and below
    vblock regs(x24=x96v:16, x25=x80v:8, x26=x64v:16) { mul x24, x25, x26 ; c.nop ; c.nop }
    vblock regs(x24=x80v:16, x25=x88v:8, x26=x48v:16) { mul x24, x25, x26 ; c.nop ; c.nop }
    p48 add x96v, x96v, x80v, itype:16
    p48 addi x96v, x96v, 128, itype:16
    p48 srli x96v, x96v, 8, itype:16
    vblock regs(x24=x80v:16, x25=x112v:8, x26=x64v:16) { mul x24, x25, x26 ; c.nop ; c.nop }
    vblock regs(x24=x112v:16, x25=x120v:8, x26=x48v:16) { mul x24, x25, x26 ; c.nop ; c.nop }
    p48 add x80v, x80v, x112v, itype:16
    p48 addi x80v, x80v, 128, itype:16
    p48 srli x80v, x80v, 8, itype:16
    vblock regs(x24=x48v:16, x25=x40v:8, x26=x64v:16) { c.mv x24, x25 ; sub x26, x22, x24 ; c.nop }
    p48 mul x96v, x96v, x64v, itype:16
    p48 mul x80v, x80v, x48v, itype:16
    p48 add x96v, x96v, x80v, itype:16
    p48 addi x96v, x96v, 128, itype:16
    p48 srli x96v, x96v, 8, itype:16
# times the light, 0 to 256; alpha as it is
    sv.setvl x0, x0, 16
    p48 flw f32v, 1536(x13)
    p48 fmul.s f32v, f32v, f4
    p48 fcvt.wu.s x32v, f32v, rne, itype:32
    p48 minu x32v, x32v, x21, itype:32
    p48 mul x32v, x32v, x19, itype:32
    p48 or x32v, x32v, x20, itype:32
    sv.setvl x0, x0, 64
    vblock regs(x24=x48v:16, x25=x32v:8) { c.mv x24, x25 ; c.nop ; c.nop }
    p48 srli x64v, x48v, 7, itype:16
    p48 add x48v, x48v, x64v, itype:16
    p48 mul x96v, x96v, x48v, itype:16
    p48 addi x96v, x96v, 128, itype:16
    p48 srli x96v, x96v, 8, itype:16
    vblock regs(x24=x32v:8, x25=x96v:16) { c.mv x24, x25 ; c.nop ; c.nop }
    sv.setvl x0, x0, 16
    p48 sw x32v, 0(x14), itype:32
    addi x13, x13, 64
    addi x14, x14, 64
    addi x23, x23, -1
    bne x23, x0, again
    jalr x0, 0(x1)
