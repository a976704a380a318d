/* A scene of `vitrail libresoc draw`: read, laid out, drawn; now and then by compiled programs, too, which gives the same bytes.
 *
 * Input: flags (1 byte: 1 and 2, if 4 is not set: compiled, too), the scene's text, then, behind a zero, the bytes of a file that scenes may
 * name as "own" beside those of tests/libresoc/draw. Mutations are of the JSON's tree: values become others, of their kind or not,
 * or go, or come twice. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/families.h"
#include "gpu/libresoc/regs.h"
#include "isa/random.h"
#include "tests/fuzz/engine.h"
#include "tools/libresoc_scene.h"
#include "util/bits.h"

enum { MEMORY = 4 << 20, MOST_TEXT = 1 << 16, NODES = 512 };
enum { COMPILED = 1 | 2, NOT_COMPILED = 4 };

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* ---- files ---- */

static char folder[] = "/tmp/vitrail-fuzz-scene-XXXXXX", scene_path[64], own_path[64];

static void forget(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command))
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char command[512];
    (void)argc;
    (void)argv;
    if (!mkdtemp(folder))
        abort();
    atexit(forget);
    snprintf(command, sizeof command, "cp %s/tests/libresoc/draw/*.s %s/tests/libresoc/draw/*.png %s",
             SOURCE_DIR, SOURCE_DIR, folder);
    if (system(command))
        abort();
    snprintf(scene_path, sizeof scene_path, "%s/scene.json", folder);
    snprintf(own_path, sizeof own_path, "%s/own", folder);
    return 0;
}

