# The cache, the order of blocks, single calls, the user's own commands, and what a strategy refuses.

load common

setup() {
    cd "$BATS_TEST_TMPDIR"
    seq 1 60000 >text
    SIZE=$(stat -c %s text)
}

teardown() { # as in common.bash, and the file in memory
    rm -f "/dev/shm/iobench-test-$$"
    [ ${#BACKGROUND[@]} = 0 ] || kill "${BACKGROUND[@]}" 2>/dev/null || true
    show_run
}

on_storage() {
    case $(stat -f -c %T .) in
    tmpfs | ramfs | overlayfs) skip 'needs a file system on storage' ;;
    esac
}

@test "every order of blocks has the bytes of the file, with threads too" {
    json read "${FASTER[@]}" --mode=pread,preadv2,mmap,io_uring -b 4k \
        --pattern=sequential,reverse,random --threads=1,3 text
    status_is 0
    holds 'all(.results[] | delivered; .verified == true)' '[.results[] | [.id, .status, .verified]]'
    holds "all(.results[] | delivered | .trials[]; .bytes == .passes * $SIZE)"
}

@test "a stride reads one block at each of its multiples" {
    json read "${FASTER[@]}" --mode=pread -b 1k --pattern=stride:64k text
    blocks=$(((SIZE + 65535) / 65536))
    holds "all(.results[0].trials[]; .calls == .passes * $blocks)" '.results[0].trials[0]'
    holds '.results[0].verified == true'
}

@test "a random order is another one for another seed, and verified all the same" {
    for seed in 1 2; do
        json read "${FASTER[@]}" --mode=pread -b 4k --pattern=random --seed=$seed text
        holds '.results[0].verified == true'
        query '.results[0].digest' >"digest-$seed"
    done
    refute cmp -s digest-1 digest-2
}

@test "a strategy that reads in sequence says so when another order is asked for" {
    json read "${FASTER[@]}" --mode=sysread,pread --pattern=random text
    status_is 3
    holds '.results[0].status == "skipped" and (.results[0].reason | test("sequence"))'
    holds '.results[1].verified == true'
}

@test "a cold trial is one pass that fetches the file from storage" {
    on_storage
    sync text
    json read --quick --rounds=3 --mode=sysread,mmap --cache=cold text
    status_is 0
    holds "all(.results[].trials[] | select(.warmup | not); .passes == 1 and .cache_drop_ns > 0
           and .storage_read_bytes >= $SIZE)" '[.results[].trials[]]'
}

@test "a warm case beside a cold one fetches nothing" {
    on_storage
    sync text
    json read --quick --rounds=4 --mode=sysread --cache=warm,cold text
    holds 'all(.results[0].trials[] | select(.warmup | not); .storage_read_bytes == 0)' \
        '[.results[0].trials[]]'
}

@test "what lives in memory cannot be cold, and says why" {
    grep -q " /dev/shm tmpfs " /proc/mounts || skip "no tmpfs"
    file=$(mktemp /dev/shm/iobench-test-XXXXXX)
    cp text "$file"
    json read --quick --rounds=1 --mode=sysread --cache=cold "$file"
    rm "$file"
    status_is 3
    says 'on tmpfs the page cache holds the only copy'
}

@test "every call is in the histogram" {
    json read "${FASTER[@]}" --mode=sysread,fread -b 4k --latency text
    holds 'all(.results[]; .latency.calls == ([.trials[] | select(.warmup | not) | .calls] | add))' \
        '[.results[] | [.latency.calls, (.trials[] | [.warmup, .calls])]]'
    holds 'all(.results[]; .latency.calls == ([.latency.buckets[][1]] | add)
           and .latency.p50_ns <= .latency.max_ns)'
    json read "${FASTER[@]}" --mode=sysread text
    holds '.results[0].latency == null'
}

@test "a command is a case of the same rounds, and its output can be verified" {
    json read --quick --rounds=3 --trial-time=1ms --mode=sysread --exec 'cat=cat {}' \
        --exec 'wc=wc -c < {}; cat {}' --exec-verify=cat,wc text
    status_is 3
    holds '[.results[] | [.mode, .kind, .status, .verified]] ==
        [["sysread", "strategy", "ok", true], ["cat", "exec", "ok", true],
         ["wc", "exec", "invalid", false]]' '[.results[] | [.mode, .kind, .status, .verified]]'
    holds "all(.results[1].trials[]; .passes == 1 and .bytes == $SIZE and .cpu_ns > 0)"
}

