/* What this machine can do at most: a line "name value" each, in millions a second, on as many threads at
 * once as asked for.
 *
 *   limits THREADS
 *
 * Multiplications and additions are counted separately and are not fused: guest arithmetic must not be. Each
 * loop works on its own memory, of the size that the name says, and is the widest that the processor has.
 */
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TILE = 64 * 64, FRAME = 1280 * 720, GATHERS = 4096, ROUNDS = 4096, MOST_THREADS = 16 };
#define WIDE  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"), noinline))
#define AVX2  __attribute__((target("avx2"), noinline))
#define MEGA  1e-6
#define BYTES (16u << 20)

/* The memory and the parameters of a loop, a thread's own. */
struct work {
    uint32_t *memory;
    int32_t index[GATHERS]; /* texels, within the size asked for */
    float sink;
};

static volatile float opaque = 1.0f;

/* Independent chains of operations, to hide their latency: as many as registers hold. */
#define CHAINS(X)      X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define MORE_CHAINS(X) CHAINS(X) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)
enum { CHAIN_COUNT = 12, MORE_CHAIN_COUNT = 24 };

WIDE static double multiply_add_512(struct work *w)
{
    __m512 k = _mm512_set1_ps(opaque), c[MORE_CHAIN_COUNT];
    for (int i = 0; i < MORE_CHAIN_COUNT; i++)
        c[i] = k;
    for (int r = 0; r < ROUNDS; r++) {
#define STEP(i) c[i] = _mm512_add_ps(_mm512_mul_ps(c[i], k), k);
        MORE_CHAINS(STEP)
#undef STEP
    }
    for (int i = 1; i < MORE_CHAIN_COUNT; i++)
        c[0] = _mm512_add_ps(c[0], c[i]);
    w->sink += _mm512_cvtss_f32(c[0]);
    return 2. * 16 * MORE_CHAIN_COUNT * ROUNDS;
}

AVX2 static double multiply_add_256(struct work *w)
{
    __m256 k = _mm256_set1_ps(opaque), c[CHAIN_COUNT];
    for (int i = 0; i < CHAIN_COUNT; i++)
        c[i] = k;
    for (int r = 0; r < ROUNDS; r++) {
#define STEP(i) c[i] = _mm256_add_ps(_mm256_mul_ps(c[i], k), k);
        CHAINS(STEP)
#undef STEP
    }
    for (int i = 1; i < CHAIN_COUNT; i++)
        c[0] = _mm256_add_ps(c[0], c[i]);
    w->sink += _mm256_cvtss_f32(c[0]);
    return 2. * 8 * CHAIN_COUNT * ROUNDS;
}

WIDE static double divide_512(struct work *w)
{
    __m512 k = _mm512_set1_ps(opaque), c[CHAIN_COUNT];
    for (int i = 0; i < CHAIN_COUNT; i++)
        c[i] = k;
    for (int r = 0; r < ROUNDS; r++) {
#define STEP(i) c[i] = _mm512_div_ps(k, c[i]);
        CHAINS(STEP)
#undef STEP
    }
    for (int i = 1; i < CHAIN_COUNT; i++)
        c[0] = _mm512_add_ps(c[0], c[i]);
    w->sink += _mm512_cvtss_f32(c[0]);
    return 16. * CHAIN_COUNT * ROUNDS;
}

AVX2 static double divide_256(struct work *w)
{
    __m256 k = _mm256_set1_ps(opaque), c[CHAIN_COUNT];
    for (int i = 0; i < CHAIN_COUNT; i++)
        c[i] = k;
    for (int r = 0; r < ROUNDS; r++) {
#define STEP(i) c[i] = _mm256_div_ps(k, c[i]);
        CHAINS(STEP)
#undef STEP
    }
    for (int i = 1; i < CHAIN_COUNT; i++)
        c[0] = _mm256_add_ps(c[0], c[i]);
    w->sink += _mm256_cvtss_f32(c[0]);
    return 8. * CHAIN_COUNT * ROUNDS;
}

