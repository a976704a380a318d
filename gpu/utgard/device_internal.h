/* What the files of gpu/utgard share of a device. Not for users. */
#ifndef VITRAIL_GPU_UTGARD_DEVICE_INTERNAL_H
#define VITRAIL_GPU_UTGARD_DEVICE_INTERNAL_H

#include "gpu/device.h"
#include "gpu/irq.h"
#include "gpu/tables.h"
#include "gpu/utgard/device.h"
#include "gpu/utgard/perf.h"
#include "gpu/utgard/regs.h"

#define UTGARD_STORE 0x440

enum { UTGARD_PP_WB_STEP = UTGARD_PP_WB1 - UTGARD_PP_WB0 };
enum {
    UTGARD_GP_VS_START,
    UTGARD_GP_VS_END,
    UTGARD_GP_PLBU_START,
    UTGARD_GP_PLBU_END,
    UTGARD_GP_HEAP_START,
    UTGARD_GP_HEAP_END
}; /* words of GP FRAME */

/* What starts work; a reset in the same write comes instead. */
#define UTGARD_GP_CMD_START_VS   UTGARD_BIT(GP, CMD, START_VS)
#define UTGARD_GP_CMD_START_PLBU UTGARD_BIT(GP, CMD, START_PLBU)
#define UTGARD_GP_CMD_RESETS     (UTGARD_BIT(GP, CMD, RESET) | UTGARD_BIT(GP, CMD, SOFT_RESET))
#define UTGARD_PP_CTRL_START     UTGARD_BIT(PP, CTRL, START_RENDERING)
#define UTGARD_PP_CTRL_RESETS    (UTGARD_BIT(PP, CTRL, FORCE_RESET) | UTGARD_BIT(PP, CTRL, SOFT_RESET))

/* GP interrupts that this model raises. */
#define UTGARD_GP_INT_VS_END          UTGARD_BIT(GP, INT_RAWSTAT, VS_END)
#define UTGARD_GP_INT_PLBU_END        UTGARD_BIT(GP, INT_RAWSTAT, PLBU_END)
#define UTGARD_GP_INT_OUT_OF_MEMORY   UTGARD_BIT(GP, INT_RAWSTAT, OUT_OF_MEMORY)
#define UTGARD_GP_INT_FORCE_HANG      UTGARD_BIT(GP, INT_RAWSTAT, FORCE_HANG)
#define UTGARD_GP_INT_BUS_STOPPED     UTGARD_BIT(GP, INT_RAWSTAT, BUS_STOPPED)
#define UTGARD_GP_INT_VS_COMMAND      UTGARD_BIT(GP, INT_RAWSTAT, VS_COMMAND)
#define UTGARD_GP_INT_PLBU_COMMAND    UTGARD_BIT(GP, INT_RAWSTAT, PLBU_COMMAND)
#define UTGARD_GP_INT_RESET_COMPLETED UTGARD_BIT(GP, INT_RAWSTAT, RESET_COMPLETED)
#define UTGARD_GP_INT_POINTER_ARRAY   UTGARD_BIT(GP, INT_RAWSTAT, POINTER_ARRAY)

/* PP interrupts likewise. */
#define UTGARD_PP_INT_END_OF_FRAME    UTGARD_BIT(PP, INT_RAWSTAT, END_OF_FRAME)
#define UTGARD_PP_INT_FORCE_HANG      UTGARD_BIT(PP, INT_RAWSTAT, FORCE_HANG)
#define UTGARD_PP_INT_BUS_STOPPED     UTGARD_BIT(PP, INT_RAWSTAT, BUS_STOPPED)
#define UTGARD_PP_INT_COMMAND         UTGARD_BIT(PP, INT_RAWSTAT, COMMAND)
#define UTGARD_PP_INT_STACK_UNDERFLOW UTGARD_BIT(PP, INT_RAWSTAT, STACK_UNDERFLOW)
#define UTGARD_PP_INT_STACK_OVERFLOW  UTGARD_BIT(PP, INT_RAWSTAT, STACK_OVERFLOW)
#define UTGARD_PP_INT_RESET_COMPLETED UTGARD_BIT(PP, INT_RAWSTAT, RESET_COMPLETED)

/* An MMU as its registers show it. Its pages are those of the space with the same `dte`. */
struct utgard_mmu {
    struct gpu_irq irq;
    uint32_t dte, fault_address;
    bool paging, stalled, faulted, fault_is_write;
};

/* A processor's interrupts and whether it works. */
struct utgard_unit {
    struct gpu_irq irq;
    bool bus_stopped;
};

struct utgard_gp;

