# void halves(const half *x, half *y, long count, float a): y = x * a + y rounded once, then root(|y|), as halves
    .globl halves
halves:
    fcvt.h.s f10, f10
    beqz x12, out
on:
    %sv.setvl x15, x12, 32
    %p48 flh f32v, 0(x10)
    %p48 flh f48v, 0(x11)
    %p48 fmadd.h f48v, f32v, f10, f48v
    %p48 fsgnjx.h f48v, f48v, f48v
    %p48 fsqrt.h f48v, f48v
    %p48 fsh f48v, 0(x11)
    sub x12, x12, x15
    slli x15, x15, 1
    add x10, x10, x15
    add x11, x11, x15
    bnez x12, on
out:
    ret
