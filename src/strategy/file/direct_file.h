/* Whether and how a file can be read with O_DIRECT. */
#ifndef IOBENCH_STRATEGY_FILE_DIRECT_FILE_H
#define IOBENCH_STRATEGY_FILE_DIRECT_FILE_H

#include "strategy/file/access.h"

#include <fcntl.h>

#ifndef O_DIRECT
#define O_DIRECT 0
#endif

/* No file system has larger blocks. */
enum { DIRECT_LARGEST_ALIGNMENT = 65536 };

/* What offsets and lengths must be multiples of in this file, which was opened with O_DIRECT; 0: it
 * cannot be read so. A buffer that begins at a page is aligned for every device; this one holds
 * DIRECT_LARGEST_ALIGNMENT bytes. */
size_t direct_alignment(int fd, unsigned char *buffer);

/* Fails with the reason when the file cannot be read with O_DIRECT in blocks of the task's size. */
int direct_suits(const struct task *task, struct err *err);

#endif