@test "a command without {} reads the file from standard input" {
    json read --quick --rounds=2 --trial-time=1ms --mode=sysread --exec 'cat=cat' --exec-verify=cat text
    status_is 0
    holds '.results[1].verified == true'
}

@test "a command with {block_size} is swept, another stands once" {
    json read --quick --rounds=2 --trial-time=1ms --mode=sysread -b 4k,8k \
        --exec 'dd=dd if={} bs={block_size} status=none' --exec 'cat=cat {}' text
    holds '[.results[].id] == ["read/sysread/block_size=4096", "read/sysread/block_size=8192",
        "read/dd/block_size=4096", "read/dd/block_size=8192", "read/cat"]' '[.results[].id]'
}

@test "a command that fails, dies, hangs or is missing fails alone, with the reason" {
    json read --quick --rounds=2 --trial-time=1ms --timeout=1s --mode=sysread \
        --exec 'fails=exit 7' --exec 'dies=kill -9 $$' --exec 'hangs=sleep 50' \
        --exec 'missing=no-such-command {}' text
    status_is 3
    holds '[.results[] | .status] == ["ok", "failed", "failed", "failed", "failed"]'
    holds '(.results[1].reason | test("status 7")) and (.results[2].reason | test("SIGKILL"))
        and (.results[3].reason | test("not done")) and (.results[4].reason | test("127"))' \
        '[.results[].reason]'
    refute pgrep -f 'sleep 50'
}

@test "what a command leaves running is ended" {
    json read --quick --rounds=1 --trial-time=1ms --mode=sysread --exec 'leaves=sleep 51 & cat {}' text
    holds '.results[1].status == "ok"'
    refute pgrep -f 'sleep 51'
}

@test "the output of a command goes where it was sent" {
    json read --quick --rounds=1 --trial-time=1ms --mode=sysread --exec 'cat=cat {}' \
        --exec-output=copy text
    cmp copy text
}

@test "direct names the alignment that the file system asks for" {
    on_storage
    json read "${FASTER[@]}" --mode=direct -b 1000 text
    status_is 3
    holds '.results[0].reason | test("multiple of")'
}

@test "a forbidden io_uring is skipped with the likely cause, and the rest is measured" {
    command -v strace >/dev/null || skip 'no strace'
    for error in EPERM ENOSYS; do
        UNDER=(strace -f -o /dev/null -e trace=io_uring_setup -e "inject=io_uring_setup:error=$error")
        json read "${FASTER[@]}" --mode=sysread,io_uring,io_uring-fixed,io_uring-sqpoll text
        status_is 3
        holds '.results[0].status == "ok" and all(.results[1:][]; .status == "skipped")'
        case $error in
        EPERM) cause='forbidden here, likely by the seccomp filter.*kernel.io_uring_disabled' ;;
        ENOSYS) cause='no io_uring: the kernel is too old' ;;
        esac
        holds "all(.results[1:][]; .reason | test(\"$cause\"))" '[.results[].reason]'
        holds '.errors | length == 3' .errors
        json read "${FASTER[@]}" --mode=all text
        status_is 0
        json read "${FASTER[@]}" text
        status_is 0
        holds '[.results[].mode] | index("io_uring") == null'
    done
}

@test "read errors in the middle end a case, and interrupted calls do not" {
    command -v strace >/dev/null || skip 'no strace'
    UNDER=(strace -f -o /dev/null -e trace=pread64 -e inject=pread64:error=EIO:when=5+50)
    json read "${FASTER[@]}" --mode=pread -b 4k text
    status_is 3
    holds '.results[0].status == "failed" and (.results[0].reason | test("Input/output error"))'
    UNDER=(strace -f -o /dev/null -e trace=pread64 -e inject=pread64:error=EINTR:when=5+50)
    json read "${FASTER[@]}" --mode=pread -b 4k text
    status_is 0
    holds '.results[0].verified == true'
}

