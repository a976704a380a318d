# void sample(const float u[16], const float v[16], const uint32_t texels[256][256], uint32_t out[16], uint64_t mask)
# 16 bilinear samples of bytes, at places counted in texels and clamped; those whose bit is 0 are not stored. Fractions have 8 bits.
# Registers: x48 to x63 fractions; then texels of 8 bits, and sums of 16, four elements a pixel.
    .globl sample
sample:
    sd x9, -8(sp)
    mv x9, x14
    li x15, 0x0001000100010001 # a fraction for each of four bytes
    slli x16, x15, 8           # 1 less a fraction
    li x17, 255 * 256
    li x28, 255
    li x29, 0x43800000 # 256
    fmv.w.x f0, x29
    fsrmi x29, 2 # downwards
    %sv.setvl x0, x0, 16
    %p48 flw f32v, 0(x10)
    %p48 flw f40v, 0(x11)
    %p48 fmul.s f32v, f32v, f0
    %p48 fmul.s f40v, f40v, f0
    %p48 fcvt.wu.s x32v, f32v, itype:32
    %p48 fcvt.wu.s x40v, f40v, itype:32
    fsrm x29
    mv x10, x14
    %p48 minu x32v, x32v, x17, itype:32
    %p48 minu x40v, x40v, x17, itype:32
    %p48 andi x48v, x32v, 255, itype:32
    %p48 andi x56v, x40v, 255, itype:32
    %p48 srli x32v, x32v, 8, itype:32
    %p48 srli x40v, x40v, 8, itype:32
    %p48 addi x64v, x32v, 1, itype:32
    %p48 addi x72v, x40v, 1, itype:32
    %p48 minu x64v, x64v, x28, itype:32
    %p48 minu x72v, x72v, x28, itype:32
    # Offsets of the four, then their addresses, of 64 bits, and what is there.
    %p48 slli x32v, x32v, 2, itype:32
    %p48 slli x64v, x64v, 2, itype:32
    %p48 slli x40v, x40v, 10, itype:32
    %p48 slli x72v, x72v, 10, itype:32
    %p48 add x80v, x32v, x40v, itype:32
    %p48 add x88v, x64v, x40v, itype:32
    %p48 add x96v, x32v, x72v, itype:32
    %p48 add x104v, x64v, x72v, itype:32
    %vblock regs(x5=x32v, x6=x80v:32) { add x5, x6, x12 }
    %p48 lwu x64v, 0(x32v), itype:32
    %vblock regs(x5=x32v, x6=x88v:32) { add x5, x6, x12 }
    %p48 lwu x72v, 0(x32v), itype:32
    %vblock regs(x5=x32v, x6=x96v:32) { add x5, x6, x12 }
    %p48 lwu x80v, 0(x32v), itype:32
    %vblock regs(x5=x32v, x6=x104v:32) { add x5, x6, x12 }
    %p48 lwu x88v, 0(x32v), itype:32
    # Across: the results' elements are wider than the sources', and follow behind them.
    %vblock regs(x5=x96v, x6=x48v:32) { mul x5, x6, x15 }
    %p48 sub x112v, x16, x96v
    %sv.setvl x0, x0, 64
    %vblock regs(x5=x32v:16, x6=x64v:8, x7=x112v:16) { mul x5, x6, x7 }
    %vblock regs(x5=x64v:16, x6=x72v:8, x7=x96v:16) { mul x5, x6, x7 }
    %p48 add x32v, x32v, x64v, itype:16
    %p48 srli x32v, x32v, 8, itype:16
    %vblock regs(x5=x64v:16, x6=x80v:8, x7=x112v:16) { mul x5, x6, x7 }
    %vblock regs(x5=x80v:16, x6=x88v:8, x7=x96v:16) { mul x5, x6, x7 }
    %p48 add x64v, x64v, x80v, itype:16
    %p48 srli x64v, x64v, 8, itype:16
    # Down.
    %sv.setvl x0, x0, 16
    %vblock regs(x5=x96v, x6=x56v:32) { mul x5, x6, x15 }
    %p48 sub x112v, x16, x96v
    %sv.setvl x0, x0, 64
    %p48 mul x32v, x32v, x112v, itype:16
    %p48 mul x64v, x64v, x96v, itype:16
    %p48 add x32v, x32v, x64v, itype:16
    %p48 srli x32v, x32v, 8, itype:16
    %vblock regs(x5=x48v:8, x6=x32v:16) { c.mv x5, x6 ; c.nop }
    %sv.setvl x0, x0, 16
    %p48 sw x48v, 0(x13), itype:32, src:x9, dst:x10
    ld x9, -8(sp)
    ret
