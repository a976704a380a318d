/* Messages of a fixed size over a SOCK_SEQPACKET socket, each with at most one descriptor beside it. */
#ifndef VITRAIL_UTIL_MESSAGE_H
#define VITRAIL_UTIL_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

/* `fd`: stays the caller's; -1: none. False when the other end is gone. */
bool util_message_send(int socket, const void *message, uint32_t size, int fd);
/* *fd is the caller's, closed on exec; -1: none came. False when the other end is gone or sends another size, or when the
 * socket's own time (SO_RCVTIMEO) is over. */
bool util_message_receive(int socket, void *message, uint32_t size, int *fd);
/* Whether the process that made the connection's other end was of our user. */
bool util_message_ours(int socket);
/* That process's number, which may be another's by now; 0: not known. */
int util_message_peer(int socket);

#endif
