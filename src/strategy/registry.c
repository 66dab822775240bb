#include "config.h"

#include "strategy/registry.h"

#include <string.h>

/* One line a strategy. */
#define STRATEGIES(X)                                                                              \
    X(sysread)                                                                                     \
    X(pread)                                                                                       \
    X(readv)                                                                                       \
    X(fread)                                                                                       \
    X(fread_unlocked)                                                                              \
    X(getc)                                                                                        \
    X(getc_unlocked)                                                                               \
    X(fgets)                                                                                       \
    X(getline)                                                                                     \
    X(mmap)                                                                                        \
    X(mmap_populate)

#define DECLARE(name) extern const struct strategy strategy_##name;
STRATEGIES(DECLARE)

#define ROW(name) &strategy_##name,
static const struct strategy *const strategies[] = {STRATEGIES(ROW)};

const struct strategy *strategy_at(size_t index)
{
    return strategies[index];
}

size_t strategy_count(void)
{
    return sizeof strategies / sizeof strategies[0];
}

const struct strategy *strategy_find(enum family family, const char *name)
{
    for (size_t i = 0; i < strategy_count(); i++)
        if (strategies[i]->family == family && strcmp(strategies[i]->name, name) == 0)
            return strategies[i];
    return NULL;
}

unsigned strategy_group(const char *name)
{
    static const struct {
        const char *name;
        unsigned bits;
    } groups[] = {
        {"all", ~0u}, {"syscall", GROUP_SYSCALL}, {"stdio", GROUP_STDIO}, {"mapped", GROUP_MAPPED}};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (strcmp(groups[i].name, name) == 0)
            return groups[i].bits;
    return 0;
}