@test "sizes make a model for each strategy, and no file stays" {
    mkdir made
    TMPDIR=$PWD/made json read "${FASTER[@]}" --sizes=4k,64k,256k --mode=sysread,mmap
    status_is 0
    holds '[.model[].mode] == ["sysread", "mmap"] and (.source.files | length) == 3'
    [ -z "$(ls made)" ]
    json read "${FASTER[@]}" --mode=sysread text
    holds '.model == null'
}

@test "sizes and files do not go together" {
    iobench read --sizes=4k text
    status_is 2
}

@test "a depth of 0 is refused" {
    iobench read --mode=io_uring --depth=0 text
    status_is 2
}

# --- what goes wrong in a call, made to happen

can_trace() {
    need strace
    strace -o /dev/null true 2>/dev/null || skip 'strace may not trace here'
}

# with_fault CALL WHEN ERROR OPTION...: a run in which, in each process, those calls fail that
# concern the file (or are handed to an io_uring, which names none).
with_fault() {
    local paths=(-P "$PWD/text" -P /dev/null)
    [ "$1" != io_uring_enter ] || paths=()
    can_trace
    UNDER=(strace -f -o /dev/null "${paths[@]}" -e "trace=$1" -e "inject=$1:error=$3:when=$2")
    json read --quick --rounds=1 --trial-time=100us "${@:4}" "$PWD/text"
    UNDER=()
}

# One line for each strategy here: its name and the call by which it reads.
READING_CALLS='pread pread64
preadv2 preadv2
readv readv
direct pread64
splice splice
sendfile sendfile
evbuffer readv
posix-aio pread64
io_uring io_uring_enter
io_uring-fixed io_uring_enter
io_uring-sqpoll io_uring_enter'

# each_reading DO: DO MODE CALL, for each of those that can be had here.
each_reading() {
    local mode call
    iobench list file
    cp "$OUT" listed
    while read -r mode call <&4; do
        grep -q "^  $mode  *unavailable" listed || "$1" "$mode" "$call"
    done 4<<<"$READING_CALLS"
}

@test "a call that is interrupted is made again, by every strategy that makes its own" {
    interrupted() {
        with_fault "$2" 1+2 EINTR --mode="$1" -b 16k
        status_is 0
        holds '.results[0] | .status == "ok" and (.verified == true or .params.consume == null)'
        holds "all(.results[0].trials[]; .bytes == .passes * $SIZE)" '.results[0].trials'
    }
    each_reading interrupted
}

@test "a read error ends its case with its name, whatever the strategy" {
    broken() {
        with_fault "$2" 2+ EIO --mode="$1" -b 16k
        status_is 3
        # splice and sendfile try before anything is measured
        holds '.results[0] | (.status == "failed" or .status == "skipped")
               and (.trials | all(.complete | not)) and (.reason | test("text.*Input/output error"))'
        holds '.errors | length == 1 and (.[0].code | IN("EIO", "source"))' .errors
    }
    each_reading broken
}

@test "stdio, which gives up at an interrupted call, is not taken for the end of the file" {
    for mode in fread getc fgets getline; do
        with_fault read 2 EINTR --mode=$mode
        status_is 3
        holds '.results[0] | .status == "failed" and (.reason | test("Interrupted"))'
    done
}

@test "a ring that is busy is asked again" {
    for error in EAGAIN EBUSY; do
        with_fault io_uring_enter 1+2 $error --mode=sysread,io_uring,io_uring-fixed -b 16k
        status_is 0
        holds 'all(.results[]; .verified == true)' '[.results[] | [.id, .status, .verified]]'
    done
}

@test "a standard input that would block is an error, not an end" {
    for mode in sysread readv fread getline evbuffer splice; do
        LAST_RUN="iobench read --mode=$mode - (which does not block)"
        "$PYTHON" - "$IOBENCH" read --json --quick --mode=$mode - >"$OUT" 2>"$ERR" <<'PYTHON'
import os, subprocess, sys
end, other = os.pipe()
os.set_blocking(end, False)
os.write(other, b"ab")
print(subprocess.run(sys.argv[1:], stdin=end).returncode, file=sys.stderr)
PYTHON
        equal "$(tail -n 1 "$ERR")" 3 'exit status'
        is_report "$OUT"
        holds '.results[0] | .status == "failed" and (.reason | test("temporarily unavailable"))'
    done
}

