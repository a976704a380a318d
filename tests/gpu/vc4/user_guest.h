/* A host with a device that runs user programs: memory, programs from text, requests. */
#ifndef VITRAIL_TESTS_GPU_VC4_USER_GUEST_H
#define VITRAIL_TESTS_GPU_VC4_USER_GUEST_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/device.h"
#include "isa/vc4_qpu/asm.h"
#include "util/bits.h"

#define USER_MEMORY (1u << 20)
/* The end of a program, as every compiler writes it. */
#define USER_END "nop ; nop ; thrend\nnop\nnop\n"

struct user_guest {
    struct gpu_memory memory;
    struct util_pool *pool;
    struct jit_engine *engine;
    struct vc4_device *device;
    bool refuse;
};

struct user_guest_options {
    int threads;          /* 0: no pool */
    bool compile, refuse; /* refuse: the compiler is asked, and takes nothing */
    uint64_t job_fuel;
};

static inline void user_open(struct user_guest *g, struct user_guest_options options)
{
    memset(g, 0, sizeof *g);
    assert_int_equal(gpu_memory_create(USER_MEMORY, &g->memory), 0);
    if (options.threads)
        assert_int_equal(util_pool_create((unsigned)options.threads, &g->pool), 0);
    g->refuse = options.refuse;
    if (options.compile || options.refuse) {
        struct jit_options jit = {
            .level = -1, .optimize = 2, .cache_dir = "", .max_insns = options.refuse ? 1 : 0};
        assert_int_equal(jit_engine_create(&jit, &g->engine, NULL), 0);
    }
    struct gpu_options device = {.pool = g->pool, .engine = g->engine, .job_fuel = options.job_fuel};
    assert_int_equal(vc4_device_create(&g->memory, &device, &g->device), 0);
    vc4_write(g->device, VC4_VPMBASE, 16);
    vc4_write(g->device, VC4_SRQUL, 1024);
}

static inline void user_close(struct user_guest *g)
{
    struct jit_stats stats;
    if (g->engine) { /* what was to be compiled was */
        jit_engine_stats(g->engine, &stats);
        assert_true(g->refuse ? !stats.compiled : stats.compiled > 0);
    }
    vc4_device_destroy(g->device);
    jit_engine_destroy(g->engine);
    util_pool_destroy(g->pool);
    gpu_memory_destroy(&g->memory);
}

static inline uint32_t *user_words(struct user_guest *g, uint32_t at)
{
    return (uint32_t *)gpu_memory_at(&g->memory, at, 4);
}

/* Puts an assembled program at `at`. */
static inline void user_program(struct user_guest *g, uint32_t at, const char *text)
{
    struct util_error error = {0};
    uint64_t *words = NULL;
    uint32_t count = 0;
    if (vc4_qpu_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s", error.text);
    memcpy(gpu_memory_at(&g->memory, at, count * sizeof *words), words, count * sizeof *words);
    free(words);
}

static inline void user_request(struct user_guest *g, uint32_t code, uint32_t uniforms)
{
    vc4_write(g->device, VC4_SRQUA, uniforms);
    vc4_write(g->device, VC4_SRQPC, code);
}

static inline uint32_t user_completed(struct user_guest *g)
{
    return vc4_read(g->device, VC4_SRQCS) >> 16 & 0xff;
}

/* Fails with the fault's text when there is one. */
static inline void user_no_fault(struct user_guest *g)
{
    struct gpu_fault fault;
    if (gpu_host_faults(vc4_device_host(g->device), &fault, 1)) {
        char text[512];
        gpu_fault_format(&fault, text, sizeof text);
        fail_msg("%s", text);
    }
}

/* The only fault there is. */
static inline struct gpu_fault user_fault(struct user_guest *g)
{
    struct gpu_fault fault[2];
    assert_int_equal(gpu_host_faults(vc4_device_host(g->device), fault, 2), 1);
    return fault[0];
}

/* ---- one program at CODE, its uniforms at UNIFORMS ---- */

#define CODE     0x1000u
#define UNIFORMS 0x8000u
#define IN       0x10000u
#define OUT      0x20000u

/* Stores the VPM's first 16 rows where ra0 says, and ends. */
#define STORE_ROWS                                                                                           \
    "ldi vw_setup, 0xc0000000\n"                                                                             \
    "ldi vw_setup, 0x88104000\n"                                                                             \
    "or vw_addr, ra0, ra0\n"                                                                                 \
    "or -, vpm_st_wait, vpm_st_wait\n" USER_END

static inline void open_guest(struct user_guest *g, bool compile)
{
    user_open(g, (struct user_guest_options){.compile = compile});
}

/* Runs a program that must end well, its uniforms being OUT, IN and `third`. */
static inline void user_run(struct user_guest *g, const char *text, uint32_t third)
{
    user_program(g, CODE, text);
    user_words(g, UNIFORMS)[0] = OUT;
    user_words(g, UNIFORMS)[1] = IN;
    user_words(g, UNIFORMS)[2] = third;
    user_request(g, CODE, UNIFORMS);
    uint32_t completed = user_completed(g);
    user_no_fault(g);
    assert_int_equal(completed, 1);
    vc4_write(g->device, VC4_SRQCS, 0x10100);
}

#endif
