# Source over destination, (s * a + d * (255 - a)) / 255 to the nearest, 16 pixels at a time; stored where x9 has the pixel.
    lui x5, 0x1010
    addi x5, x5, 0x101
    add x18, x9, x0
    add x19, x9, x0
    lui x6, 0x10
    addi x6, x6, -1
    addi x7, x0, 4
again:
    sv.setvl x0, x0, 16
    and x9, x9, x6
    add x10, x9, x0
    p48 lw x32v, 0(x13), itype:32
    p48 lw x40v, 0(x14), itype:32
    p48 srli x48v, x32v, 24, itype:32
    p48 mul x48v, x48v, x5, itype:32
    p48 xori x56v, x48v, -1, itype:32
    sv.setvl x0, x0, 64
    vblock regs(x24=x64v:16, x25=x32v:8, x26=x48v:8) { c.mv x24, x25 ; mul x24, x24, x26 ; c.nop }
    vblock regs(x24=x80v:16, x25=x40v:8, x26=x56v:8) { c.mv x24, x25 ; mul x24, x24, x26 ; c.nop }
    p48 add x64v, x64v, x80v, itype:16
    p48 addi x64v, x64v, 128, itype:16
    p48 srli x80v, x64v, 8, itype:16
    p48 add x64v, x64v, x80v, itype:16
    p48 srli x64v, x64v, 8, itype:16
    vblock regs(x24=x32v:8, x25=x64v:16) { c.mv x24, x25 ; c.nop ; c.nop }
    sv.setvl x0, x0, 16
    p48 sw x32v, 0(x14), itype:32, src:x9, dst:x10
    addi x13, x13, 64
    addi x14, x14, 64
    srli x18, x18, 16
    add x9, x18, x0
    addi x7, x7, -1
    bne x7, x0, again
    add x9, x19, x0
    jalr x0, 0(x1)
