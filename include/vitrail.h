/* Vitrail: a GPU made of software, as a library.
 *
 * A context is one emulated GPU: its registers, its guest memory, its interrupt line and the host threads
 * and compiler that do its work. Whoever embeds it - the device model of a virtual machine, a test
 * harness, a compiler's test-suite - does what a kernel driver does with the real thing: puts commands,
 * programs and data into guest memory, writes registers, answers interrupts, reads the picture from
 * memory.
 *
 *     struct vitrail_config config;
 *     struct vitrail_context *gpu = NULL;
 *     vitrail_config_init(&config, sizeof config);
 *     if (vitrail_open(&config, &gpu) < 0)
 *         fprintf(stderr, "%s\n", vitrail_last_error());
 *     vitrail_memory_write(gpu, 0x1000, list, sizeof list);
 *     vitrail_write_register(gpu, 0x114, 0x1000);                (CT1CA: where the list begins)
 *     vitrail_write_register(gpu, 0x10c, 0x1000 + sizeof list);  (CT1EA: its end; starts it)
 *     vitrail_wait(gpu);
 *     vitrail_close(&gpu);
 *
 * The complete programs in tests/api are examples: render.c, clear.c, device_model.c.
 *
 * Return codes. Functions that return int give 0 (or a count, where said) on success and a negative errno on
 * failure. Each function names its codes; besides, every function gives
 *   -EINVAL  for a NULL handle or a NULL output, whatever else is said,
 *   -EBUSY   for a context on which another thread plays a capture, for a capture that another thread is inside
 *            of, or for what a callback may not call.
 *
 * After a failure vitrail_last_error() has the reason in words. On failure outputs are untouched, except
 * that the open functions set *out to NULL. What a guest does wrong is never an error of a call: it is a
 * guest fault, fetched with vitrail_next_fault.
 *
 * Threads. Any number of threads may use one context at the same time, as the processors of a virtual
 * machine do; vitrail_close alone must be the last call. A capture is used by one thread at a time; a
 * second one gets -EBUSY (a check, not a lock to rely on). Functions without a handle may be called by any
 * thread at any time.
 *
 * Time. A GPU works on threads of the context's own. Register writes are posted: what they start runs by
 * itself, and ends without anybody's asking. Accesses never wait for a job, nor for a callback, only for
 * other accesses: some microseconds. While a unit is at a job its registers read as the GPU's would, where
 * this header or the GPU's README does not say otherwise; a write that would disturb the job is made when
 * the job has ended, and writing a reset ends the job soon. 1024 writes may wait so; further ones are a
 * guest fault. vitrail_wait is for hosts that have nothing else to wait by. What a guest can make a job
 * last is bounded by what its lists hold and by the budgets of the configuration, never by the clock, so
 * results do not depend on the machine's speed.
 *
 * Callbacks are called on the thread of the call that causes them, from inside of it, or on a thread of
 * the context's own when the GPU itself does; one at a time for the interrupt lines. They may use the
 * context, but for what sleeps or takes the GPU away (vitrail_wait, vitrail_reset, vitrail_close,
 * vitrail_save, vitrail_restore, vitrail_capture_play: -EBUSY). No lock of the library's is held
 * meanwhile. They may take a lock of the embedder's that is held around register accesses and
 * vitrail_reset (QEMU's big lock); not around vitrail_wait and vitrail_close, which wait for callbacks to
 * return.
 *
 * Process. The library neither prints, exits, installs signal handlers, changes the locale nor reads
 * standard streams. It creates threads (with all signals as the creator has them) and, on first
 * compilation, takes LLVM's process-wide fatal-error handler. Environment variables read: XDG_CACHE_HOME
 * and HOME (for the default cache directory), VITRAIL_SMALL_WINDOW (reserve less address space). A context
 * does not survive fork(): the child must not use it.
 *
 * Compatibility. Handles are opaque. Every structure that may grow begins with `size`, which the caller
 * sets to its own sizeof: a library newer than the caller's header leaves alone what the caller does not
 * know; an older one refuses (-E2BIG) inputs that use fields it does not know, and clears such outputs.
 * New GPUs bring new names, register maps, units and counters, not new functions. The number in the
 * library's soname changes when a program compiled against an older header could break. */
#ifndef VITRAIL_H
#define VITRAIL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VITRAIL_API __attribute__((visibility("default")))
#else
#define VITRAIL_API
#endif

/* ---- version and errors ---- */

