/* What the files of a world share: its ports, each in the file that the comment names. Internal to
 * gpu/mali/world*.c; what they are stands in isa/midgard/ports.h. */
#ifndef VITRAIL_GPU_MALI_WORLD_INTERNAL_H
#define VITRAIL_GPU_MALI_WORLD_INTERNAL_H

#include "gpu/mali/format.h"
#include "gpu/mali/world.h"

/* An element of a buffer, or of an image, that a lane means. */
struct mali_texel {
    enum raster_format format;
    uint32_t order;   /* as of mali_reorder */
    uint32_t word;    /* format and order as a conversion word has them */
    uint64_t address; /* of its first byte; or the value itself */
    bool inside;      /* all of it stands in the buffer */
    bool constant;    /* MALI_FORMAT_CONSTANT: there are no bytes */
    bool is_number;   /* it is no memory: `address` is the value */
};

/* world_attribute.c */
/* With positions as who assembles primitives reads them. */
enum raster_format mali_world_format(enum mali_version version, uint32_t format, bool srgb);
bool mali_format_is_signed(enum raster_format format);
bool mali_port_attribute(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint32_t out[4][16],
                         struct isa_place *place);
bool mali_port_store_varying(void *ctx, const struct isa_attribute *a, uint16_t lanes,
                             const uint32_t value[4][16], struct isa_place *place);
bool mali_port_pack(void *ctx, bool unpack, enum isa_type type, uint32_t format, const uint32_t in[4][16],
                    uint16_t lanes, uint32_t out[4][16], struct isa_place *place);

/* The same of v6 and v7, one lane: false and *stop. */
bool mali_attribute_texel(const struct mali_threads *threads, const struct isa_attribute *a, unsigned lane,
                          struct mali_texel *out, struct mali_stop *stop);

/* world_image.c */
bool mali_image_texel(const struct mali_threads *threads, const struct isa_attribute *a, unsigned lane,
                      struct mali_texel *out, struct mali_stop *stop);
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
/* Where a uniform buffer stands, of how many bytes; none where there is none. False and *stop: it cannot be used. */
bool mali_world_buffer(const struct mali_world *world, uint32_t buffer, uint64_t *address, uint64_t *size,
                       struct mali_stop *stop);
bool mali_port_uniform(void *ctx, const uint32_t buffer[16], const uint32_t offset[16], unsigned bytes,
                       uint16_t lanes, uint32_t out[4][16], struct isa_place *place);
bool mali_port_load(void *ctx, const struct isa_access *a, uint16_t lanes, uint32_t out[4][16],
                    struct isa_place *place);
bool mali_port_store(void *ctx, const struct isa_access *a, uint16_t lanes, const uint32_t value[4][16],
                     struct isa_place *place);
bool mali_port_atomic(void *ctx, const struct isa_access *a, uint16_t lanes, const uint32_t value[2][16],
                      const uint32_t compare[2][16], uint32_t out[2][16], struct isa_place *place);
void mali_port_argument(void *ctx, enum midgard_argument which, uint32_t out[4][16]);

/* world_entry.c: what stands in v9's tables. */
/* By handle: the table in the uppermost eight bits, its number below. NULL and *stop: there is none of that type. */
const struct mali_resource_of *mali_world_entry(const struct mali_world *world, uint32_t handle,
                                                uint32_t type, struct mali_stop *stop);
/* An attribute by its handle: its format, its order as of mali_reorder, and its buffer as earlier versions have it; of a
 * constant there is none (MALI_ARRAY_NONE). NULL and *stop: it is not there, or not known. */
const struct mali_attribute_v9 *mali_world_attribute_v9(const struct mali_world *world, uint32_t handle,
                                                        struct mali_array *array, enum raster_format *format,
                                                        uint32_t *order, struct mali_stop *stop);
bool mali_attribute_texel_v9(const struct mali_threads *threads, const struct isa_attribute *a,
                             uint32_t instance, unsigned lane, struct mali_texel *out,
                             struct mali_stop *stop);
/* An image by its handle: format, order and word into *texel. False and *stop: it is not there, or not known. */
struct mali_image_v9 {
    const struct mali_view *view;
    uint32_t extent[3], bytes; /* of a texel */
    bool tiled, volume;
};
bool mali_world_image_v9(const struct mali_world *world, uint32_t handle, struct mali_texel *texel,
                         struct mali_image_v9 *out, struct mali_stop *stop);
/* The surface that has z: of a volume the only one, whose slices are so far apart. */
const struct mali_surface_stride *mali_image_surface_v9(const struct mali_image_v9 *image, uint32_t z);
bool mali_image_texel_v9(const struct mali_threads *threads, const struct isa_attribute *a, unsigned lane,
                         struct mali_texel *out, struct mali_stop *stop);

/* world_warp.c: ports of Bifrost's and Valhall's programs. */
void mali_threads_begin_warp(struct mali_threads *threads);
/* A cube's coordinates as mali_texture_lanes takes them. */
void mali_warp_cube(struct isa_texture_request *request);

/* world_warp_message.c */
/* The buffer of vertices that malloc vertex jobs shade: a name that all drivers give it, beyond all tables. */
#define MALI_VERTICES_HANDLE warp_handle(13, 0)
bool mali_port_message(void *ctx, const struct warp_message *m, uint16_t lanes,
                       uint32_t out[WARP_MESSAGE_WORDS][16], uint16_t *leave, struct isa_place *place);
/* What a conversion word says, which goes with addresses and colours. */
struct mali_conversion {
    enum raster_format format; /* of memory */
    uint32_t order;            /* as of mali_reorder */
    bool constant;             /* nothing is stored */
    struct mali_register_format in;
};
uint32_t mali_conversion_word(uint32_t format, bool srgb, uint32_t order);
/* That word as a program is given it that asks for an address: with its registers' format. */
uint32_t mali_conversion_word_asked(enum mali_version version, uint32_t word, enum raster_format format,
                                    const struct warp_asked *asked);
/* The register's format is the instruction's, or the word's where that leaves it open. False: it is not known. */
bool mali_conversion_read(enum mali_version version, uint32_t word, const struct warp_asked *asked,
                          struct mali_conversion *out);

/* world_texture.c */
void mali_port_cube(void *ctx, const uint32_t direction[3][16], uint32_t out[2][16]);
/* A request's lanes as the sampler takes them; of a zeroed struct. */
void mali_texture_lanes(const struct isa_texture_request *r, struct raster_lookup_lanes *in);
bool mali_port_texture(void *ctx, const struct isa_texture_request *r, uint16_t lanes, uint32_t out[4][16],
                       struct isa_place *place);

#endif