struct utgard_device {
    enum utgard_kind kind;
    unsigned pp_count;
    struct gpu_options options;
    struct gpu_host host;
    uint32_t store[UTGARD_IP_COUNT][UTGARD_STORE]; /* plain registers */
    struct utgard_mmu mmu[1 + UTGARD_MAX_PP];      /* the GP's, then the PPs' */
    struct gpu_tables_set tables;
    struct utgard_unit gp_unit, pp_unit[UTGARD_MAX_PP];
    bool pp_started[UTGARD_MAX_PP]; /* a frame waits to be rendered */
    struct utgard_pp_team *team;    /* frame_pp.c's own: those of them that draw one frame */
    uint32_t power_off, power_raw, power_mask;
    struct utgard_gp *gp;                                     /* gp.c's own */
    struct gpu_programs *vertex_programs, *fragment_programs; /* the GP's, the PPs' */
    bool scheduling;  /* the outermost utgard_write runs the work; nested ones only mark it */
    uint32_t batches; /* frames rendered so far, for observers */
    struct utgard_perf perf[1 + UTGARD_MAX_PP]; /* the GP's, then the PPs' */
};

/* Units at a job (gpu/turns.h). */
enum { UTGARD_UNIT_GP, UTGARD_UNIT_PP };

/* ---- device.c ---- */

/* As struct gpu_device_functions has them. */
enum gpu_due utgard_due(const void *device);
enum gpu_when utgard_when(const void *device, uint32_t offset, uint32_t value);
void utgard_work(void *device, bool all);
/* The bits of a block's command register that are posted (gpu/turns.h); 0: none. What they start runs, for who polls for
 * its end. */
uint32_t utgard_posted(const struct utgard_device *device, enum utgard_ip ip, uint32_t offset);

bool utgard_transfer(void *device, struct gpu_state *state); /* state.c */

/* Sets raw interrupt bits of the GP or a PP; the host is called when one of them is enabled. */
void utgard_gp_raise(struct utgard_device *device, uint32_t bits);
void utgard_pp_raise(struct utgard_device *device, unsigned pp, uint32_t bits);
/* Calls the host when the line of `ip` is high. */
void utgard_signal(struct utgard_device *device, enum utgard_ip ip);

/* Before a job of the GP, when no program is in use and no code: what a guest has piled up can go. */
void utgard_forget_programs(struct utgard_device *device);

/* The PPs, or the MMUs of PPs, that take part in a broadcast now: bit n is that of PP n. */
uint32_t utgard_broadcast_to(const struct utgard_device *device, bool mmus);

/* ---- mmu.c: MMU 0 is the GP's, 1 + n that of PP n ---- */

uint32_t utgard_mmu_read(const struct utgard_device *device, unsigned n, uint32_t offset);
void utgard_mmu_write(struct utgard_device *device, unsigned n, uint32_t offset, uint32_t value);
/* The address space of an MMU as its page tables are now, when they may have changed; NULL with *fault when
 * paging is off or the host cannot map them. */
const struct gpu_space *utgard_mmu_space(struct utgard_device *device, unsigned n, struct gpu_fault *fault);
/* The tables may have changed: walked again before the next use. */
void utgard_mmu_zap(struct utgard_device *device, unsigned n);
/* An access that no page allows: the MMU holds it, and interrupts. */
void utgard_mmu_fault(struct utgard_device *device, unsigned n, uint32_t address, bool write);
extern const struct gpu_tables_kind utgard_tables_kind;

/* ---- gp.c ---- */

int utgard_gp_create(struct utgard_device *device);
void utgard_gp_destroy(struct utgard_device *device);
uint32_t utgard_gp_read(const struct utgard_device *device, uint32_t offset);
void utgard_gp_write(struct utgard_device *device, uint32_t offset, uint32_t value);
/* Runs what was started and can go on; false: nothing could. */
bool utgard_gp_work(struct utgard_device *device);
bool utgard_gp_can_run(const struct utgard_device *device);
void utgard_gp_transfer(struct utgard_device *device,
                        struct gpu_state *state);           /* where its last lists stood */
bool utgard_gp_is_idle(const struct utgard_device *device); /* it has no job */
bool utgard_gp_waits(const struct utgard_device *device);   /* for heap */

/* ---- pp.c ---- */

uint32_t utgard_pp_read(const struct utgard_device *device, unsigned pp, uint32_t offset);
void utgard_pp_write(struct utgard_device *device, unsigned pp, uint32_t offset, uint32_t value);
/* ---- frame_pp.c ---- */

int utgard_pp_create(struct utgard_device *device); /* 0 or -ENOMEM */
void utgard_pp_destroy(struct utgard_device *device);
/* Started PPs draw; those of one frame wait for each other. False: nothing was done. */
bool utgard_pp_work(struct utgard_device *device);
/* The tiles that a PP's registers and the DLBU's name are appended to tiles[*count]. */
struct gpu_tile;
bool utgard_pp_tiles(const struct utgard_device *device, unsigned pp, const struct gpu_space *space,
                     struct gpu_tile *tiles, uint32_t *count, struct gpu_fault *fault);
/* They wait no longer; likewise. */
bool utgard_pp_finish(struct utgard_device *device);
/* Whether a processor was started that has not joined a frame; whether one that has waits for others, or draws. */
bool utgard_pp_is_started(const struct utgard_device *device);
uint32_t utgard_pp_members(const struct utgard_device *device); /* bit n: PP n */
/* Whether writing registers of the block leaves those that wait alone: it is a PP that may join them. */
bool utgard_pp_may_join(const struct utgard_device *device, unsigned ip);

#endif