/* Of this header. MAJOR is the soname's number. */
#define VITRAIL_API_MAJOR 1
#define VITRAIL_API_MINOR 0
#define VITRAIL_API_PATCH 0

/* Of the library that is linked: major << 16 | minor << 8 | patch. A program may run with a library of the
 * same major and an equal or higher minor than its header's. */
VITRAIL_API uint32_t vitrail_api_version(void);

/* Of the project, as "0.1.0". A static string. */
VITRAIL_API const char *vitrail_version(void);

/* What a return code means, in words: a static string, never NULL. 0 and counts give "success"; codes that no
 * function here returns give "unknown error". */
VITRAIL_API const char *vitrail_strerror(int code);

/* Why the last failed call of this thread failed, in words: the file, the offset, the value. "" before any.
 * The string belongs to the library and is valid until this thread's next call that fails. */
VITRAIL_API const char *vitrail_last_error(void);

/* ---- GPUs ---- */

/* What a GPU can do here. Set `size` before the call. */
struct vitrail_gpu {
    size_t size;             /* of this structure, in the caller's header */
    const char *name;        /* as in vitrail_config: "vc4", "mali400". Static, as all strings here */
    const char *description; /* "Broadcom VideoCore IV (V3D 2.1)" */
    const char *driver;      /* the Mesa driver that speaks to it; NULL: none does */
    uint32_t register_bytes; /* registers are at offsets 0..register_bytes - 4 */
    uint32_t capabilities;   /* VITRAIL_CAP_* */
    uint64_t memory_max;     /* bytes of guest memory it can address */
};

#define VITRAIL_CAP_COMPILED  (1u << 0) /* guest programs can be compiled on this host */
#define VITRAIL_CAP_REFERENCE (1u << 1) /* has a scalar reference implementation */
#define VITRAIL_CAP_EXACT     (1u << 2) /* has VITRAIL_NUMERIC_EXACT */
#define VITRAIL_CAP_CAPTURES  (1u << 3) /* captures of it can be played */
#define VITRAIL_CAP_MEMORY_FILE                                                                              \
    (1u << 4) /* maps pages of guest memory: no VITRAIL_MEMORY_POINTER, from which they cannot be mapped */

/* The GPUs in the library, index from 0. Returns 0; -ENOENT: index is past the last one; -EINVAL: out->size
 * is too small for any version of the structure. */
VITRAIL_API int vitrail_gpu_get(uint32_t index, struct vitrail_gpu *out);

/* The same by name. -ENOENT: there is none of that name. */
VITRAIL_API int vitrail_gpu_find(const char *name, struct vitrail_gpu *out);

/* ---- configuration ---- */

/* How guest programs and the fixed-function units are executed. All give the same bytes. */
enum vitrail_execution {
    VITRAIL_EXECUTION_COMPILED,    /* programs are translated to host vector code */
    VITRAIL_EXECUTION_INTERPRETED, /* programs in the interpreter; nothing is compiled, LLVM is not started */
    VITRAIL_EXECUTION_REFERENCE,   /* and textures, coverage and tests scalar, pixel by pixel */
};

/* Which results guest arithmetic gives. */
enum vitrail_numeric {
    VITRAIL_NUMERIC_FAST,  /* IEEE single precision where the silicon is less precise */
    VITRAIL_NUMERIC_EXACT, /* bits as measured on silicon, as far as measurements are public; slower */
    VITRAIL_NUMERIC_USUAL, /* as pictures of this GPU are expected: a Mali-400's and Mali-450's EXACT, else FAST */
};

/* Where guest memory comes from. Guest address A is byte A of it. */
enum vitrail_memory {
    /* The library makes a memory file of memory_size bytes, zeroed, and owns it. Pages take host memory when
     * they are first touched. vitrail_memory_pointer and vitrail_memory_fd give access to it, so that it can
     * also be the RAM of a virtual machine. */
    VITRAIL_MEMORY_OWN,
    /* The embedder's file (memfd, shared memory): memory_fd, memory_offset (page-aligned). The
     * library duplicates the descriptor and maps the same pages, nothing is copied. The file must reach to
     * offset + size and must be sealed against shrinking (F_SEAL_SHRINK), because a file cut short under a
     * mapping kills the process with SIGBUS; where that cannot be (shm_open, a file on disk) set
     * memory_unsealed, which is the embedder's word that nobody will truncate it. */
    VITRAIL_MEMORY_FD,
    /* The embedder's memory at memory_pointer, readable and writable, page-aligned: used in place, nothing is
     * copied or mapped. It must stay until the context is closed.
     * The difference to the other two: they stand in a reservation of 8 GiB of address space, between
     * inaccessible guards. Every access is checked explicitly in all three, that is what defines the
     * guest-visible meaning; the guards are a second wall, against defects of the library itself, and memory
     * used in place does not have it. An embedder that runs hostile guests should prefer a file. */
    VITRAIL_MEMORY_POINTER,
};

