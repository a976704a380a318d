/* The numbers of the capture format (gpu/capture.h), for its writer and its reader. */
#ifndef VITRAIL_GPU_CAPTURE_FORMAT_H
#define VITRAIL_GPU_CAPTURE_FORMAT_H

#include <stdint.h>

#define CAPTURE_MAGIC        "VITRAIL\n"
#define CAPTURE_HEADER_SIZE  48u /* without the command */
#define CAPTURE_COMMAND_MAX  255u
#define CAPTURE_GPU_MAX      15u
#define CAPTURE_CHUNK_MAGIC  0x4b4e4843u /* "CHNK" */
#define CAPTURE_CHUNK_HEADER 32u
#define CAPTURE_PAGE_ZERO    1u /* kind, in the low bits of a page's address */
#define CAPTURE_PAGE_KINDS   0xfffu
#define CAPTURE_FRAME_BYTES  32u
#define CAPTURE_FRAME_BYTES1 28u /* of version 1: an address of 32 bits */

enum { CAPTURE_CHUNK_EVENTS = 1, CAPTURE_CHUNK_END = 2 };

/* The header's checksum: of its first 40 bytes and the command. */
uint64_t capture_header_hash(const uint8_t *header, const uint8_t *command, uint32_t length);

#endif
