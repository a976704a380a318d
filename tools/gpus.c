#include "gpu/families.h"
#include "isa/sets.h"
#include "tools/json.h"
#include "tools/tool.h"
#include "util/bits.h"

#include <stddef.h>
#include <stdio.h>

/* `vitrail gpus`: what this build emulates, for people and for scripts. */

struct options {
    bool json;
};

static const struct tool_option rows[] = {
    {.name = "json",
     .help = "print GPUs, instruction sets and vector levels as JSON",
     .at = offsetof(struct options, json)},
    {0},
};

const struct tool_command tool_command_gpus = {
    .name = "gpus",
    .summary = "list the GPUs that can be emulated",
    .text = "Lists the GPUs that can be emulated, their drivers, the instruction sets of their programs, "
            "and this machine's vector levels.",
    .examples = "  vitrail gpus\n"
                "  vitrail gpus --json | jq -r '.gpus[].name'\n",
    .options = {{rows, 0}},
    .takes = {"argument", 0, 0},
    .main = tool_gpus,
};

/* Machines whose programs the client is built for. */
static const char *const machines[] = {"arm64", "armhf", "amd64"};

static void print_text(void)
{
    const struct gpu_info *gpu;
    const struct isa_set *set;
    printf("%-8s %-32s %-8s %s\n", "name", "GPU", "driver", "guest programs");
    for (unsigned n = 0; (gpu = gpu_info_at(n)); n++) {
        printf("%-8s %-32s %-8s ", gpu->name, gpu->title, gpu->driver ? gpu->driver : "none");
        for (unsigned m = 0; gpu->driver && m < UTIL_ARRAY_SIZE(machines); m++)
            printf("%s%s", m ? ", " : "", machines[m]);
        printf("\n");
    }
    printf("\ninstruction sets:");
    for (unsigned n = 0; (set = isa_set_at(n)); n++)
        printf(" %s", set->name);
    printf("\nhost vector levels:");
    for (int l = 0; l < JIT_LEVEL_COUNT; l++)
        if (jit_level_supported((enum jit_level)l))
            printf(" %s", jit_level_name((enum jit_level)l));
    printf("\n");
}

static void print_gpu(struct json *json, const struct gpu_info *gpu)
{
    json_open_object(json, NULL);
    json_string(json, "name", gpu->name);
    json_string(json, "title", gpu->title);
    if (gpu->driver)
        json_string(json, "driver", gpu->driver);
    json_hold_array(json, "machines");
    for (unsigned m = 0; gpu->driver && m < UTIL_ARRAY_SIZE(machines); m++)
        json_string(json, NULL, machines[m]);
    json_end(json);
    json_end(json);
}

static void print_set(struct json *json, const struct isa_set *set)
{
    json_open_object(json, NULL);
    json_string(json, "name", set->name);
    json_string(json, "title", set->description);
    json_string(json, "counts", set->counts);
    json_uint(json, "word_bytes", set->word_bytes);
    json_boolean(json, "executes", set->create);
    json_hold_array(json, "stages");
    for (unsigned n = 1; set->stages[n]; n++)
        json_string(json, NULL, set->stages[n]);
    json_end(json);
    json_end(json);
}

static int print_json(void)
{
    const struct gpu_info *gpu;
    const struct isa_set *set;
    struct json json;
    json_begin(&json, stdout);
    json_open_object(&json, NULL);
    json_open_array(&json, "gpus");
    for (unsigned n = 0; (gpu = gpu_info_at(n)); n++)
        print_gpu(&json, gpu);
    json_end(&json);
    json_open_array(&json, "sets");
    for (unsigned n = 0; (set = isa_set_at(n)); n++)
        print_set(&json, set);
    json_end(&json);
    json_hold_array(&json, "levels");
    for (int l = 0; l < JIT_LEVEL_COUNT; l++)
        if (jit_level_supported((enum jit_level)l))
            json_string(&json, NULL, jit_level_name((enum jit_level)l));
    json_end(&json);
    return json_end(&json);
}

int tool_gpus(int argc, char **argv)
{
    struct options options = {0};
    struct tool_operands none;
    int code = tool_parse(&tool_command_gpus, argc, argv, &options, &none);
    if (code)
        return code < 0 ? TOOL_OK : code;
    if (!options.json)
        print_text();
    else if (print_json())
        return tool_error("gpus", TOOL_HOST, "out of memory");
    return TOOL_OK;
}