/* A part of guest memory: multiples of 4096. */
struct vitrail_region {
    uint64_t address; /* guest-physical */
    uint64_t size;
    uint64_t offset; /* in the file */
};

enum vitrail_log_level { VITRAIL_LOG_ERROR, VITRAIL_LOG_WARNING, VITRAIL_LOG_INFO };

/* A line for the embedder's log, without newline; valid during the call. `level` is an enum
 * vitrail_log_level: ERROR: a call failed, with its reason; WARNING: a guest fault, as vitrail_fault_text has
 * it; INFO: what a context was opened with. Must not use the context (-EBUSY), nor wait for
 * a thread that does. */
typedef void (*vitrail_log_fn)(void *data, int level, const char *text);

/* What a context is made of. Fill with vitrail_config_init, then change what is to differ. Everything pointed
 * to is needed only during vitrail_open, but for memory_pointer and log_data. */
struct vitrail_config {
    size_t size; /* set by vitrail_config_init */

    const char *gpu; /* default "vc4"; vitrail_gpu_get lists them */

    /* Guest memory. memory_size: bytes, 4096 to the GPU's memory_max; OWN: rounded up to pages, default 1
     * GiB; others: a multiple of 4096. */
    int memory; /* enum vitrail_memory, default OWN */
    int memory_fd;
    uint64_t memory_size;
    uint64_t memory_offset;
    void *memory_pointer;
    int memory_unsealed; /* FD: nonzero accepts a file without F_SEAL_SHRINK */
    /* FD: guest memory is these parts of the file at addresses of their own, up to 256 GiB, in any order,
     * none overlapping; memory_size and memory_offset are not looked at. 0 (default): one part from
     * address 0 on. A GPU reaches what its addresses and its page tables' can name: Mali-400 and -450 4
     * GiB, later Malis all. vc4, which has no page tables, needs all regions below 4 GiB; between them it
     * finds memory of the library's own, which nobody else sees (and which takes host memory where a guest
     * has the GPU write it). Not for libresoc (-ENOTSUP). */
    const struct vitrail_region *regions;
    uint32_t region_count; /* 0..16 */

    int threads; /* worker threads beside the GPU's own: 0..64, or -1 (default): one for each further processor.
                    The number changes speed only, never a result. */

    int execution; /* enum vitrail_execution, default COMPILED */
    int numeric;   /* enum vitrail_numeric, default USUAL */
    /* Host vector level "sse4.1", "avx2", "avx512" or "avx512fp16"; NULL (default): the best there is. */
    const char *level;

    /* Compiled programs are also kept on disk, safe to share between processes. NULL (default):
     * $XDG_CACHE_HOME/vitrail/code or ~/.cache/vitrail/code; "": no disk cache. It only saves time. The
     * folder must be of the process's effective user and not be writable by others, for what it holds runs.
     */
    const char *cache_dir;
    uint64_t cache_bytes; /* size cap of that directory; 0 (default): 256 MiB */

    /* Where work ends with VITRAIL_FAULT_TIMEOUT, at the same place on every machine, with any number of
     * threads and whether or not programs are compiled. Lists that go round end in any case. The first two
     * bound a job, counted from the register write that starts it; 0: not at all, all that its lists hold is
     * done. */
    uint64_t packet_budget; /* records of its lists, and what costs as much */
    uint64_t job_fuel; /* instructions of programs, for 16 lanes each; general-purpose programs of vc4 have it
                          each, and 4 Gi when it is 0 */
    uint32_t loop_fuel; /* instructions one program may repeat for one batch of 16 lanes; 0: 1 Mi */

    vitrail_log_fn log; /* NULL (default): none */
    void *log_data;
    int log_level; /* lines above it are not made: enum vitrail_log_level, default WARNING */
};

/* Fills `config` with defaults. `size` is the caller's sizeof *config. Returns 0; -EINVAL: NULL or too small.
 */
VITRAIL_API int vitrail_config_init(struct vitrail_config *config, size_t size);

