/* What is written from the commands' rows (options.h) and the tables of GPUs and instruction sets, when
 * Vitrail is built: the completion, and the man page around what people wrote. */
#ifndef VITRAIL_TOOLS_TEXTS_H
#define VITRAIL_TOOLS_TEXTS_H

#include <stdio.h>

void texts_bash(FILE *out); /* completion */
void texts_fish(FILE *out);
void texts_zsh(FILE *out);
/* Copies the page, replacing in it
 *   a line @COMMANDS@           each command, with its own options
 *   a line @DEVICE_OPTIONS@     those of the commands that have a device, and @COMMON_OPTIONS@ everybody's
 *   a line @GPUS@, @SETS@       the GPUs, the instruction sets
 *   @VERSION@, @DRIVERS@        anywhere: the version, Mesa's drivers with commas between
 * Errors of the streams are the caller's to look for. */
void texts_man(FILE *page, FILE *out);

#endif