@test "calls that give less than they were asked for lose nothing, and are counted" {
    $CC -O1 -shared -fPIC -o short.so -x c - -ldl <<'C' || skip 'cannot build a library'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/uio.h>
#include <unistd.h>
/* Of more than 10,000 bytes, 7,001. */
#define FEWER(size) ((size) > 10000 ? 7001 : (size))
#define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
ssize_t read(int fd, void *to, size_t size)
{
    NEXT(read);
    return next(fd, to, FEWER(size));
}
ssize_t pread(int fd, void *to, size_t size, off_t at)
{
    NEXT(pread);
    return next(fd, to, FEWER(size), at);
}
ssize_t pread64(int fd, void *to, size_t size, off64_t at)
{
    NEXT(pread64);
    return next(fd, to, FEWER(size), at);
}
ssize_t readv(int fd, const struct iovec *to, int n)
{
    NEXT(readv);
    for (; n > 1 && to[0].iov_len == 0; n--)
        to++;
    struct iovec first = {to[0].iov_base, FEWER(to[0].iov_len)};
    return next(fd, &first, 1);
}
ssize_t preadv2(int fd, const struct iovec *to, int n, off_t at, int flags)
{
    NEXT(preadv2);
    struct iovec first = {to[0].iov_base, FEWER(to[0].iov_len)};
    return next(fd, &first, n > 0, at, flags);
}
ssize_t preadv64v2(int fd, const struct iovec *to, int n, off64_t at, int flags)
{
    NEXT(preadv64v2);
    struct iovec first = {to[0].iov_base, FEWER(to[0].iov_len)};
    return next(fd, &first, n > 0, at, flags);
}
C
    UNDER=(env LD_PRELOAD="$PWD/short.so")
    json read "${FASTER[@]}" --mode=sysread,pread,preadv2,readv -b 64k --threads=1,3 text
    status_is 0
    holds 'all(.results[]; .verified == true)' '[.results[] | [.id, .status, .verified]]'
    holds "all(.results[].trials[]; .bytes == .passes * $SIZE
               and .calls * 16384 >= .bytes and .short_calls * 16384 >= .bytes - 16384 * .passes)" \
        '[.results[] | [.id, (.trials[] | [.passes, .bytes, .calls, .short_calls])]]'
}