/* ---- contexts ---- */

struct vitrail_context;

/* Makes a GPU, as after power-on. *out is owned by the caller: close it with vitrail_close. `config` is the
 * caller's and may be gone afterwards; NULL takes the defaults. Any thread. Returns 0, or
 *   -EINVAL   a field out of its range (named in vitrail_last_error), memory not page-aligned
 *   -E2BIG    config->size is of a newer header, and the fields beyond this library's are not zero
 *   -ENOENT   no GPU of that name
 *   -ENOTSUP  the host lacks the vector level, or the GPU maps pages and memory is a pointer
 *   -EPERM    memory_fd is not sealed against shrinking
 *   -EBADF, -EACCES, -ENODEV  memory_fd is no file that can be mapped, readable and writable
 *   -ENOMEM   no memory or address space;  -EAGAIN  no thread;  -EIO  the compiler could not start
 * or another -errno of the system. */
VITRAIL_API int vitrail_open(const struct vitrail_config *config, struct vitrail_context **out);

/* Closes *context and sets it to NULL; NULL and a pointer to NULL are accepted, so closing twice does
 * nothing. Jobs are given up. Guest memory of the library's own is gone with it. Returns 0; -EBUSY: called
 * from one of its callbacks, or while another thread waits or plays: nothing was closed. No other call may
 * begin meanwhile. */
VITRAIL_API int vitrail_close(struct vitrail_context **context);

#define VITRAIL_RESET_MEMORY (1u << 0) /* guest memory becomes zero, too */

/* Registers, jobs, counters and faults as after vitrail_open; the IRQ callback stays, and is told that
 * lines fell. Jobs are given up, which may take some milliseconds. `flags`: VITRAIL_RESET_*. Not from a
 * callback (-EBUSY). Returns 0; -EINVAL: unknown flags; -ENOMEM: then only close remains, every other call
 * gives -ENODEV. */
VITRAIL_API int vitrail_reset(struct vitrail_context *context, uint32_t flags);

/* The GPU's state between jobs - registers, lines, counters; neither memory nor faults - into to[0..size),
 * for vitrail_restore by a context of the same GPU, of this version of the library or a later one. Waits
 * until jobs have ended, but not for callbacks. Returns the bytes it has; `to` may be NULL to ask for
 * them. -ERANGE: they are more than size; -EBUSY: a job waits for the host, or from a callback. */
VITRAIL_API int vitrail_save(struct vitrail_context *context, void *to, size_t size);

/* Makes the GPU's state what was saved; jobs at hand are given up, faults forgotten, and lines that
 * changed are told. The bytes are not trusted. Returns 0; -EBADMSG: damaged, or of another GPU: the GPU is
 * as after vitrail_reset; -EBUSY: from a callback; -ENOMEM as vitrail_reset. */
VITRAIL_API int vitrail_restore(struct vitrail_context *context, const void *from, size_t size);

/* ---- guest memory ---- */

/* The memory of [address, address + size), for as long as the context is open; *out is host memory, owned by
 * the context (or the embedder). Reads and writes through it are not synchronised with a running job. Returns
 * 0; -EFAULT: any of it lies outside; size 0 gives -EINVAL. */
VITRAIL_API int vitrail_memory_pointer(struct vitrail_context *context, uint64_t address, uint64_t size,
                                       void **out);

/* Copies between guest memory and the caller's. Nothing is copied when any of it lies outside (-EFAULT). Size
 * 0 does nothing and returns 0, wherever the address. */
VITRAIL_API int vitrail_memory_read(struct vitrail_context *context, uint64_t address, void *to, size_t size);
VITRAIL_API int vitrail_memory_write(struct vitrail_context *context, uint64_t address, const void *from,
                                     size_t size);

/* Where guest memory ends, as a guest address; 0 for NULL. Any thread. */
VITRAIL_API uint64_t vitrail_memory_size(const struct vitrail_context *context);

/* The descriptor of the memory file, owned by the context: to be mapped or passed on, not closed. -ENOTSUP:
 * the memory is the embedder's pointer. */
VITRAIL_API int vitrail_memory_fd(const struct vitrail_context *context);

