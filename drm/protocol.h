/* What the preloaded client and the server say to each other. Included by both, so nothing here depends on
 * the machine: fixed sizes, little-endian, no pointers.
 *
 * A process connects to a SOCK_SEQPACKET socket. Every message and reply has the size below; a message of
 * another size or kind ends the connection. A reply follows every message. With the reply to HELLO and to
 * FORK come the channel - memory shared by the two - and, with HELLO, the GPU's memory file and the page of
 * fences, in this order: memory, channel, fences.
 *
 * Ioctl arguments travel in the channel: the argument at DRM_CHANNEL_ARGUMENT, then copies of what its
 * pointers point to; pointers are replaced by offsets from DRM_CHANNEL_DATA. The server fetches each byte
 * once and trusts none.
 *
 * Ring: a client may also put its message into channel->message and count channel->asked up. The server looks
 * for a moment before it sleeps; when channel->asleep is set, the client sends a RING message, which has no
 * reply of its own. The answer is channel->reply, valid when channel->answered equals channel->asked; a
 * client that sleeps sets channel->waiting and waits on channel->answered with futex(2). Messages with
 * descriptors do not ring. */
#ifndef VITRAIL_DRM_PROTOCOL_H
#define VITRAIL_DRM_PROTOCOL_H

#include <stdint.h>

#define DRM_PROTOCOL_VERSION 5u
#define DRM_ENV_SOCKET       "VITRAIL_SOCKET" /* path of the socket */
#define DRM_ENV_ROOT         "VITRAIL_ROOT"   /* folder that holds the card's /dev and /sys */
#define DRM_PLATFORM_DEVICE  "/sys/devices/platform/vitrail-gpu"
#define DRM_INPUT_DEVICES    "/sys/devices/virtual/input"

/* The kernel's numbers of devices (Documentation/admin-guide/devices.txt), and as text of a path. */
#define DRM_NODE_MAJOR   226
#define DRM_MINOR_CARD   0u
#define DRM_MINOR_RENDER 128u
#define DRM_INPUT_MAJOR  13
#define DRM_INPUT_MINOR  64 /* of event0 */
#define DRM_AS_TEXT_(n)  #n
#define DRM_AS_TEXT(n)   DRM_AS_TEXT_(n)

enum drm_input_number {
    DRM_INPUT_KEYBOARD,
    DRM_INPUT_POINTER, /* says where it is, in pixels of the display's preferred mode */
    DRM_INPUT_MOUSE,   /* says how far it went */
    DRM_INPUT_COUNT
};

enum drm_message_type {
    DRM_MSG_HELLO = 1, /* a: DRM_PROTOCOL_VERSION. Reply: a: bytes of guest memory, b: bytes of the channel */
    DRM_MSG_OPEN,  /* a: minor. Reply: file, a: number in drm/drivers.inc, and the descriptor of its events */
    DRM_MSG_CLOSE, /* file: the process holds it no more */
    DRM_MSG_IOCTL, /* file, request; a descriptor comes or goes with the requests named below */
    DRM_MSG_MMAP,  /* file, a: offset, b: bytes, request: 1 when writable. Reply: result only */
    DRM_MSG_DMABUF, /* with a descriptor. Reply: a: offset, b: bytes; -EINVAL when it is none */
    DRM_MSG_FORK,   /* Reply: a connected socket and a channel for a child that inherits all files */
    DRM_MSG_ADOPT, /* with a descriptor that came of OPEN, in another process or before an exec. Reply: file, which
                       the process holds now, a: as OPEN, b: minor; of one that came of INPUT: file 0, b: the device;
                       -EINVAL when it is none */
    DRM_MSG_RING, /* look into the channel */
    DRM_MSG_INPUT, /* a: device (enum drm_input_number), b: bytes of a long. Reply: the descriptor of its events */
    DRM_MSG_INPUT_IOCTL, /* with a descriptor that came of INPUT; request, a: the argument where that is a number, else
                            it stands in the channel. Reply: result (it may be above 0), a: bytes of it that came back */
};

struct drm_message {
    uint32_t type; /* enum drm_message_type */
    uint32_t file, request, reserved;
    uint64_t a, b;
};

/* Bytes that the pipe of a node's events holds, twice what a file's unread events may be (a page that is read in
 * part takes nothing in); no pipe that holds more is a node. */
#define DRM_EVENT_PIPE 8192

struct drm_reply {
    int32_t result; /* 0 or -errno */
    uint32_t file;
    uint64_t a, b;
    uint64_t written; /* ioctls: end of the last byte written behind a pointer, from DRM_CHANNEL_DATA; or 0 */
};

#define DRM_CHANNEL_BYTES    (64u << 20) /* a sparse file: only what is used costs memory */
#define DRM_CHANNEL_DATA     4096u       /* offsets count from here; offset 0 is the null pointer */
#define DRM_CHANNEL_ARGUMENT 64u         /* from DRM_CHANNEL_DATA */
#define DRM_CHANNEL_POINTED  1024u       /* from DRM_CHANNEL_DATA: what pointers point to */

struct drm_channel {
    uint32_t asked, answered; /* counters; answered is a futex */
    uint32_t asleep;          /* the server: needs a RING message */
    uint32_t waiting;         /* the client: needs a futex wake */
    struct drm_message message;
    struct drm_reply reply;
};

/* The page of fences, which the server writes and all read: a wait for a job that is done needs no message,
 * another sleeps here. A fence is the number of a job. */
struct drm_fence_page {
    uint64_t finished; /* all jobs up to this number are done */
    uint32_t turn;     /* counts; a futex, woken whenever a job is done */
};

/* Ioctls with a descriptor in the word at byte 8 of the argument: PRIME and syncobj, in and out. It goes
 * beside the message; the number in the argument is the client's own, which the server neither reads nor
 * writes. */
#define DRM_PROTOCOL_FD_AT 8u
#define DRM_NR_PRIME_OUT   0x2du
#define DRM_NR_PRIME_IN    0x2eu
#define DRM_NR_SYNCOBJ_OUT 0xc1u
#define DRM_NR_SYNCOBJ_IN  0xc2u

static inline int drm_protocol_takes_fd(uint32_t request)
{
    return (request & 0xff) == DRM_NR_PRIME_IN || (request & 0xff) == DRM_NR_SYNCOBJ_IN;
}
static inline int drm_protocol_gives_fd(uint32_t request)
{
    return (request & 0xff) == DRM_NR_PRIME_OUT || (request & 0xff) == DRM_NR_SYNCOBJ_OUT;
}

/* Fence properties of atomic commits. Descriptors stay in the client's process: it waits for the one fence
 * before the commit, and makes a commit that gives the other blocking, so that it is signalled. The numbers
 * are checked against drm/kms/internal.h. */
#define DRM_PROP_IN_FENCE_FD   16u
#define DRM_PROP_OUT_FENCE_PTR 20u

/* Arguments that hold longs or size_t: how 64-bit processes see them, and so how all send them. */
struct drm_wire_version {
    int32_t major, minor, patchlevel;
    uint32_t pad;
    uint64_t name_length, name, date_length, date, description_length, description;
};
struct drm_wire_unique {
    uint64_t length, unique;
};
struct drm_wire_vblank { /* union drm_wait_vblank: request and reply share their places */
    uint32_t type, sequence;
    uint64_t signal_or_seconds, microseconds;
};

#endif
