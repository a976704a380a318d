/* What the files of a world share: its ports, each in the file that the comment names. Internal to
 * gpu/mali/world*.c; what they are stands in isa/midgard/ports.h. */
#ifndef VITRAIL_GPU_MALI_WORLD_INTERNAL_H
#define VITRAIL_GPU_MALI_WORLD_INTERNAL_H

#include "gpu/mali/format.h"
#include "gpu/mali/world.h"

/* world_attribute.c */
bool mali_port_attribute(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint32_t out[4][16],
                         struct isa_place *place);
bool mali_port_store_varying(void *ctx, const struct isa_attribute *a, uint16_t lanes,
                             const uint32_t value[4][16], struct isa_place *place);
bool mali_port_pack(void *ctx, bool unpack, enum isa_type type, uint32_t format, const uint32_t in[4][16],
                    uint16_t lanes, uint32_t out[4][16], struct isa_place *place);

/* world_image.c */
bool mali_port_image(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint32_t out[4][16],
                     struct isa_place *place);
bool mali_port_store_image(void *ctx, const struct isa_attribute *a, uint16_t lanes,
                           const uint32_t value[4][16], struct isa_place *place);
bool mali_port_image_address(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint64_t out[16],
                             struct isa_place *place);

/* world_memory.c */
/* Memory that a thread reads or stores to (`rights`, one of both if others may run): mali_at, where speculation
 * lets it. */
uint8_t *mali_port_at(struct mali_threads *threads, uint64_t address, uint32_t bytes, uint32_t rights,
                      const char *what, struct mali_stop *stop);
bool mali_port_uniform(void *ctx, const uint32_t buffer[16], const uint32_t offset[16], unsigned bytes,
                       uint16_t lanes, uint32_t out[4][16], struct isa_place *place);
bool mali_port_load(void *ctx, const struct isa_access *a, uint16_t lanes, uint32_t out[4][16],
                    struct isa_place *place);
bool mali_port_store(void *ctx, const struct isa_access *a, uint16_t lanes, const uint32_t value[4][16],
                     struct isa_place *place);
bool mali_port_atomic(void *ctx, const struct isa_access *a, uint16_t lanes, const uint32_t value[2][16],
                      const uint32_t compare[2][16], uint32_t out[2][16], struct isa_place *place);
void mali_port_argument(void *ctx, enum midgard_argument which, uint32_t out[4][16]);

/* world_warp.c: ports of Bifrost's and Valhall's programs. */
void mali_threads_begin_warp(struct mali_threads *threads);

/* world_texture.c */
void mali_port_cube(void *ctx, const uint32_t direction[3][16], uint32_t out[2][16]);
/* A request's lanes as the sampler takes them; of a zeroed struct. */
void mali_texture_lanes(const struct isa_texture_request *r, struct raster_lookup_lanes *in);
bool mali_port_texture(void *ctx, const struct isa_texture_request *r, uint16_t lanes, uint32_t out[4][16],
                       struct isa_place *place);

#endif