/* From now on (`on` not 0) it is noted which pages of guest memory are written by the context: by its GPU, by captures
 * played, vitrail_memory_write and stores through vitrail_memory_pointer. What others write through mappings of their own
 * of a file, as a virtual machine's processors do, is not. Calling it again changes nothing; 0 ends it and forgets. The
 * first write to each page after each vitrail_written takes the host some microseconds more, and beginning some
 * milliseconds for each GiB; results do not change. Jobs may run. Returns 0; -ENOTSUP: the kernel cannot (Linux before
 * 6.7, or it forbids userfaultfd to the process), or not for this memory (the embedder's pointer, some file systems): count
 * all of memory as written when vitrail_status.jobs has changed; -ENOMEM, or another -errno of the system. */
VITRAIL_API int vitrail_track_writes(struct vitrail_context *context, int on);

/* Takes and forgets pages that were written since they were last given, as regions of whole pages, lowest address first, each
 * in one piece in guest memory and in the memory file (`offset`). Copies at most `capacity` and returns how many there are;
 * those beyond it are given by the next call. `out` may be NULL when capacity is 0. May be called while jobs run: what is
 * written meanwhile is given by this call or by the next one, so read a page after it was given, and ask a last time when
 * jobs have ended. After vitrail_reset with VITRAIL_RESET_MEMORY all of memory is given; so it is, each time, where the host
 * ran out of memory for this. -ENODATA: tracking is off. */
VITRAIL_API int vitrail_written(struct vitrail_context *context, struct vitrail_region *out,
                                uint32_t capacity);

/* ---- registers and interrupts ---- */

/* Registers by byte offset from the start of the GPU's block, 32 bits each (vc4: the 3D block; Mali: the
 * window of all its blocks as the device tree has it, for 0x30000 bytes; libresoc: its command
 * processor's, as gpu/libresoc/README.md has them). Returns 0; -EINVAL: offset is not a multiple of 4 or
 * not below the GPU's register_bytes. Registers that do not exist read as zero, and writing one is a guest
 * fault. */
VITRAIL_API int vitrail_read_register(struct vitrail_context *context, uint32_t offset, uint32_t *value);
VITRAIL_API int vitrail_write_register(struct vitrail_context *context, uint32_t offset, uint32_t value);

/* Sleeps until all jobs have ended that can without the host's doing, and callbacks about them have
 * returned. What the GPU would leave for a moment, for others to join, runs at once: vc4: programs queued
 * at SRQPC (they start together a millisecond after the last of them was queued, or at once when DBQITE is
 * not zero, the queue is full, or a register is read or another one written: so that programs that wait
 * for each other are all there); Mali-400: a frame of which not all pixel processors were started. A job
 * that waits for an answer (memory for the binner, a page) is left waiting. For hosts that look at memory
 * next and have no interrupt. Not from a callback (-EBUSY). Returns 0. */
VITRAIL_API int vitrail_wait(struct vitrail_context *context);

/* Interrupt lines, by number: a GPU's own are those with a name. */
enum vitrail_line {
    VITRAIL_LINE_VC4 = 0,            /* "v3d": INTCTL & INTENA, and user programs' DBQITC */
    VITRAIL_LINE_UTGARD_GP = 0,      /* "gp" */
    VITRAIL_LINE_UTGARD_GPMMU = 1,   /* "gpmmu" */
    VITRAIL_LINE_UTGARD_PP0 = 2,     /* "pp0"; up to "pp7" the following */
    VITRAIL_LINE_UTGARD_PPMMU0 = 10, /* "ppmmu0"; likewise */
    VITRAIL_LINE_UTGARD_PP = 18,     /* "pp": of a Mali-450, those that its broadcast unit gathers */
    VITRAIL_LINE_UTGARD_PMU = 19,    /* "pmu" */
    VITRAIL_LINE_MALI_JOB = 0,       /* "job"; of Midgard and later */
    VITRAIL_LINE_MALI_MMU = 1,       /* "mmu" */
    VITRAIL_LINE_MALI_GPU = 2,       /* "gpu" */
    VITRAIL_LINE_LIBRESOC = 0,       /* "gpu": INT_STAT */
};
#define VITRAIL_LINES 32

/* What a line is called, as device trees name interrupts; static. NULL: the GPU has no such line. Any
 * thread. */
VITRAIL_API const char *vitrail_line_name(const struct vitrail_context *context, uint32_t line);

/* A line (enum vitrail_line) changed its level: 1 high, 0 low. Each call is about a change: levels of a
 * line alternate, beginning with 1. A write that lowers a line has called this when it returns, unless
 * another thread is in the callback, or this one: then that one calls on when it has returned. So the
 * callback, having taken its own locks, may find the line changed again: status.lines has the levels of
 * this moment. A line that changes and changes back before it could be told is not told, but when a
 * callback was under way: then it is told of both. So whoever sets what status.lines has, after each callback
 * and after each write, misses no change. */