@test "splice through a pipe that cannot grow says how little a call moves" {
    $CC -O1 -shared -fPIC -o narrow.so -x c - -ldl <<'C' || skip 'cannot build a library'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
static int control(const char *name, int fd, int what, void *arg)
{
    int (*next)(int, int, ...);
    *(void **)&next = dlsym(RTLD_NEXT, name);
    if (what != F_SETPIPE_SZ)
        return next(fd, what, arg);
    errno = EPERM;
    return -1;
}
#define CONTROL(name) \
    int name(int fd, int what, ...) \
    { \
        va_list list; \
        va_start(list, what); \
        void *arg = va_arg(list, void *); \
        va_end(list); \
        return control(#name, fd, what, arg); \
    }
CONTROL(fcntl)
CONTROL(fcntl64)
C
    head -c 4194304 /dev/zero >four
    UNDER=(env LD_PRELOAD="$PWD/narrow.so")
    json read "${FASTER[@]}" --mode=splice -b 4M four
    status_is 0
    holds 'all(.results[0].trials[]; .bytes == .passes * 4194304)' '.results[0].trials'
    holds '.results[0].summary.bytes_per_call | .max <= 65536 and .min >= 4096' '.results[0].summary'
}

# --- the calls that are reported are those that are made

@test "every strategy makes the calls that it reports" {
    can_trace
    counted() { # each trial runs in a process of its own
        [ "$1" != posix-aio ] || return 0 # reports calls of the C library
        UNDER=(strace -f -q -s 0 -e trace="$2" -o trace)
        json read --quick --rounds=3 --trial-time=1ms --mode="$1" -b 16k text
        UNDER=()
        status_is 0
        awk -v call="$2" '$2 ~ "^" call "\\(" {n[$1]++} END {for (pid in n) print n[pid]}' trace |
            sort >made
        query '.results[0].trials[].calls' | sort >reported
        equal "$(comm -13 made reported | xargs)" '' \
            "$1: calls that no process made (made: $(xargs <made))"
    }
    each_reading counted
}

# --- what belongs to the trial, and what does not

@test "getting ready is not in the figures: a slow ring, a slow fall of the cache" {
    can_trace
    iobench list file
    if ! grep -q '^  io_uring  *unavailable' "$OUT"; then
        UNDER=(strace -f -o /dev/null -e trace=io_uring_setup -e inject=io_uring_setup:delay_exit=200000)
        json read --quick --rounds=1 --trial-time=1ms --mode=io_uring text
        holds 'all(.results[0].trials[]; .setup_ns >= 2e8 and .wall_ns < 2e8)' '.results[0].trials'
    fi
    on_storage
    UNDER=(strace -f -o trace -P "$PWD/text" -e trace=fadvise64,read
        -e inject=fadvise64:delay_exit=200000)
    json read --quick --rounds=1 --mode=sysread --cache=cold "$PWD/text"
    holds 'all(.results[0].trials[]; .cache_drop_ns >= 2e8 and .wall_ns < 2e8)' '.results[0].trials'
    # the process of the last trial: it drops, then it reads
    equal "$(grep -o 'fadvise64\|read' trace | tail -n 5 | uniq | xargs)" 'fadvise64 read'
}

@test "fincore finds the cache as the report says that it was" {
    on_storage
    need fincore
    resident() { fincore --bytes --noheadings --output PAGES "$1" | tr -d ' '; }
    pages=$(((SIZE + 4095) / 4096))
    [ "$(getconf PAGESIZE)" = 4096 ] || skip 'pages of another size'
    head -c 8388608 /dev/zero >large
    sync text large
    # commands of a cold and of a warm trial look before anything is read
    for cache in cold warm; do
        json read --quick --rounds=1 --trial-time=1ms --mode=sysread --cache=$cache \
            --exec 'fincore=fincore --bytes --noheadings --output PAGES {}' --exec-output=$cache text
    done
    equal "$(tr -d ' \n' <cold)" 0 'pages before a cold trial'
    equal "$(tail -n 1 warm | tr -d ' \n')" $pages 'pages before a warm trial'
    # what is in part there
    dd if=large of=/dev/null iflag=nocache count=0 status=none
    equal "$(resident large)" 0 'pages after dd dropped them'
    head -c 3000000 large >part
    dd if=large of=/dev/null bs=4k count=100 status=none
    before=$(resident large)
    json read --quick --rounds=1 --mode=direct --cache=as-is large
    holds ".source.files[0] | (.resident_ratio - $before / 2048 | fabs) < 1e-6" .source
    json read --quick --rounds=1 --trial-time=1ms --mode=sysread --cache=warm large
    holds ".source.files[0] | .resident_after_ratio == $(resident large) / 2048" .source
    equal "$(resident large)" 2048 'pages after it was read'
}

@test "blocks come from storage in a cold trial, and in a warm one none do" {
    on_storage
    sync text
    json read --quick --rounds=3 --mode=sysread --cache=warm,cold text
    holds 'all(.results[0].trials[]; .block_inputs == 0)' '.results[0].trials'
    holds "all(.results[1].trials[] | select(.warmup | not); .block_inputs * 512 >= $SIZE)" \
        '.results[1].trials'
}

@test "direct reads past the cache wherever it reads at all" {
    can_trace
    sources=("$PWD/text" /proc/filesystems)
    if [ -d /dev/shm ]; then
        cp text "/dev/shm/iobench-test-$$"
        sources+=("/dev/shm/iobench-test-$$")
    fi
    for source in "${sources[@]}"; do
        UNDER=(strace -f -q -s 0 -P "$source" -e trace=openat,pread64 -o trace)
        json read --quick --rounds=1 --trial-time=1ms --warmup=0 --mode=direct "$source"
        UNDER=()
        if [ "$(query '.results[0].status')" = ok ]; then
            # of the processes of trials no call stands on a descriptor that was opened otherwise
            awk '/ openat\(/ && / = [0-9]+$/ {how[$1 " " $NF] = /O_DIRECT/ ? "direct" : "buffered"}
                / pread64\(/ {split($2, part, /[(,]/); n[$1]++; last[$1] = how[$1 " " part[2]]}
                END {for (pid in n) if (n[pid] > 1) print last[pid]}' trace | sort -u >opened
            equal "$(xargs <opened)" direct "how $source was opened"
        else
            status_is 3
            holds '.results[0] | .status == "skipped" and .trials == []
                   and (.reason | test("O_DIRECT") and test("on (proc|tmpfs)"))' '.results[0].reason'
        fi
    done
    equal "$(query '.results[0].mode')" direct
}
@test "MAP_POPULATE maps in one call what would else be faulted in" {
    need perf
    perf stat -o /dev/null -e minor-faults true 2>/dev/null || skip 'perf may not count here'
    head -c 33554432 /dev/zero >large
    for mode in mmap mmap-populate; do # perf counts faults alone, getrusage(2) the work of both
        UNDER=(perf stat -x, -o "faults-$mode" -e minor-faults)
        json read --quick --warmup=0 --duration=200ms --mode=$mode large
        UNDER=()
        awk -F, -v passes="$(query '.results[0].trials[0].passes')" \
            '/minor-faults/ {print int($1 / passes)}' "faults-$mode" >"each-$mode"
        holds '.results[0].trials[0].minor_faults >= .results[0].trials[0].passes'
    done
    [ "$(<each-mmap)" -gt $((5 * $(<each-mmap-populate))) ] ||
        fail "faults a pass: $(<each-mmap), with MAP_POPULATE $(<each-mmap-populate)"
}

@test "larger blocks past the cache mean fewer waits, and the record shows them" {
    on_storage
    head -c 8388608 /dev/zero >large
    json read --quick --rounds=2 --mode=direct --threads=1,4 -b 4k,64k,1M --cache=cold large
    status_is 0
    holds 'all(.results | group_by(.params.threads)[] | [sort_by(.params.block_size)[]
                 | [.trials[] | .voluntary_switches] | min]; .[0] > 4 * .[1] and .[1] > 4 * .[2])' \
        '[.results[] | [.id, [.trials[] | .voluntary_switches]]]'
}

@test "threads, depth and block size stand in every record, and are compared alike" {
    head -c 4194304 /dev/zero >four
    json read "${SURE[@]}" --mode=pread,io_uring --threads=1 --depth=8 -b 64k four
    holds '.results[0].params | .threads == 1 and .block_size == 65536' '.results[0].params'
    holds '.results[1].params | .threads == 1 and .block_size == 65536 and .depth == 8' \
        '.results[1].params'
    # one thread against one ring: the same copying, by the byte
    holds '.comparisons | length == 1 and .[0].metric == "wall_ns_per_byte" and .[0].ratio > 0.1 and .[0].ratio < 10' \
        .comparisons
}

@test "what a ring costs more than a read does not grow with the file" {
    json read "${SURE[@]}" --mode=sysread,io_uring -b 4M --depth=1 --sizes=1k,4M
    holds '[.results[] | {key: "\(.mode) \(.params.size)", value: .summary.wall_ns_per_pass.median}]
           | from_entries
           | ([.["io_uring 1024"] / .["sysread 1024"], 1] | max) * 2 > .["io_uring 4194304"] / .["sysread 4194304"]' \
        '[.results[] | [.id, .summary.wall_ns_per_pass.median]]'
}

@test "two runs of other lengths can be compared by what they record" {
    for length in 20ms 200ms; do
        json read --quick --duration=$length --mode=sysread -b 64k --cache=warm text
        holds '.iobench_version != "" and .host.kernel != ""'
        holds '.results[0].params.cache == "warm" and (.results[0].trials[0].storage_read_bytes == 0)'
        query '.options.duration_ns' >>lengths
        query '.results[0].trials[0] | .cpu_ns / .bytes' >>prices
    done
    equal "$(xargs <lengths)" '20000000 200000000'
    # processor time for a byte: what else ran meanwhile is not in it
    awk '{price[NR] = $1} END {exit !(price[1] / price[2] < 1.5 && price[2] / price[1] < 1.5)}' prices ||
        fail "ns a byte: $(xargs <prices)"
}

@test "read and recv stand side by side, and no winner is named while the interval holds 1" {
    for block in 64 4k 256k; do
        json recv "${SURE[@]}" --mode=read,recv -b $block --baseline=read
        status_is 0
        figures_hold
        holds '[.results[].mode] == ["read", "recv"] and all(.results[]; .status == "ok")'
        holds '.comparisons | length == 1 and all(.[]; .ci_low <= .ratio and .ratio <= .ci_high
               and if .verdict == "faster" then .ci_high < 1
                   elif .verdict == "slower" then .ci_low > 1 else true end)' .comparisons
        [ $block != 64 ] || # where the call is all, the one that is made for sockets costs no more
            holds '[.results[].summary.cpu_ns_per_byte.median] | .[1] < 1.1 * .[0]' \
                '[.results[] | [.id, .summary.cpu_ns_per_byte.median]]'
    done
}

