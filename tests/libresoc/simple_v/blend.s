# void blend(uint32_t dst[16], const uint32_t src[16], uint64_t mask): dst = (src * a + dst * (255 - a)) / 255, rounded, of each byte
# void add(uint32_t dst[16], const uint32_t src[16], uint64_t mask): dst = min(255, src + dst)
# 16 pixels of four bytes: 64 elements, of 8 bits in memory and of 16 while computing. Pixels whose bit is 0 are not stored.
    .globl blend, add
    .macro enter
    sd x9, -8(sp)
    mv x14, x10
    mv x9, x12
    mv x10, x12
    %sv.setvl x0, x0, 16
    %p48 lw x32v, 0(x11), itype:32
    %p48 lw x40v, 0(x14), itype:32
    .endm
    .macro leave
    %sv.setvl x0, x0, 64
    %vblock regs(x5=x32v:8, x6=x48v:16) { c.mv x5, x6 ; c.nop }
    %sv.setvl x0, x0, 16
    %p48 sw x32v, 0(x14), itype:32, src:x9, dst:x10
    ld x9, -8(sp)
    ret
    .endm
blend:
    enter
    %p48 mv.swizzle x112v, x32v, wwww, itype:8, svlen:4
    %sv.setvl x0, x0, 64
    %vblock regs(x5=x48v:16, x6=x32v:8) { c.mv x5, x6 ; c.nop }
    %vblock regs(x5=x64v:16, x6=x112v:8) { c.mv x5, x6 ; c.nop }
    %vblock regs(x5=x80v:16, x6=x40v:8) { c.mv x5, x6 ; c.nop }
    %p48 mul x48v, x48v, x64v, itype:16
    %p48 xori x64v, x64v, 255, itype:16
    %p48 mul x80v, x80v, x64v, itype:16
    %p48 add x48v, x48v, x80v, itype:16
    %p48 addi x48v, x48v, 128, itype:16
    %p48 srli x64v, x48v, 8, itype:16
    %p48 add x48v, x48v, x64v, itype:16
    %p48 srli x48v, x48v, 8, itype:16
    leave
add:
    enter
    li x13, 255
    %sv.setvl x0, x0, 64
    %vblock regs(x5=x48v:16, x6=x32v:8) { c.mv x5, x6 ; c.nop }
    %vblock regs(x5=x80v:16, x6=x40v:8) { c.mv x5, x6 ; c.nop }
    %p48 add x48v, x48v, x80v, itype:16
    %p48 minu x48v, x48v, x13, itype:16
    leave