static double fill_tile(struct work *w)
{
    for (int r = 0; r < 16; r++) {
        memset(w->memory, (int)opaque + r, TILE * 4);
        __asm__ volatile("" ::: "memory");
    }
    return 16. * TILE;
}

/* Source over destination with a constant colour: d + (s - d) * a, products in 16 bits divided by 256,
 * rounded. */
WIDE static double blend_tile_512(struct work *w)
{
    __m512i alpha = _mm512_set1_epi16((short)(opaque * 77)), rest = _mm512_set1_epi16((short)(opaque * 179));
    __m512i source =
        _mm512_add_epi16(_mm512_mullo_epi16(alpha, _mm512_set1_epi16(200)), _mm512_set1_epi16(128));
    __m512i zero = _mm512_setzero_si512();
    for (int r = 0; r < 4; r++) {
        for (int i = 0; i < TILE; i += 16) {
            __m512i d = _mm512_load_si512(w->memory + i);
            __m512i low = _mm512_mullo_epi16(_mm512_unpacklo_epi8(d, zero), rest);
            __m512i high = _mm512_mullo_epi16(_mm512_unpackhi_epi8(d, zero), rest);
            low = _mm512_srli_epi16(_mm512_add_epi16(low, source), 8);
            high = _mm512_srli_epi16(_mm512_add_epi16(high, source), 8);
            _mm512_store_si512(w->memory + i, _mm512_packus_epi16(low, high));
        }
        __asm__ volatile("" ::: "memory");
    }
    return 4. * TILE;
}

AVX2 static double blend_tile_256(struct work *w)
{
    __m256i alpha = _mm256_set1_epi16((short)(opaque * 77)), rest = _mm256_set1_epi16((short)(opaque * 179));
    __m256i source =
        _mm256_add_epi16(_mm256_mullo_epi16(alpha, _mm256_set1_epi16(200)), _mm256_set1_epi16(128));
    __m256i zero = _mm256_setzero_si256();
    for (int r = 0; r < 4; r++) {
        for (int i = 0; i < TILE; i += 8) {
            __m256i *at = (__m256i *)(w->memory + i), d = _mm256_load_si256(at);
            __m256i low = _mm256_mullo_epi16(_mm256_unpacklo_epi8(d, zero), rest);
            __m256i high = _mm256_mullo_epi16(_mm256_unpackhi_epi8(d, zero), rest);
            low = _mm256_srli_epi16(_mm256_add_epi16(low, source), 8);
            high = _mm256_srli_epi16(_mm256_add_epi16(high, source), 8);
            _mm256_store_si256(at, _mm256_packus_epi16(low, high));
        }
        __asm__ volatile("" ::: "memory");
    }
    return 4. * TILE;
}

WIDE static double gather_512(struct work *w)
{
    __m512i sum = _mm512_setzero_si512();
    for (int i = 0; i < GATHERS; i += 16)
        sum = _mm512_xor_si512(sum, _mm512_i32gather_epi32(_mm512_loadu_si512(w->index + i), w->memory, 4));
    w->sink += _mm512_reduce_add_epi32(sum);
    return GATHERS;
}

AVX2 static double gather_256(struct work *w)
{
    __m256i sum = _mm256_setzero_si256();
    for (int i = 0; i < GATHERS; i += 8)
        sum = _mm256_xor_si256(sum, _mm256_i32gather_epi32((const int *)w->memory,
                                                           _mm256_loadu_si256((__m256i *)(w->index + i)), 4));
    w->sink += _mm256_extract_epi32(sum, 0);
    return GATHERS;
}

static double fill_frame(struct work *w)
{
    memset(w->memory, (int)opaque, FRAME * 4);
    __asm__ volatile("" ::: "memory");
    return FRAME;
}

AVX2 static double stream_frame(struct work *w)
{
    __m256i colour = _mm256_set1_epi32((int)opaque);
    for (int i = 0; i < FRAME; i += 8)
        _mm256_stream_si256((__m256i *)(w->memory + i), colour);
    _mm_sfence();
    return FRAME;
}

