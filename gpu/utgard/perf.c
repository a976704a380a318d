#include "gpu/utgard/perf.h"

#include "gpu/utgard/device_internal.h"
#include "gpu/utgard/frame.h"
#include "util/bits.h"

static const struct {
    bool pp;
    uint32_t source;
} events[UTGARD_EVENT_COUNT] = {
#define BLOCK_GP                         false
#define BLOCK_PP                         true
#define EVENT(block, source, name, what) {BLOCK_##block, source},
#include "gpu/utgard/perf.inc"
#undef EVENT
};

/* Offsets of a counter's registers, and its interrupt; limit 0: the GP's second has none. */
struct place {
    uint32_t enable, source, value, limit, interrupt;
};
static const struct place places[2][UTGARD_PERF_COUNTERS] = {
    {{UTGARD_GP_PERF_CNT_0_ENABLE, UTGARD_GP_PERF_CNT_0_SRC, UTGARD_GP_PERF_CNT_0_VALUE,
      UTGARD_GP_PERF_CNT_0_LIMIT, UTGARD_BIT(GP, INT_RAWSTAT, PERF_CNT_0_LIMIT)},
     {UTGARD_GP_PERF_CNT_1_ENABLE, UTGARD_GP_PERF_CNT_1_SRC, UTGARD_GP_PERF_CNT_1_VALUE, 0,
      UTGARD_BIT(GP, INT_RAWSTAT, PERF_CNT_1_LIMIT)}},
    {{UTGARD_PP_PERF_CNT_0_ENABLE, UTGARD_PP_PERF_CNT_0_SRC, UTGARD_PP_PERF_CNT_0_VALUE,
      UTGARD_PP_PERF_CNT_0_LIMIT, UTGARD_BIT(PP, INT_RAWSTAT, PERF_CNT_0_LIMIT)},
     {UTGARD_PP_PERF_CNT_1_ENABLE, UTGARD_PP_PERF_CNT_1_SRC, UTGARD_PP_PERF_CNT_1_VALUE,
      UTGARD_PP_PERF_CNT_1_LIMIT, UTGARD_BIT(PP, INT_RAWSTAT, PERF_CNT_1_LIMIT)}}};

static const struct place *place_of(unsigned unit, unsigned counter)
{
    return &places[unit != 0][counter];
}

static uint32_t stored(const struct utgard_device *device, unsigned unit, uint32_t offset)
{
    return device->store[unit ? UTGARD_IP_PP0 + unit - 1 : UTGARD_IP_GP][offset / 4];
}

/* The event that a counter is set to; UTGARD_EVENT_COUNT when it has no row. */
static unsigned event_of(const struct utgard_device *device, unsigned unit, unsigned counter)
{
    uint32_t source = stored(device, unit, place_of(unit, counter)->source);
    unsigned event = 0;
    while (event < UTGARD_EVENT_COUNT && (events[event].pp != (unit != 0) || events[event].source != source))
        event++;
    return event;
}

static uint64_t total_of(const struct utgard_device *device, unsigned unit, unsigned event)
{
    switch (event) {
    case UTGARD_EVENT_COUNT: return 0;
    case UTGARD_EVENT_GP_VERTICES: return gpu_host_counters(&device->host)->vertices;
    case UTGARD_EVENT_GP_PRIMITIVES: return gpu_host_counters(&device->host)->primitives_in;
    default: return device->perf[unit].total[event];
    }
}

static uint32_t value_of(const struct utgard_device *device, unsigned unit, unsigned counter)
{
    const struct utgard_perf *perf = &device->perf[unit];
    if (!perf->counter[counter].on)
        return perf->counter[counter].held;
    uint64_t total = total_of(device, unit, event_of(device, unit, counter));
    return (uint32_t)(total - perf->counter[counter].base);
}

