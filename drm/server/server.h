/* The server: one card, spoken to over a socket by the processes of one run. */
#ifndef VITRAIL_DRM_SERVER_SERVER_H
#define VITRAIL_DRM_SERVER_SERVER_H

#include "drm/drm.h"
#include "drm/input/input.h"

struct drm_server;

/* `listener`: a listening SOCK_SEQPACKET socket, borrowed; `drm`, `memory` and `input` (NULL: there are no such
 * devices) are borrowed until the server is destroyed. The process ignores SIGPIPE. 0, -ENOMEM, -EMFILE, -EAGAIN (no thread). */
int drm_server_create(int listener, struct drm *drm, struct gpu_memory *memory, struct drm_input *input,
                      struct drm_server **out);
/* Ends all connections, joins their threads. NULL is accepted. */
void drm_server_destroy(struct drm_server *server);

#endif