static void write_own(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(own_path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
        abort();
}

/* ---- drawing ---- */

/* What a fault says, "" of none. */
struct drawn {
    struct gpu_memory memory;
    char report[512];
};

static void draw(struct drawn *d, uint64_t record, struct jit_engine *engine)
{
    const struct gpu_options options = {
        .fuel = 500, .packet_budget = 1u << 14, .job_fuel = 1u << 16, .engine = engine};
    struct gpu_device gpu;
    struct gpu_fault fault;
    if (gpu_create("libresoc", &d->memory, &options, &gpu))
        abort();
    gpu_device_write(&gpu, LIBRESOC_RECORD_LOW, (uint32_t)record);
    gpu_device_write(&gpu, LIBRESOC_RECORD_HIGH, (uint32_t)(record >> 32));
    gpu_device_write(&gpu, LIBRESOC_COMMAND, LIBRESOC_BIT(COMMAND, START));
    if (gpu_host_faults(gpu.host, &fault, 1) && (!gpu_fault_format(&fault, d->report, sizeof d->report) ||
                                                 strncmp(d->report, "libresoc job 1, ", 16) != 0))
        abort();
    gpu_device_destroy(&gpu);
}

/* False: the text is no scene. */
static bool load_and_draw(struct drawn *d, const char *text, size_t size, struct jit_engine *engine)
{
    struct util_error error = {0};
    struct tool_scene scene;
    memset(d->report, 0, sizeof d->report);
    if (gpu_memory_create(MEMORY, &d->memory))
        abort();
    const int err = tool_scene_parse(scene_path, text, size, &d->memory, &scene, &error);
    if (err && (err > 0 || strncmp(error.text, scene_path, strlen(scene_path)) != 0))
        abort(); /* refused without a word */
    if (!err)
        draw(d, scene.record, engine);
    return !err;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct drawn expected, got;
    static char text[MOST_TEXT + 1];
    if (!size)
        return 0;
    const size_t length = UTIL_MIN(strnlen((const char *)bytes + 1, size - 1), (size_t)MOST_TEXT),
                 own = UTIL_MIN(length + 2, size);
    memcpy(text, bytes + 1, length);
    text[length] = 0;
    write_own(bytes + own, size - own);
    const bool drawn = load_and_draw(&expected, text, length, NULL);
    if (drawn && (bytes[0] & (COMPILED | NOT_COMPILED)) == COMPILED) {
        load_and_draw(&got, text, length, fuzz_engine());
        if (memcmp(expected.report, got.report, sizeof got.report) != 0 ||
            memcmp(expected.memory.base, got.memory.base, MEMORY) != 0)
            abort();
        gpu_memory_destroy(&got.memory);
    }
    gpu_memory_destroy(&expected.memory);
    return 0;
}

/* ---- mutation ---- */

/* A value in the tree, and where it hangs. */
struct node {
    struct json_object *in, *value;
    const char *key; /* in an object */
    size_t at;       /* in an array */
};

struct tree {
    struct node node[NODES];
    unsigned count;
};

static void collect(struct tree *tree, struct json_object *in)
{
    if (json_object_is_type(in, json_type_object)) {
        json_object_object_foreach(in, key, value)
        {
            if (tree->count < NODES)
                tree->node[tree->count++] = (struct node){in, value, key, 0};
            collect(tree, value);
        }
    } else if (json_object_is_type(in, json_type_array)) {
        for (size_t n = 0; n < json_object_array_length(in); n++) {
            struct json_object *value = json_object_array_get_idx(in, n);
            if (tree->count < NODES)
                tree->node[tree->count++] = (struct node){in, value, NULL, n};
            collect(tree, value);
        }
    }
}

static struct json_object *some_number(struct isa_random *random)
{
    static const int64_t whole[] = {-1,         0,          1,           2,         3,        4,
                                    7,          8,          40,          64,        255,      256,
                                    4096,       65535,      65536,       1 << 20,   4 << 20,  1 << 28,
                                    0x7fffffff, 0xffffffff, 0x100000000, INT64_MAX, INT64_MIN};
    static const double real[] = {0.5, -0.5, 1.5, 1e-40, 1e30, -1e30, 1e300, 16777217.0, 0.999999};
    return isa_random_one_in(random, 3)
               ? json_object_new_double(real[isa_random_below(random, UTIL_ARRAY_SIZE(real))])
               : json_object_new_int64(whole[isa_random_below(random, UTIL_ARRAY_SIZE(whole))]);
}

static struct json_object *some_word(struct isa_random *random)
{
    static const char *const words[] = {"",
                                        "own",
                                        "absent",
                                        "/own",
                                        "vertex.s",
                                        "fragment.s",
                                        "blend.s",
                                        "first_vertex.s",
                                        "bricks.png",
                                        "glass.png",
                                        "repeat",
                                        "R8G8B8A8_UNORM",
                                        "B5G6R5_UNORM",
                                        "R32G32_FLOAT",
                                        "R16G16B16A16_FLOAT",
                                        "points",
                                        "line loop",
                                        "triangle strip",
                                        "triangle fan",
                                        "u8",
                                        "u32",
                                        "greater",
                                        "always",
                                        "clockwise",
                                        "both"};
    return json_object_new_string(words[isa_random_below(random, UTIL_ARRAY_SIZE(words))]);
}

/* Another value: of the kind, a near number, one from elsewhere in the tree. */
static struct json_object *another(struct isa_random *random, const struct tree *tree,
                                   struct json_object *value)
{
    switch (isa_random_below(random, 6)) {
    case 0: return json_object_get(tree->node[isa_random_below(random, tree->count)].value);
    case 1: return json_object_new_boolean((int)isa_random_below(random, 2));
    case 2: return isa_random_one_in(random, 2) ? json_object_new_array() : json_object_new_object();
    default: break;
    }
    if (json_object_is_type(value, json_type_string))
        return some_word(random);
    if (json_object_is_type(value, json_type_int) && isa_random_one_in(random, 2))
        return json_object_new_int64(json_object_get_int64(value) / 2 + isa_random_below(random, 16));
    return some_number(random);
}

static void change(struct isa_random *random, struct tree *tree)
{
    const struct node *n = &tree->node[isa_random_below(random, tree->count)];
    const uint32_t what = isa_random_below(random, 8);
    struct json_object *value = NULL;
    /* What hangs in itself could not be printed: others are copied. */
    struct json_object *other = another(random, tree, n->value);
    if (json_object_deep_copy(other, &value, NULL))
        value = NULL;
    json_object_put(other);
    if (n->key && !what)
        json_object_object_del(n->in, n->key);
    else if (!n->key && what == 1)
        json_object_array_del_idx(n->in, n->at, 1);
    else if (!n->key && what == 2)
        json_object_array_add(n->in, json_object_get(value));
    else if (n->key)
        json_object_object_add(n->in, n->key, json_object_get(value));
    else
        json_object_array_put_idx(n->in, n->at, json_object_get(value));
    json_object_put(value);
}

/* The scene's text, mutated as a tree, of which the rest stays; 0: it is none, or has no room. */
static size_t mutate_tree(uint8_t *bytes, size_t size, size_t room, struct isa_random *random)
{
    static struct tree tree;
    static uint8_t rest[MOST_TEXT];
    const size_t length = size ? strnlen((const char *)bytes + 1, size - 1) : 0, behind = 1 + length;
    if (length == 0 || behind == size || size - behind > sizeof rest)
        return 0;
    struct json_object *scene = json_tokener_parse((const char *)bytes + 1); /* the zero is there */
    size_t made = 0;
    for (uint32_t n = 1 + isa_random_below(random, 3); scene && n; n--) {
        tree.count = 0;
        collect(&tree, scene);
        if (tree.count)
            change(random, &tree);
    }
    const char *text = scene ? json_object_to_json_string_ext(scene, JSON_C_TO_STRING_PLAIN) : NULL;
    const size_t text_size = text ? strlen(text) : 0;
    if (text && 1 + text_size + size - behind <= room) {
        memcpy(rest, bytes + behind, size - behind);
        memcpy(bytes + 1, text, text_size);
        memcpy(bytes + 1 + text_size, rest, size - behind);
        made = 1 + text_size + size - behind;
    }
    json_object_put(scene);
    return made;
}

/* Its own file's bytes alone. */
static size_t mutate_own(uint8_t *bytes, size_t size, size_t room)
{
    const size_t length = size ? strnlen((const char *)bytes + 1, size - 1) : 0, behind = 2 + length;
    return behind < size ? behind + LLVMFuzzerMutate(bytes + behind, size - behind, room - behind) : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
    struct isa_random random = {seed};
    const uint32_t way = isa_random_below(&random, 16);
    size_t made = 0;
    if (size && way == 0)
        bytes[0] = (uint8_t)isa_random_next(&random);
    if (way < 11)
        made = mutate_tree(bytes, size, room, &random);
    else if (way < 15)
        made = mutate_own(bytes, size, room);
    return made ? made : LLVMFuzzerMutate(bytes, size, room);
}
