/* The numbers of the capture format (gpu/capture.h), for its writer and its reader. */
#ifndef VITRAIL_GPU_CAPTURE_FORMAT_H
#define VITRAIL_GPU_CAPTURE_FORMAT_H

#include <stdint.h>

#include "gpu/capture.h"
#include "raster/surface.h"

#define CAPTURE_MAGIC        "VITRAIL\n"
#define CAPTURE_HEADER_SIZE  48u /* without the command */
#define CAPTURE_COMMAND_MAX  255u
#define CAPTURE_GPU_MAX      15u
#define CAPTURE_CHUNK_MAGIC  0x4b4e4843u /* "CHNK" */
#define CAPTURE_CHUNK_HEADER 32u
#define CAPTURE_PAGE_ZERO    1u /* kind, in the low bits of a page's address */
#define CAPTURE_PAGE_KINDS   0xfffu
#define CAPTURE_FRAME_BYTES  32u

#define CAPTURE_EVENT_RESTART 5u  /* behind enum capture_event_type: how a restart point begins */
#define CAPTURE_RESTART_BYTES 17u /* of its first event, behind the type */
#define CAPTURE_INDEX_HEAD    20u
#define CAPTURE_INDEX_ENTRY   28u
#define CAPTURE_INDEX_MAX     ((CAPTURE_CHUNK_MAX - CAPTURE_INDEX_HEAD) / CAPTURE_INDEX_ENTRY)
#define CAPTURE_WITH_INDEX    3u /* the version from which files may have one */

enum { CAPTURE_CHUNK_EVENTS = 1, CAPTURE_CHUNK_END, CAPTURE_CHUNK_RESTART, CAPTURE_CHUNK_INDEX };
enum { CAPTURE_RESTART_FULL = 1 }; /* flags of a restart point */

/* The header's checksum: of its first 40 bytes and the command. */
uint64_t capture_header_hash(const uint8_t *header, const uint8_t *command, uint32_t length);

/* A frame mark as it stands in a file of the newest version, and out of one of any. False: its layout or
 * format has no number there. What a number means that no writer knows is UINT32_MAX, which is no picture. */
bool capture_frame_put(const struct capture_frame *frame, uint8_t to[CAPTURE_FRAME_BYTES]);
uint32_t capture_frame_bytes(uint32_t version);
void capture_frame_get(const uint8_t *from, uint32_t version, struct capture_frame *out);

#endif
