# void saxpy(const float *x, float *y, long count, float a): y += a * x, sixteen elements at a time
    .globl saxpy
saxpy:
    beqz x12, done
again:
    %sv.setvl x15, x12, 16 # VL and x15 become the lesser of x12 and 16
    %p48 flw f32v, 0(x10)
    %p48 flw f48v, 0(x11)
    %p48 fmadd.s f48v, f32v, f10, f48v
    %p48 fsw f48v, 0(x11)
    sub x12, x12, x15
    slli x15, x15, 2
    add x10, x10, x15
    add x11, x11, x15
    bnez x12, again
done:
    ret
