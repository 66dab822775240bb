#include "config.h"

#include "strategy/service/backlog.h"

#include <stdlib.h>
#include <string.h>

bool backlog_add(struct backlog *backlog, const unsigned char *bytes, size_t n)
{
    struct backlog_bytes *waiting = &backlog->waiting;
    if (waiting->n + n > waiting->room) {
        size_t room = 2 * waiting->n + n; /* so that it is seldom moved */
        unsigned char *at = realloc(waiting->at, room);
        if (at == NULL)
            return false;
        waiting->at = at;
        waiting->room = room;
    }
    memcpy(waiting->at + waiting->n, bytes, n);
    waiting->n += n;
    return true;
}

void backlog_next(struct backlog *backlog)
{
    struct backlog_bytes answered = backlog->now;
    backlog->now = backlog->waiting;
    backlog->waiting = answered;
    backlog->waiting.n = 0;
}

void backlog_free(struct backlog *backlog)
{
    free(backlog->now.at);
    free(backlog->waiting.at);
}