typedef void (*vitrail_irq_fn)(void *data, uint32_t line, int level);

/* Sets the callback, NULL for none; `data` is passed to it and stays the caller's. It is called at once
 * for lines that are high. A call on another thread that has begun may still be under way when this
 * returns. Returns 0.
 *
 * Interrupts that a job waits for may be answered from inside the callback or later, from any thread, for
 * as long as it takes. vc4: on "out of memory" (INTCTL bit 2) the binner waits until BPOA and BPOS are
 * written, or the thread is reset; rendering goes on. Mali-400, -450: a full heap waits for new bounds and
 * UPDATE_PLBU_ALLOC, later Malis for the page and the MMU's command. Whether the interrupt is enabled
 * makes no difference. */
VITRAIL_API int vitrail_set_irq(struct vitrail_context *context, vitrail_irq_fn irq, void *data);

/* ---- status, faults, counters ---- */

struct vitrail_status {
    size_t size;          /* of this structure, in the caller's header */
    uint64_t jobs;        /* started since open or reset; jobs count from 1 */
    uint64_t faults;      /* guest faults since then, whether fetched or not */
    uint64_t faults_kept; /* waiting for vitrail_next_fault */
    uint32_t lines;       /* bit n: line n is high (enum vitrail_line) */
    uint32_t units;       /* see vitrail_units */
};

/* As it is now: nothing is waited for. Returns 0; -EINVAL: out->size is too small. */
VITRAIL_API int vitrail_get_status(struct vitrail_context *context, struct vitrail_status *out);

enum vitrail_unit_state {
    VITRAIL_UNIT_IDLE, /* its last job is done, or there was none */
    VITRAIL_UNIT_RUNNING,
    VITRAIL_UNIT_WAITING, /* for another unit or the host: a semaphore, memory */
    VITRAIL_UNIT_HALTED,  /* by a record or a register; goes on when told to */
    VITRAIL_UNIT_FAULTED, /* its last job ended in a guest fault */
};

/* A part of the GPU that runs jobs by itself: vc4 has "binner", "renderer" and "user programs",
 * a Mali "vs", "plbu" and "pp0" to "pp7" as far as there are. */
struct vitrail_unit {
    const char *name;      /* static */
    uint32_t state;        /* enum vitrail_unit_state */
    uint64_t address, end; /* guest addresses: where its list stands, where it ends */
};

/* Copies at most `capacity` units, as they are now, and returns how many there are. `out` may be NULL when
 * capacity is 0. */
VITRAIL_API int vitrail_units(struct vitrail_context *context, struct vitrail_unit *out, uint32_t capacity);

/* What a guest did wrong. The numbers are part of the ABI; more may come. */
enum vitrail_fault_kind {
    VITRAIL_FAULT_NONE,
    VITRAIL_FAULT_PACKET,      /* a record that does not exist, or a field out of range */
    VITRAIL_FAULT_LIST,        /* a list that leaves memory, loops or nests too deep */
    VITRAIL_FAULT_MEMORY,      /* an address outside guest memory */
    VITRAIL_FAULT_SHADER,      /* a program cannot be decoded or does something illegal */
    VITRAIL_FAULT_TIMEOUT,     /* a list goes round, or a budget of the configuration is used up */
    VITRAIL_FAULT_TILE_MEMORY, /* the binner ran out of memory and got none */
    VITRAIL_FAULT_UNSUPPORTED, /* documented for the GPU, not done by this library */
    VITRAIL_FAULT_DEADLOCK,    /* programs wait for one another */
    VITRAIL_FAULT_OTHER = 255, /* of a kind that this header has no name for: see the text */
};

struct vitrail_fault {
    size_t size;      /* of this structure, in the caller's header */
    uint32_t kind;    /* enum vitrail_fault_kind */
    uint32_t draw;    /* primitive list within the job, from 1; 0: not in a draw */
    const char *gpu;  /* static */
    const char *unit; /* static: "binner", "renderer", "vertex program", ... */
    uint64_t job;     /* as counted by vitrail_status.jobs */
    uint64_t address; /* guest address of the record, instruction or access; register offset */
    uint32_t pc;      /* instruction index in the program; UINT32_MAX: not in a program */
    uint32_t lane;    /* 0..15; UINT32_MAX: not in a program, or all */
    char text[256];   /* what, in words; always terminated */
};