/* Bytes read of 8 MiB, what the vertices and indices of some hundred thousand triangles take. */
AVX2 static double read_memory(struct work *w)
{
    enum { WORDS = 2 << 20 };
    __m256i sum[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                      _mm256_setzero_si256()};
    for (int i = 0; i < WORDS; i += 32)
        for (int k = 0; k < 4; k++)
            sum[k] = _mm256_xor_si256(sum[k], _mm256_load_si256((__m256i *)(w->memory + i + 8 * k)));
    w->sink += _mm256_extract_epi32(
        _mm256_xor_si256(_mm256_xor_si256(sum[0], sum[1]), _mm256_xor_si256(sum[2], sum[3])), 0);
    return WORDS * 4.;
}

/* wide: with AVX-512, narrow: without; NULL: the other one is used. A gather's texels fill so many bytes. */
static const struct limit {
    const char *name;
    double (*wide)(struct work *), (*narrow)(struct work *);
    uint32_t bytes;
} limits[] = {
    {"multiply_add", multiply_add_512, multiply_add_256, 0},
    {"multiply_add_avx2", NULL, multiply_add_256, 0},
    {"divide", divide_512, divide_256, 0},
    {"tile_fill", NULL, fill_tile, 0},
    {"tile_blend", blend_tile_512, blend_tile_256, 0},
    {"gather_16k", gather_512, gather_256, 16 << 10},
    {"gather_256k", gather_512, gather_256, 256 << 10},
    {"gather_1m", gather_512, gather_256, 1 << 20},
    {"gather_4m", gather_512, gather_256, 4 << 20},
    {"frame_fill", NULL, fill_frame, 0},
    {"frame_stream", NULL, stream_frame, 0},
    {"read_8m", NULL, read_memory, 0},
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static pthread_barrier_t together;

struct thread {
    pthread_t id;
    double (*loop)(struct work *);
    uint32_t bytes;
    double best; /* units a second */
};

static void prepare(struct work *w, uint32_t bytes)
{
    uint32_t random = 1;

    for (uint32_t i = 0; i < BYTES / 4; i++)
        w->memory[i] = i;
    for (int i = 0; bytes && i < GATHERS; i++) {
        random = random * 1664525u + 1013904223u;
        w->index[i] = (int32_t)((random >> 8) % (bytes / 4));
    }
}

/* The best of half a second, in short pieces: others use the machine too. */
static void *run(void *opaque_thread)
{
    struct thread *t = opaque_thread;
    struct work *w = calloc(1, sizeof *w);

    if (!w || !(w->memory = aligned_alloc(64, BYTES)))
        abort();
    prepare(w, t->bytes);
    for (int r = 0; r < 26; r++) {
        double units = 0, started, took;
        pthread_barrier_wait(&together);
        started = seconds();
        do
            units += t->loop(w);
        while ((took = seconds() - started) < 0.02);
        if (r && units / took > t->best) /* the first warms up */
            t->best = units / took;
    }
    opaque = w->sink == 0.5f ? 2.0f : opaque;
    free(w->memory);
    free(w);
    return NULL;
}

int main(int count, char **arguments)
{
    int threads = count == 2 ? atoi(arguments[1]) : 0;
    int wide = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    struct thread all[MOST_THREADS];

    if (threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "Usage: limits THREADS (1 to %d)\n", MOST_THREADS);
        return 2;
    }
    if (!__builtin_cpu_supports("avx2")) {
        fprintf(stderr, "limits: needs AVX2\n");
        return 5;
    }
    pthread_barrier_init(&together, NULL, threads);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        double sum = 0;
        for (int t = 0; t < threads; t++) {
            all[t] = (struct thread){.loop = wide && limits[i].wide ? limits[i].wide : limits[i].narrow,
                                     .bytes = limits[i].bytes};
            if (pthread_create(&all[t].id, NULL, run, &all[t]))
                abort();
        }
        for (int t = 0; t < threads; t++) {
            pthread_join(all[t].id, NULL);
            sum += all[t].best;
        }
        printf("%s %.1f\n", limits[i].name, sum * MEGA);
    }
    return 0;
}
