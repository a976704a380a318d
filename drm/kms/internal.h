/* What the files of the display side share. Not for users.
 *
 * A display of the simplest kind: one connector, encoder, CRTC, primary plane and cursor, whose "scanout" is a
 * picture file or nothing. Without a clock (clock.c) what is committed is shown as soon as the jobs are done that
 * draw it, and programs run as fast as they are drawn. */
#ifndef VITRAIL_DRM_KMS_INTERNAL_H
#define VITRAIL_DRM_KMS_INTERNAL_H

#include <pthread.h>
#include <string.h>

#include <drm.h>
#include <drm_fourcc.h>
#include <drm_mode.h>

#include "drm/core/bo.h"
#include "drm/core/card.h"
#include "drm/core/driver.h"
#include "drm/core/handle.h"
#include "drm/core/user.h"
#include "drm/kms/kms.h"
#include "drm/protocol.h"

/* Object numbers: one space for the fixed objects, properties, framebuffers and blobs, as in the kernel. */
enum drm_kms_id {
    KMS_CRTC = 1,
    KMS_ENCODER,
    KMS_CONNECTOR,
    KMS_PLANE,
    KMS_PROP_TYPE,
    KMS_PROP_FB_ID,
    KMS_PROP_CRTC_ID,
    KMS_PROP_SRC_X,
    KMS_PROP_SRC_Y,
    KMS_PROP_SRC_W,
    KMS_PROP_SRC_H,
    KMS_PROP_CRTC_X,
    KMS_PROP_CRTC_Y,
    KMS_PROP_CRTC_W,
    KMS_PROP_CRTC_H,
    KMS_PROP_IN_FENCE_FD,
    KMS_PROP_IN_FORMATS,
    KMS_PROP_ACTIVE,
    KMS_PROP_MODE_ID,
    KMS_PROP_OUT_FENCE_PTR,
    KMS_PROP_DPMS,
    KMS_BLOB_IN_FORMATS,
    KMS_CURSOR,
    KMS_BLOB_CURSOR_FORMATS,
    KMS_FIRST_FREE = 32
};

_Static_assert(KMS_PROP_IN_FENCE_FD == DRM_PROP_IN_FENCE_FD &&
                   KMS_PROP_OUT_FENCE_PTR == DRM_PROP_OUT_FENCE_PTR,
               "the client knows these numbers");

struct drm_kms_object {
    enum { KMS_FIXED, KMS_FRAMEBUFFER, KMS_BLOB } type;
    uint32_t id, refs;
    struct drm_file *owner; /* NULL once closed */
};

struct drm_kms_fb {
    struct drm_kms_object object;
    struct drm_bo *bo;
    uint32_t width, height, pitch, offset, format; /* DRM_FORMAT_* */
    const struct drm_driver_layout *layout;
};

struct drm_kms_blob {
    struct drm_kms_object object;
    uint32_t size;
    uint8_t bytes[];
};

#define KMS_MODES 8

struct drm_kms_plane {
    struct drm_kms_fb *fb;
    uint32_t crtc;
    uint32_t src[4]; /* x, y, w, h in 16.16 */
    int32_t dst[4];  /* x, y, w, h */
};

/* All that atomic commits change. References to framebuffers are held by the state in use. */
struct drm_kms_state {
    struct drm_kms_plane primary, cursor;
    uint32_t connector_crtc;
    bool active;
    struct drm_mode_modeinfo mode;
    bool has_mode;
    uint32_t mode_blob;
};

/* What goes with a commit, and happens when it is shown. */
struct drm_kms_flip {
    uint64_t fence;        /* not before this one, nor before the jobs that draw the framebuffer */
    struct drm_file *file; /* gets an event, whose place is reserved; NULL: nobody does */
    uint64_t user_data;
};

struct drm_kms_vblank {
    uint64_t sequence, ns; /* CLOCK_MONOTONIC */
};

struct drm_kms_wish;
struct drm_kms_clock {
    uint32_t rate;  /* vblanks a second; 0: there is no clock */
    uint64_t start; /* ns, of vblank 0 */
    uint64_t
        flip_due; /* the vblank at which what is pending is shown; 0: its jobs are not done, or nothing is */
    struct drm_kms_wish *wishes;
    pthread_t thread;
    pthread_cond_t wake,
        ticked; /* for the thread: something else may be due; for all: something was delivered */
    bool running, stopping;
};

struct drm_kms {
    struct drm_ids objects;
    struct drm_mode_modeinfo mode[KMS_MODES];
    uint32_t mode_count;
    struct drm_kms_state state;
    struct drm_kms_flip flip; /* of the state, while it is not shown yet */
    bool pending;             /* it is not */
    struct drm_kms_fb
        *console; /* shown while no program shows its own; NULL when there was no memory for it */
    uint32_t dpms;
    uint64_t sequence; /* vblanks, where no clock counts them */
    struct drm_kms_clock clock;
    uint64_t frames;   /* presented */
    int frames_failed; /* -errno: pictures are handed over no more */
    uint16_t gamma[3][256];
};