/* Fetches and forgets the oldest fault. At most 64 are kept, later ones are dropped (status.faults shows it).
 * Returns 1 with a fault in *out, 0 when there is none; -EINVAL: out->size is too small. */
VITRAIL_API int vitrail_next_fault(struct vitrail_context *context, struct vitrail_fault *out);

/* The fault on one line, "vc4 job 3, binner, draw 2, at 0x00012340: ...", into text[0..size), always
 * terminated and cut where needed. Returns the length written; -EINVAL: NULL, or size 0. Any thread. */
VITRAIL_API int vitrail_fault_text(const struct vitrail_fault *fault, char *text, size_t size);

/* What was done, since open or reset. */
struct vitrail_counter {
    const char *name; /* static; stable, for programs: "draws" */
    const char *what; /* static; for people */
    uint64_t value;
};

/* Copies at most `capacity` counters, as when the last job began or ended, and returns how many there are;
 * their order is not stable between versions, names are. `out` may be NULL when capacity is 0. These count
 * this library's work; a GPU's own performance counters are registers. */
VITRAIL_API int vitrail_counters(struct vitrail_context *context, struct vitrail_counter *out,
                                 uint32_t capacity);

/* ---- frames ---- */

enum vitrail_layout {
    VITRAIL_LAYOUT_LINEAR, /* rows, `stride` bytes apart */
    VITRAIL_LAYOUT_VC4_T,  /* 4 KiB tiles, `stride` tiles a row of tiles (Guide section 11) */
    VITRAIL_LAYOUT_VC4_LT, /* 64-byte utiles in raster order, `stride` utiles a row */
    VITRAIL_LAYOUT_UTGARD, /* 16x16 pixels whose place is interleaved, `stride` such tiles a row */
};

enum vitrail_pixels {
    VITRAIL_PIXELS_BGRA8888,    /* 4 bytes: blue in the lowest, as displays have it (XRGB8888) */
    VITRAIL_PIXELS_RGBA8888,    /* 4 bytes: red in the lowest */
    VITRAIL_PIXELS_RGB565,      /* 2 bytes: red in the highest 5 bits */
    VITRAIL_PIXELS_RGBA16F,     /* 8 bytes: half floats, red first; as RGBA8 they are cut to 0..1 */
    VITRAIL_PIXELS_OTHER = 255, /* in a way that has no name here: vitrail_read_frame cannot read it */
};

/* An image in guest memory. */
struct vitrail_frame {
    size_t size;            /* of this structure, in the caller's header */
    uint64_t address;       /* guest address of the first byte */
    uint32_t width, height; /* pixels, 1..16384 */
    uint32_t layout;        /* enum vitrail_layout */
    uint32_t pixels;        /* enum vitrail_pixels */
    uint32_t stride;        /* see enum vitrail_layout */
    uint32_t presented;     /* of a capture: 1: was shown on a display; 0: the end of a rendering job */
};

/* The colour image that the last rendering job stored. A GPU stores words and does not know which of their
 * bytes is red: `pixels` is BGRA8888 for all of 32 bits; set it before vitrail_read_frame where the guest
 * means another. Returns 0; -ENODATA: nothing was rendered yet; -EINVAL: out->size is too small. */
VITRAIL_API int vitrail_last_frame(struct vitrail_context *context, struct vitrail_frame *out);

enum vitrail_read {
    VITRAIL_READ_RGBA8, /* 4 bytes a pixel: red, green, blue, alpha, in this order */
    VITRAIL_READ_RAW,   /* the pixels' own bytes, as enum vitrail_pixels has them */
};

/* Copies an image out of guest memory, as it stands now, in rows from top to bottom, whatever its layout.
 * `frame` may come from vitrail_last_frame, from a capture, or be filled by the caller. `as`: enum
 * vitrail_read. Row y goes to to + y * stride; `to_size` is the room at `to`: at least stride * (height - 1)
 * + width * bytes a pixel. Returns 0; -EINVAL: a field or the stride out of range; -ERANGE: to_size is too
 * small; -EFAULT: the image reaches outside guest memory; -ENOTSUP: pixels is OTHER; -ENOMEM. */
VITRAIL_API int vitrail_read_frame(struct vitrail_context *context, const struct vitrail_frame *frame, int as,
                                   void *to, size_t stride, size_t to_size);

/* ---- captures ---- */