# --- the thread that polls

# watch_poller OPTION...: runs io_uring-sqpoll and looks at its threads meanwhile. The last of what
# they had used goes to the file used, in ns ("poller other"), where they may run to allowed.
watch_poller() {
    iobench list file
    ! grep -q '^  io_uring-sqpoll  *unavailable' "$OUT" || skip 'no io_uring-sqpoll'
    "$PYTHON" - "$IOBENCH" read --json --quick --warmup=0 --duration=700ms --mode=io_uring-sqpoll \
        "$@" text >"$OUT" 2>"$ERR" <<'PYTHON'
import glob, subprocess, sys, time

def look(parent):
    for path in glob.glob(f"/proc/{parent}/task/*/children"):
        for child in open(path).read().split():
            used = {True: 0, False: 0}
            for task in glob.glob(f"/proc/{child}/task/*"):
                polls = open(task + "/comm").read().startswith("iou-sqp")
                used[polls] += int(open(task + "/schedstat").read().split()[0])
                if polls:
                    for line in open(task + "/status"):
                        if line.startswith("Cpus_allowed_list"):
                            allowed.add(line.split()[1])
            if used[True] > 0:
                open("used", "w").write(f"{used[True]} {used[False]}\n")

allowed = set()
run = subprocess.Popen(sys.argv[1:])
while run.poll() is None:
    try:
        look(run.pid)
    except OSError:
        pass
    time.sleep(0.01)
open("allowed", "w").write(" ".join(sorted(allowed)))
sys.exit(run.returncode)
PYTHON
    is_report "$OUT"
    [ -s used ] || fail 'nobody was seen to poll'
}