static void begin(struct utgard_device *device, unsigned unit, unsigned counter)
{
    unsigned event = event_of(device, unit, counter);
    struct gpu_fault fault;
    device->perf[unit].counter[counter].base = total_of(device, unit, event);
    device->perf[unit].counter[counter].told = false;
    if (event < UTGARD_EVENT_COUNT)
        return;
    gpu_fault_set(&fault, GPU_FAULT_UNSUPPORTED, "performance counter", place_of(unit, counter)->source,
                  "event 0x%02x of a %s is not counted: its counter stays 0",
                  stored(device, unit, place_of(unit, counter)->source), unit ? "PP" : "GP");
    gpu_host_fault(&device->host, &fault);
}

void utgard_perf_written(struct utgard_device *device, unsigned ip, uint32_t offset)
{
    unsigned unit = ip == UTGARD_IP_GP ? 0 : 1 + ip - UTGARD_IP_PP0;
    if (unit > UTGARD_MAX_PP)
        return;
    for (unsigned n = 0; n < UTGARD_PERF_COUNTERS; n++) {
        const struct place *place = place_of(unit, n);
        bool was = device->perf[unit].counter[n].on, on = stored(device, unit, place->enable) & 1;
        if (offset == place->enable && was && !on)
            device->perf[unit].counter[n].held = value_of(device, unit, n);
        device->perf[unit].counter[n].on = on;
        if (on && ((offset == place->enable && !was) || offset == place->source))
            begin(device, unit, n);
    }
}

void utgard_perf_reset(struct utgard_device *device, unsigned unit)
{
    for (unsigned n = 0; n < UTGARD_PERF_COUNTERS; n++) {
        device->perf[unit].counter[n].on = false;
        device->perf[unit].counter[n].held = 0;
    }
}

uint32_t utgard_perf_read(const struct utgard_device *device, unsigned unit, uint32_t offset)
{
    for (unsigned n = 0; n < UTGARD_PERF_COUNTERS; n++)
        if (offset == place_of(unit, n)->value)
            return value_of(device, unit, n);
    return 0;
}

/* The lists are read once more than they are drawn: few programs count. A list that cannot be read is told
 * of when it is drawn. */
void utgard_perf_tiles(struct utgard_device *device, unsigned pp, const struct gpu_space *space,
                       const struct gpu_tile *tiles, uint32_t count)
{
    static const uint8_t event[] = {[TILER_ITEM_TRIANGLE] = UTGARD_EVENT_PP_TRIANGLES,
                                    [TILER_ITEM_LINE] = UTGARD_EVENT_PP_LINES,
                                    [TILER_ITEM_POINT] = UTGARD_EVENT_PP_POINTS,
                                    [TILER_ITEM_RECTANGLE] = UTGARD_EVENT_PP_RECTANGLES};
    struct utgard_perf *perf = &device->perf[1 + pp];
    uint64_t budget = UTIL_MIN(device->options.packet_budget, (uint64_t)TILER_LIST_MOST);
    if (!perf->counter[0].on && !perf->counter[1].on)
        return;
    const struct gpu_tile_reader lists = gpu_tile_lists(space);
    for (uint32_t n = 0; n < count; n++) {
        struct tiler_cursor cursor = tiler_list_begin(tiles[n].list);
        struct tiler_item item;
        struct gpu_tile_state state;
        struct gpu_fault fault;
        for (; budget && lists.next(lists.ctx, &cursor, &item, &state, &fault); budget--) {
            if (item.kind == TILER_ITEM_END)
                break;
            if (item.kind != TILER_ITEM_STATE)
                perf->total[event[item.kind]]++;
        }
    }
}

void utgard_perf_limits(struct utgard_device *device)
{
    for (unsigned unit = 0; unit <= device->pp_count; unit++)
        for (unsigned n = 0; n < UTGARD_PERF_COUNTERS; n++) {
            const struct place *place = place_of(unit, n);
            uint32_t limit = place->limit ? stored(device, unit, place->limit) : 0;
            if (!device->perf[unit].counter[n].on || device->perf[unit].counter[n].told || !limit ||
                value_of(device, unit, n) < limit)
                continue;
            device->perf[unit].counter[n].told = true;
            if (unit)
                utgard_pp_raise(device, unit - 1, place->interrupt);
            else
                utgard_gp_raise(device, place->interrupt);
        }
}