/* A capture is a file with what a GPU was given: memory pages, register writes, marks where a picture is
 * complete. `vitrail record` makes them. It is read event by event, for whoever wants to drive the registers,
 * or played on a context, frame by frame. Files are not trusted: damage is -EBADMSG, never more. */
struct vitrail_capture;

struct vitrail_capture_info {
    size_t size;          /* of this structure, in the caller's header */
    char gpu[16];         /* for vitrail_config.gpu */
    char command[256];    /* what was recorded; cut where needed, terminated */
    uint64_t memory_size; /* guest memory that it needs: config.memory_size */
    uint64_t file_size;
    uint64_t position; /* bytes of the file consumed so far */
    uint32_t version;  /* of the file's format */
    uint32_t torn;     /* 1: the file ends early, as its recorder was killed; known at the end */
};

/* Opens a file, or a capture in memory (`bytes` are the caller's and must stay until it is closed). *out is
 * owned by the caller. Any thread. Returns 0; -EBADMSG: not a capture, or its header is damaged; -ENOTSUP: of
 * a version that this library does not know; -ENOMEM; or -errno of open. */
VITRAIL_API int vitrail_capture_open(const char *path, struct vitrail_capture **out);
VITRAIL_API int vitrail_capture_open_memory(const void *bytes, size_t size, struct vitrail_capture **out);

/* As vitrail_close. -EBUSY: from inside vitrail_capture_play of it. */
VITRAIL_API int vitrail_capture_close(struct vitrail_capture **capture);

/* Returns 0; -EINVAL: out->size is too small. */
VITRAIL_API int vitrail_capture_get_info(struct vitrail_capture *capture, struct vitrail_capture_info *out);

enum vitrail_event_type {
    VITRAIL_EVENT_END,       /* no more events */
    VITRAIL_EVENT_MEMORY,    /* bytes that must be in guest memory before what follows */
    VITRAIL_EVENT_REGISTER,  /* a register write */
    VITRAIL_EVENT_IRQ_REPLY, /* a register write made inside the IRQ handler, in answer to the interrupt that
                                the last REGISTER raised: to be made there, too, while the cause is pending */
    VITRAIL_EVENT_FRAME,     /* a picture is complete: vitrail_capture_frame describes it */
};

struct vitrail_event {
    size_t size;            /* of this structure, in the caller's header */
    uint32_t type;          /* enum vitrail_event_type; what does not belong to it is zero */
    uint32_t offset, value; /* REGISTER, IRQ_REPLY */
    uint64_t address;       /* MEMORY: guest address */
    const void *bytes;      /* MEMORY: owned by the capture, valid until its next event is read */
    size_t count;           /* MEMORY: bytes */
};

/* Reads the next event. At the end it gives VITRAIL_EVENT_END again and again. May be called from the IRQ
 * callback of a context. Returns 0; -EBADMSG: damaged, with the byte named; -EINVAL: out->size is too small.
 */
VITRAIL_API int vitrail_capture_next(struct vitrail_capture *capture, struct vitrail_event *out);

/* The frame of the event that was read last. Returns 0; -ENODATA: it was no VITRAIL_EVENT_FRAME; -EINVAL:
 * out->size is too small. */
VITRAIL_API int vitrail_capture_frame(struct vitrail_capture *capture, struct vitrail_frame *out);

#define VITRAIL_PLAY_PRESENTED (1u << 0) /* stop only at frames that were shown on a display */

/* Plays events on a context up to and including the next frame mark, answering interrupts as they were
 * (the context's IRQ callback is called besides). Jobs are done inside; other threads' calls get -EBUSY
 * meanwhile, and so does this one while a job waits for the host. Guest faults do not stop it. `flags`:
 * VITRAIL_PLAY_*. Returns 1 with *frame (its size set by the caller) when a frame is complete: read it
 * before the next call; 0 at the end; -ENOTSUP: the capture is of another GPU; -ENOSPC: it needs more
 * guest memory than the context has; -EBADMSG: damaged; -EINVAL: unknown flags. A capture begins with
 * zeroed memory and a fresh device. */
VITRAIL_API int vitrail_capture_play(struct vitrail_capture *capture, struct vitrail_context *context,
                                     uint32_t flags, struct vitrail_frame *frame);

/* Back to the first event. Together with vitrail_reset(context, VITRAIL_RESET_MEMORY) it can be played again.
 * Returns 0. */
VITRAIL_API int vitrail_capture_rewind(struct vitrail_capture *capture);

#ifdef __cplusplus
}
#endif

#endif