@test "the time of the thread that polls is in the figures" {
    watch_poller
    read -r poller other <used
    [ "$poller" -gt 50000000 ] || fail "it polled for $poller ns"
    # seen a moment before the end, and with what getting ready took
    holds "all(.results[0].trials[]; .cpu_ns > 0.95 * ($poller + $other) - 5e6)" \
        "[$poller, $other, .results[0].trials]"
    holds 'all(.results[0].trials[]; .wall_ns >= 7e8)' '.results[0].trials'
}

@test "a trial with a thread that polls lasts 50 ms at least" {
    iobench list file
    ! grep -q '^  io_uring-sqpoll  *unavailable' "$OUT" || skip 'no io_uring-sqpoll'
    json read --quick --rounds=5 --trial-time=1ms --mode=io_uring-sqpoll text
    # the machine's speed changes by half within seconds; what was asked for is 1 ms
    holds '[.results[0].trials[] | select(.warmup | not) | .wall_ns] | sort | .[2] >= 25e6' \
        '[.results[0].trials[].wall_ns]'
}

@test "--cpu holds the thread that polls as well, told so where kernels do not see to it" {
    allowed=$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status)
    cpu=${allowed##*[,-]}
    watch_poller --cpu="$cpu"
    equal "$(<allowed)" "$cpu" 'processors of the thread that polls'
    can_trace
    UNDER=(strace -f -o trace -e trace=io_uring_setup)
    json read --quick --rounds=1 --mode=io_uring-sqpoll --cpu="$cpu" text
    grep -Eq "IORING_SETUP_SQ_AFF.*sq_thread_cpu=(0x)?$(printf %x "$cpu")[,}]" trace || fail "$(<trace)"
}