/* ---- object.c ---- */
struct drm_kms_fb *drm_kms_fb_get(struct drm *drm, uint32_t id);
int drm_kms_fb_number(struct drm *drm, struct drm_kms_fb *fb); /* gives it its number. 0, -ENOMEM */
struct drm_kms_blob *drm_kms_blob_get(struct drm *drm, uint32_t id);
void drm_kms_object_put(struct drm *drm, struct drm_kms_object *object); /* NULL is accepted */
int drm_kms_blob_create(struct drm *drm, struct drm_file *owner, const void *bytes, uint32_t size,
                        uint32_t *id);
void drm_kms_count_shown(struct drm *drm, const struct drm_file *file); /* struct drm_display */
/* The driver's layout of a modifier; NULL: it has none such. */
const struct drm_driver_layout *drm_kms_layout_find(const struct drm *drm, uint64_t modifier);
/* Bytes a pixel of a format the plane knows; 0 when it does not. */
uint32_t drm_kms_format_bytes(uint32_t format);
enum { KMS_FORMATS = 5, KMS_CURSOR_FORMATS = 2, KMS_CURSOR_SIDE = 64 /* as the card's capabilities say */ };
extern const uint32_t drm_kms_formats[KMS_FORMATS];               /* that the primary plane knows, */
extern const uint32_t drm_kms_cursor_formats[KMS_CURSOR_FORMATS]; /* and the cursor */

/* ---- scanout.c ---- */
void drm_kms_present(struct drm *drm);

/* ---- state.c ---- */
void drm_kms_hold(const struct drm_kms_state *state); /* its framebuffers */
void drm_kms_let_go(struct drm *drm, const struct drm_kms_state *state);
uint64_t drm_kms_drawn(const struct drm_kms_state *state); /* the last job that draws them; 0: none */
/* Makes `next` the state in use, which is shown when its jobs are done; what was committed before is shown
 * (DRM_FLUSH). `flip` may be NULL. */
void drm_kms_commit(struct drm *drm, const struct drm_kms_state *next, const struct drm_kms_flip *flip);
int drm_kms_check_state(const struct drm_kms_state *state);                       /* 0, -EINVAL, -ENOSPC */
void drm_kms_set_rectangles(struct drm_kms_state *state, uint32_t x, uint32_t y); /* the whole of the mode */
extern const struct drm_display drm_kms_display;

/* ---- show.c ---- */
int drm_kms_reserve_event(struct drm_file *file); /* room for one of those below. 0 or -ENOMEM */
void drm_kms_cancel_event(struct drm_file *file);
/* The event of a vblank: of WAIT_VBLANK, or of CRTC_QUEUE_SEQUENCE (`of_crtc`). */
void drm_kms_tell_vblank(struct drm_file *file, const struct drm_kms_vblank *at, bool of_crtc,
                         uint64_t user_data);
void drm_kms_show(struct drm *drm, const struct drm_kms_vblank *at); /* what is pending */

/* ---- clock.c; locked, but for begin and end ---- */
#define DRM_KMS_PATIENCE                                                                                     \
    3u /* seconds that a program waits for a vblank at most, as in drm_vblank.c of the kernel */
int drm_kms_clock_begin(struct drm *drm, uint32_t rate); /* 0: no clock. 0, -EAGAIN (no thread) */
void drm_kms_clock_end(struct drm *drm);
struct drm_kms_vblank drm_kms_last_vblank(const struct drm_kms *kms);
/* Of a pending commit whose jobs are done: whether it is shown later, by the clock. */
bool drm_kms_clock_defers(struct drm_kms *kms);
/* Where there is a clock: an event at a vblank to come. 0, -ENOMEM. */
int drm_kms_wish_vblank(struct drm_file *file, uint64_t sequence, bool of_crtc, uint64_t user_data);
/* Likewise; both unlock the card meanwhile. 0, or -EBUSY after DRM_KMS_PATIENCE. */
int drm_kms_await_vblank(struct drm *drm, uint64_t sequence);
void drm_kms_await_shown(struct drm *drm);                                   /* until something was */
void drm_kms_clock_forget(struct drm_kms *kms, const struct drm_file *file); /* which is closed */

/* ---- console.c ---- */
int drm_kms_console_init(struct drm *drm); /* 0; a negative errno */
void drm_kms_console_show(struct drm *drm);

/* ---- fb.c ---- */
int drm_kms_blobs_init(struct drm *drm); /* the blobs of IN_FORMATS */
/* A framebuffer of a file's buffer; of an `owner` it is the one that is removed with it. 0, -EINVAL, -ENOENT, -ENOMEM. */
int drm_kms_fb_create(struct drm_file *file, const struct drm_kms_fb *wanted, uint32_t handle,
                      uint64_t modifier, struct drm_file *owner, struct drm_kms_fb **out);

/* ---- cursor.c ---- */
/* The older calls: at once, though what is shown is drawn with the next picture. */
int drm_kms_cursor(struct drm_file *file, void *argument, const struct drm_user *user);

/* ---- kms.c ---- */
bool drm_kms_mode_valid(const struct drm_mode_modeinfo *mode);
/* Writes `count` 32-bit values when the caller has room for all, and returns the count in *room. */
int drm_kms_put_ids(const struct drm_user *user, uint64_t to, uint32_t *room, const uint32_t *ids,
                    uint32_t count);

#endif
