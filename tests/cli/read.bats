# The figures of iobench read: bytes, digests, calls, statistics, order, memory.

load common

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    seq 1 50000 >text                                # 288,894 bytes, 50,000 lines
    seq 1 40000 | gzip -n >binary                    # NUL bytes, lines of any length
    head -c 1048576 /dev/zero | tr '\0' 'x' >mebi    # a multiple of every usual block, no newline
}

setup() {
    cd "$BATS_FILE_TMPDIR"
}

size_of() {
    wc -c <"$1"
}

# The program is run with a library that counts something in all its processes; $counted is the sum.
count_with() {
    local source=$1 library=$BATS_TEST_TMPDIR/count.so
    shift
    $CC -O1 -shared -fPIC -o "$library" -x c - -ldl <<<"$source" || skip 'cannot build a library'
    head -c 8 /dev/zero >"$BATS_TEST_TMPDIR/counter"
    UNDER=(env COUNTER="$BATS_TEST_TMPDIR/counter" LD_PRELOAD="$library")
    iobench "$@"
    UNDER=()
    counted=$(od -An -t u8 "$BATS_TEST_TMPDIR/counter" | tr -d ' ')
}

clock_counter='
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static _Atomic uint64_t *counter;
static int (*clock_gettime_next)(clockid_t, struct timespec *);
__attribute__((constructor)) static void start(void)
{
    int fd = open(getenv("COUNTER"), O_RDWR | O_CLOEXEC);
    void *map = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd < 0 || map == MAP_FAILED)
        abort();
    close(fd);
    counter = map;
    *(void **)&clock_gettime_next = dlsym(RTLD_NEXT, "clock_gettime");
}
int clock_gettime(clockid_t id, struct timespec *at)
{
    ++*counter;
    return clock_gettime_next(id, at);
}
int gettimeofday(struct timeval *restrict at, void *restrict zone)
{
    struct timespec now;
    ++*counter;
    (void)zone;
    clock_gettime_next(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}
'

# trace FILE CALLS ARGUMENT...: runs iobench; the calls on FILE of all its processes are in $TRACE.
trace() {
    need strace
    strace -o /dev/null true 2>/dev/null || skip 'strace may not trace here'
    TRACE=$BATS_TEST_TMPDIR/trace
    UNDER=(strace -f -q -s 0 -P "$1" -e trace="$2" -o "$TRACE")
    iobench "${@:3}"
    UNDER=()
    status_is 0
}

# --- bytes and digests

@test "every strategy reads as many bytes as wc -c counts" {
    for file in text binary mebi; do
        json read "${FASTER[@]}" --mode=all $file
        status_is 0
        holds "all(.results[].trials[]; .passes > 0 and .bytes == .passes * $(size_of $file))" \
            '[.results[] | [.id, (.trials[] | [.passes, .bytes])]]'
        holds 'all(.results[]; .status == "ok" and (.verified == true or .params.consume == null))'
    done
}

@test "every strategy has the digest that xxhsum has" {
    need xxhsum
    for file in text binary mebi; do
        json read "${FASTER[@]}" --mode=all $file
        holds "all(.results[] | delivered; .digest == \"$(digest $file)\")" '[.results[] | [.id, .digest]]'
    done
}

@test "two, three and seven threads read every byte once" {
    json read "${FASTER[@]}" --mode=all --threads=1,2,3,7 binary text
    status_is 0
    total=$(($(size_of binary) + $(size_of text)))
    holds "all(.results[].trials[]; .bytes == .passes * $total)" \
        '[.results[] | [.id, (.trials[] | [.passes, .bytes])]]'
    holds '[.results[] | delivered | [.status, .verified, .digest]] | unique | length == 1' \
        '[.results[] | [.id, .verified, .digest]]'
}

@test "threads share a file without changing its digest" {
    need xxhsum
    json read "${FASTER[@]}" --mode=all --threads=2,3,7 -b 4096,5000 binary
    holds "all(.results[] | delivered; .verified == true and .digest == \"$(digest binary)\")" \
        '[.results[] | [.id, .verified, .digest]]'
}

@test "more threads than pages still read a file exactly" {
    printf 'a few\nbytes' >"$BATS_TEST_TMPDIR/small"
    json read "${FASTER[@]}" --mode=all --threads=7 "$BATS_TEST_TMPDIR/small"
    status_is 0
    holds 'all(.results[] | delivered; .verified == true)'
    holds 'all(.results[].trials[]; .bytes == .passes * 11)'
}

@test "an offset skips exactly so many bytes" {
    for offset in 1 4096 4097 100000; do
        tail -c +$((offset + 1)) binary >"$BATS_TEST_TMPDIR/rest"
        json read "${FASTER[@]}" --mode=all --offset=$offset binary
        status_is 0
        holds "all(.results[].trials[]; .bytes == .passes * $(size_of "$BATS_TEST_TMPDIR/rest"))" \
            '[.results[] | [.id, (.trials[] | [.passes, .bytes])]]'
        holds "all(.results[] | delivered; .verified == true)"
        ! command -v xxhsum >/dev/null ||
            holds "all(.results[] | delivered; .digest == \"$(digest "$BATS_TEST_TMPDIR/rest")\")"
    done
}

@test "an offset and a byte limit together read that part, with threads too" {
    need xxhsum
    tail -c +5002 binary | head -c 60003 >"$BATS_TEST_TMPDIR/part"
    json read "${FASTER[@]}" --mode=all --offset=5001 --bytes=60003 --threads=1,3 binary
    status_is 0
    holds 'all(.results[].trials[]; .bytes == .passes * 60003)'
    holds "all(.results[] | delivered; .verified and .digest == \"$(digest "$BATS_TEST_TMPDIR/part")\")" \
        '[.results[] | [.id, .verified, .digest]]'
}

@test "sysread skips to its offset without a seek for each read" {
    trace text lseek,read read --quick --rounds=1 --trial-time=1ms --mode=sysread -b 512 \
        --offset=4096 text
    reads=$(grep -c 'read(' "$TRACE")
    seeks=$(grep -c 'lseek(' "$TRACE" || true)
    [ "$reads" -gt $((100 * seeks)) ] || fail "$seeks seeks for $reads reads"
}

@test "--bytes=5M reads 5242880 bytes of /dev/zero" {
    json read "${FASTER[@]}" --mode=sysread --bytes=5M /dev/zero
    status_is 0
    holds 'all(.results[].trials[]; .bytes == .passes * 5242880)' '.results[].trials'
}

@test "a byte limit need not be a multiple of the block" {
    json read "${FASTER[@]}" --mode=all --bytes=5000001 -b 64k /dev/zero
    status_is 0
    holds '[.results[] | select(.status == "ok")] | length >= 8' '[.results[] | [.id, .status]]'
    holds 'all(.results[].trials[]; .bytes == .passes * 5000001)' \
        '[.results[] | [.id, (.trials[] | [.passes, .bytes])]]'
    holds 'all(.results[] | delivered; .verified == true)'
}

@test "a byte limit ends inside a line" {
    json read "${FASTER[@]}" --mode=all --bytes=12345 text
    status_is 0
    holds 'all(.results[].trials[]; .bytes == .passes * 12345)' \
        '[.results[] | [.id, (.trials[] | [.passes, .bytes])]]'
    holds 'all(.results[] | delivered; .verified == true)'
}

@test "several files are read one after another in each pass" {
    json read "${FASTER[@]}" --mode=all text binary mebi
    status_is 0
    total=$(cat text binary mebi | wc -c)
    holds "all(.results[].trials[]; .bytes == .passes * $total)"
    holds '[.source.files[].path] == ["text", "binary", "mebi"]' .source
    cat text binary mebi >"$BATS_TEST_TMPDIR/all"
    need xxhsum
    holds "all(.results[] | delivered; .digest == \"$(digest "$BATS_TEST_TMPDIR/all")\")" '[.results[].digest]'
}

@test "a file that is named twice is read twice" {
    json read "${FASTER[@]}" --mode=sysread text text
    holds "all(.results[].trials[]; .bytes == .passes * $((2 * $(size_of text))))"
}

@test "without FILE 64 MiB are made, read and said so" {
    json read "${FASTER[@]}" --mode=sysread
    status_is 0
    says '64 MiB'
    holds '.source.made and (.source.files[0].size_bytes == 67108864)' .source
    holds 'all(.results[].trials[]; .bytes == .passes * 67108864)'
    holds '.results[0].verified == true'
}

# --- cases and their ids

@test "a sweep over block sizes keeps their order, in ids as well" {
    json read "${FASTER[@]}" --mode=sysread,mmap -b 8k,512,1M text
    equal "$(query '[.results[].id] | join(" ")')" 'read/sysread/block_size=8192 read/sysread/block_size=512 read/sysread/block_size=1048576 read/mmap'
    equal "$(query '[.results[].params.block_size] | tostring')" '[8192,512,1048576,null]'
}

@test "read, sysread and stdio give one case one id" {
    for command in read sysread stdio; do
        json $command "${FASTER[@]}" --mode=sysread,getc text
        equal "$(query '[.results[].id] | join(" ")')" \
            'read/sysread/block_size=131072 read/getc' "ids of $command"
        equal "$(query .command)" $command
    done
}

@test "an id names what differs from its default, in alphabetical order" {
    json read "${FASTER[@]}" --mode=fread -t 2 --stdio-buffer=64k --offset=10 --consume=sum \
        --bytes=1000 -b 100 text
    equal "$(query '.results[0].id')" \
        'read/fread/block_size=100,bytes=1000,consume=sum,offset=10,stdio_buffer=65536,threads=2'
}

@test "the same case twice is numbered #1 and #2" {
    json read "${FAST[@]}" --mode=sysread,sysread text
    equal "$(query '[.results[].id] | join(" ")')" \
        'read/sysread/block_size=131072#1 read/sysread/block_size=131072#2'
    holds '.comparisons | length == 1'
}

@test "a group has its strategies, each once" {
    modes() {
        json read --quick --rounds=1 --trial-time=100us --mode="$1" text
        query '[.results[].mode] | join(" ")'
    }
    syscall=" $(modes syscall) " stdio=" $(modes stdio) " mapped=" $(modes mapped) "
    for mode in sysread pread readv; do
        equal "$(grep -o " $mode " <<<"$syscall" | wc -l)" 1 "$mode in group syscall"
    done
    for mode in fread fread-unlocked getc getc-unlocked fgets getline; do
        equal "$(grep -o " $mode " <<<"$stdio" | wc -l)" 1 "$mode in group stdio"
    done
    for mode in mmap mmap-populate; do
        equal "$(grep -o " $mode " <<<"$mapped" | wc -l)" 1 "$mode in group mapped"
    done
    all=$(modes all | tr ' ' '\n' | sort)
    equal "$(echo $all)" "$(echo $all | tr ' ' '\n' | uniq | xargs)" 'modes of all'
    for mode in $syscall $stdio $mapped; do
        grep -qx -e "$mode" <<<"$all" || fail "all lacks $mode"
    done
}

@test "all is what list shows as usable" {
    iobench list file
    listed=$(grep '^  ' "$OUT" | grep -v unavailable | awk '{print $1}' | sort | xargs)
    json read --quick --rounds=1 --trial-time=100us --mode=all text
    equal "$(query '.results[].mode' | sort | xargs)" "$listed"
}

@test "without --mode read takes sysread, fread, getc and mmap" {
    json read "${FASTER[@]}" text
    equal "$(query '.results[0:4] | map(.mode) | join(" ")')" 'sysread fread getc mmap'
    holds 'all(.results[].mode; IN("sysread", "fread", "getc", "mmap", "io_uring"))'
}

@test "without --mode sysread and stdio take their groups" {
    json sysread "${FASTER[@]}" text
    default=$(query '[.results[].mode] | join(" ")')
    json read "${FASTER[@]}" --mode=syscall text
    equal "$default" "$(query '[.results[].mode] | join(" ")')" 'modes of sysread'
    json stdio "${FASTER[@]}" text
    default=$(query '[.results[].mode] | join(" ")')
    json read "${FASTER[@]}" --mode=stdio text
    equal "$default" "$(query '[.results[].mode] | join(" ")')" 'modes of stdio'
}

@test "options are recorded with their defaults" {
    json read "${FASTER[@]}" text
    holds '.options.block_size == [131072] and .options.consume == ["touch"]
           and .options.threads == [1] and .options.bytes == [null] and .options.offset == [0]' .options
    holds '.options.mode[0:4] == ["sysread", "fread", "getc", "mmap"]' .options
    holds '.options.trial_time_ns == 100000 and .options.rounds == 2 and .options.warmup == 1' .options
    holds '.iobench_version != "" and .host.kernel != "" and (.started_at | test("^[0-9-]{10}T[0-9:]{8}Z$"))'
    equal "$(query '.iobench_version')" "$("$IOBENCH" --version | sed -n '1s/^iobench //p')"
}

# --- calls

# Each trial runs in a process of its own: the calls of a trial are the traced reads of some process.
calls_are_traced() {
    local mode=$1 call=$2 block=$3 file=$4
    trace "$file" $call read --json --quick --rounds=3 --trial-time=2ms --mode="$mode" -b "$block" "$file"
    awk -v call="$call" '$2 ~ "^" call "\\(" {n[$1]++} END {for (pid in n) print n[pid]}' "$TRACE" |
        sort >"$BATS_TEST_TMPDIR/traced"
    query '.results[0].trials[].calls' | sort >"$BATS_TEST_TMPDIR/reported"
    missing=$(comm -13 "$BATS_TEST_TMPDIR/traced" "$BATS_TEST_TMPDIR/reported" | xargs)
    equal "$missing" '' "$mode: reported calls that no process made (made: $(xargs <"$BATS_TEST_TMPDIR/traced"))"
    local size=$(size_of "$file")
    holds "all(.results[0].trials[]; .calls == .passes * $(((size + block - 1) / block + 1)))" \
        '[.results[0].trials[] | [.passes, .calls]]'
}

@test "sysread makes the calls that it reports, the last one at the end of the file" {
    calls_are_traced sysread read 65536 text
    calls_are_traced sysread read 65536 mebi
}

@test "pread makes the calls that it reports" {
    calls_are_traced pread pread64 65536 text
}

@test "readv makes the calls that it reports" {
    calls_are_traced readv readv 65536 text
}

@test "stdio strategies count their calls, the one that meets the end included" {
    json read "${FASTER[@]}" --mode=stdio -b 64k text
    size=$(size_of text) lines=$(wc -l <text)
    calls() { query "[.results[] | select(.mode == \"$1\") | .summary.calls_per_pass | .min, .max] | unique | tostring"; }
    equal "$(calls fread)" "[$((size / 65536 + 1))]" 'calls of fread'
    equal "$(calls fread-unlocked)" "[$((size / 65536 + 1))]" 'calls of fread-unlocked'
    equal "$(calls getc)" "[$((size + 1))]" 'calls of getc'
    equal "$(calls getc-unlocked)" "[$((size + 1))]" 'calls of getc-unlocked'
    equal "$(calls fgets)" "[$((lines + 1))]" 'calls of fgets'
    equal "$(calls getline)" "[$((lines + 1))]" 'calls of getline'
}

@test "a byte limit is met without one more call" {
    json read "${FASTER[@]}" --mode=sysread,pread,readv --bytes=128k -b 64k text
    holds 'all(.results[].trials[]; .calls == 2 * .passes)' '[.results[].trials[] | [.passes, .calls]]'
}

@test "a mapping reports no calls rather than none" {
    json read "${FASTER[@]}" --mode=mmap,mmap-populate text
    holds 'all(.results[].trials[]; .calls == null)' '[.results[].trials[].calls]'
}

# Each run also finds out what a clock reading costs, by a thousand of them: hence differences.
@test "no clock is read for an operation" {
    clocks() {
        count_with "$clock_counter" read --json --quick --rounds=2 --trial-time=1ms --mode=sysread \
            -b 1 -n "$1" mebi
        status_is 0
    }
    clocks 10
    few=$counted
    clocks 100k
    holds '[.results[].trials[].calls] | add > 200000'
    [ "$few" -gt 0 ] || fail 'nothing was counted'
    [ "$few" -lt 2000 ] || fail "$few clock readings"
    [ $((counted - few)) -lt 200 ] || fail "clock readings: $few, then $counted"
}

@test "no clock is read for a pass" {
    printf 'tiny' >"$BATS_TEST_TMPDIR/tiny"
    clocks() {
        count_with "$clock_counter" read --json --quick --rounds=1 --trial-time="$2" --mode="$1" \
            "$BATS_TEST_TMPDIR/tiny"
        status_is 0
        passes=$(query '[.results[].trials[].passes] | add')
    }
    for mode in sysread getc getline mmap; do
        clocks $mode 1us
        few=$counted few_passes=$passes
        clocks $mode 50ms
        [ $((passes - few_passes)) -gt 500 ] || fail "$mode: only $passes passes, after $few_passes"
        [ $((counted - few)) -lt 200 ] || fail "$mode: clock readings: $few, then $counted"
    done
}

@test "what a trial costs in clock readings does not depend on its length" {
    clocks() {
        count_with "$clock_counter" read --json --quick --rounds="$1" --trial-time="$2" --mode=sysread text
    }
    clocks 5 50us
    few=$counted
    clocks 55 50us
    short=$((counted - few))
    clocks 55 3ms
    long=$((counted - few))
    # the harness looks at its own clocks around a trial: a handful
    [ "$short" -lt 1000 ] && [ "$long" -lt 1000 ] ||
        fail "clock readings of 50 trials: $short, of 50 longer ones: $long"
}

# --- lines

lines_are_counted() { # FILE [OPTION...]
    local file=$1 newlines
    newlines=$(tr -cd '\n' <"$file" | wc -c)
    json read "${FASTER[@]}" --mode=all --consume=lines "${@:2}" "$file"
    status_is 0
    holds "all(.results[] | delivered | .trials[]; .newlines == .passes * $newlines
                                    and .bytes == .passes * $(size_of "$file"))" \
        '[.results[] | [.id, (.trials[] | [.passes, .newlines, .bytes])]]'
    holds 'all(.results[] | delivered; .verified == true)' '[.results[] | [.id, .verified, .reason]]'
}

@test "newlines are counted as wc -l counts them" {
    lines_are_counted text
    lines_are_counted mebi
}

@test "getline keeps a NUL byte inside a line, as all strategies do" {
    printf 'here\0x\ny\n' >"$BATS_TEST_TMPDIR/nul"
    lines_are_counted "$BATS_TEST_TMPDIR/nul"
    printf '\0\n\0\0\n\n\0' >"$BATS_TEST_TMPDIR/nuls"
    lines_are_counted "$BATS_TEST_TMPDIR/nuls"
    head -c 10000 /dev/zero >"$BATS_TEST_TMPDIR/only"
    lines_are_counted "$BATS_TEST_TMPDIR/only"
}

@test "fgets keeps NUL bytes whatever its block" {
    { printf 'plain text\nmore of it\n' && head -c 30000 binary && printf '\0\n\n\0\0\n'; } \
        >"$BATS_TEST_TMPDIR/mixed"
    lines_are_counted "$BATS_TEST_TMPDIR/mixed" -b 1,2,3,64,4096
}

@test "a last line without a newline is not dropped" {
    printf 'a\nb' >"$BATS_TEST_TMPDIR/ragged"
    lines_are_counted "$BATS_TEST_TMPDIR/ragged"
    printf 'a\nb\0' >"$BATS_TEST_TMPDIR/ragged-nul"
    lines_are_counted "$BATS_TEST_TMPDIR/ragged-nul" -b 1,2,3,4,128k
    printf '\n' >"$BATS_TEST_TMPDIR/newline"
    lines_are_counted "$BATS_TEST_TMPDIR/newline"
}

@test "lines of 64 KiB are whole lines" {
    for i in 1 2 3; do
        head -c 65535 /dev/zero | tr '\0' $i
        echo
    done >"$BATS_TEST_TMPDIR/long"
    lines_are_counted "$BATS_TEST_TMPDIR/long" -b 4k,64k,128k
    holds 'all(.results[] | select(.mode == "getline"); .summary.calls_per_pass.max == 4)' \
        '[.results[] | [.id, .summary.calls_per_pass.max]]'
}

@test "lines are counted once when threads cut them" {
    lines_are_counted binary --threads=2,3,7
}

@test "newlines are null where lines are not counted" {
    json read "${FASTER[@]}" --mode=sysread --consume=none,touch,sum text
    equal "$(query '[.results[].params.consume] | join(" ")')" 'none touch sum'
    holds 'all(.results[].trials[]; .newlines == null)'
}

@test "a mapping that nobody looks at is not a measurement" {
    json read "${FASTER[@]}" --mode=mmap --consume=none text
    status_is 3
    holds '.results[0].status == "skipped" and (.results[0].reason | test("none"))'
}

# --- stdio's buffer

@test "the buffer of the C library is reported as it is" {
    trace text read read --json --quick --rounds=1 --trial-time=1ms --mode=getc text
    buffer=$(query '.results[0].params.stdio_buffer')
    # a pass has so many full buffers; the trial makes at least one
    [ "$(grep -c "read(.*, $buffer) *= $buffer\$" "$TRACE")" -ge $(($(size_of text) / buffer)) ] ||
        fail "reported $buffer; traced: $(tail -n 3 "$TRACE")"
}

@test "--stdio-buffer changes what the C library asks for" {
    for mode in getc fgets getline; do
        trace text read read --json --quick --rounds=1 --trial-time=1ms --mode=$mode --stdio-buffer=32k text
        equal "$(query '.results[0].params.stdio_buffer')" 32768
        grep -q 'read(.*, 32768) *= 32768$' "$TRACE" || fail "$mode: traced: $(tail -n 3 "$TRACE")"
    done
}

@test "a list of buffers is a sweep" {
    json stdio "${FASTER[@]}" --mode=getc --stdio-buffer=512,4k,1 text
    equal "$(query '[.results[].id] | join(" ")')" \
        'read/getc/stdio_buffer=512 read/getc/stdio_buffer=4096 read/getc/stdio_buffer=1'
    holds 'all(.results[] | delivered; .verified == true)'
}

# --- statistics

@test "the summary follows from the trials, their number odd" {
    json read --quick --rounds=7 --trial-time=1ms --mode=sysread,getc,mmap text
    figures_hold
    holds 'all(.results[].summary.bytes_per_s; .n == 7)'
}

@test "the summary follows from the trials, their number even" {
    json read --quick --rounds=12 --trial-time=1ms --mode=sysread,fread,getc,mmap text
    figures_hold
    holds 'all(.results[].summary.bytes_per_s; .n == 12)'
}

@test "a rate is bytes over wall time" {
    json read --quick --rounds=1 --trial-time=1ms --mode=sysread,getc text
    holds 'all(.results[]; (.trials[] | select(.warmup | not) | .bytes / .wall_ns * 1e9) as $rate
                           | (.summary.bytes_per_s.median / $rate - 1) | fabs < 1e-9)' \
        '[.results[] | [.summary.bytes_per_s.median, .trials]]'
}

@test "one round has no standard deviation" {
    json read --quick --rounds=1 --trial-time=1ms --mode=sysread,getc text
    figures_hold
    holds 'all(.results[].summary[]; .stddev == null)'
    holds '.results[0].summary.bytes_per_s | .n == 1 and .median == .min and .median == .max
           and .p10 == .median'
    holds 'all(.comparisons[]; .verdict == "inconclusive" and .ci_low == null and .ci_high == null)' \
        .comparisons
}

@test "a ratio follows from the trials, paired by round" {
    json read --quick --rounds=13 --trial-time=1ms --mode=sysread,getc,mmap,fread -b 64k text
    figures_hold
    holds '.comparisons | length == 3'
}

@test "a ratio to a named baseline follows from the trials" {
    json read "${SURE[@]}" --mode=sysread,getc,mmap --baseline=getc text
    figures_hold
    holds 'all(.comparisons[]; .baseline == "read/getc" and .confidence == 0.975)' .comparisons
    holds 'all(.comparisons[]; .ratio < 1 and .verdict == "faster")' .comparisons
}

@test "getc costs more than sysread, and the ratio says so" {
    json read "${SURE[@]}" --mode=sysread,getc text
    holds '.comparisons[0] | .id == "read/getc" and .baseline == "read/sysread/block_size=131072"
           and .ratio > 2 and .verdict == "slower"' .comparisons
}

@test "a trial counts the processor time of all its threads" {
    TIMEFORMAT='%U %S'
    spent=$( { time "$IOBENCH" read --json --quick --duration=600ms --warmup=0 --mode=getc -t 2 \
        mebi >"$OUT" 2>"$ERR"; } 2>&1)
    is_report "$OUT"
    reported=$(query '[.results[].trials[].cpu_ns] | add / 1e9')
    awk -v spent="$spent" -v reported="$reported" 'BEGIN {
        split(spent, part, " "); all = part[1] + part[2]
        exit !(reported <= all * 1.02 + 0.02 && reported >= all * 0.8 - 0.05)
    }' || fail "reported $reported s, bash measured $spent"
}

@test "the profile tells user time from system time" {
    json read --rounds=1 --trial-time=1ms --mode=getc-unlocked,sysread --consume=none -b 128k mebi
    holds '.results[0].profile | .user_ns > .system_ns' '[.results[].profile]'
    holds '.results[1].profile | .system_ns > .user_ns' '[.results[].profile]'
    holds 'all(.results[].profile; .open_ns > 0 and .close_ns > 0
                                   and .user_ns + .system_ns <= 1.1 * .wall_ns)' '[.results[].profile]'
}

@test "a profile lasts at least half a second" {
    json read --rounds=1 --trial-time=1ms --mode=sysread text
    holds '.results[0].profile.wall_ns >= 5e8' '.results[0].profile'
}

@test "--quick leaves the profile away" {
    json read --quick --rounds=1 --trial-time=1ms --mode=sysread text
    holds '.results[0].profile == null'
}

# --- rounds and their order

order_of() {
    query '[.results[] | [.id, (.trials[] | select(.warmup | not) | [.round, .position])]] | tostring'
}

@test "every case stands once in every round" {
    json read --quick --rounds=9 --trial-time=100us --mode=sysread,pread,readv,mmap,fread text
    figures_hold
    holds '[.results[].trials[] | select(.warmup | not)] | length == 45'
    holds '[.results[].trials[] | select(.warmup | not) | .round] | group_by(.) | all(length == 5)'
}

@test "the same seed gives the same order, another seed another" {
    run_with_seed() {
        json read --quick --rounds=8 --trial-time=100us --mode=sysread,pread,readv,mmap --seed=$1 text
        equal "$(query .seed)" $1
    }
    run_with_seed 42
    first=$(order_of)
    run_with_seed 42
    equal "$(order_of)" "$first" 'order'
    run_with_seed 43
    [ "$(order_of)" != "$first" ] || fail "seed 43 gives the order of seed 42: $first"
}

@test "a run can be repeated with the seed that it recorded" {
    json read --quick --rounds=8 --trial-time=100us --mode=sysread,pread,readv,mmap text
    first=$(order_of)
    json read --quick --rounds=8 --trial-time=100us --mode=sysread,pread,readv,mmap --seed="$(query .seed)" text
    equal "$(order_of)" "$first" 'order'
}

@test "four rounds of four cases have each case once at each place" {
    json read --quick --rounds=8 --trial-time=100us --mode=sysread,pread,readv,mmap text
    holds '[.results[] | [.trials[] | select(.warmup | not) | select(.round <= 4) | .position] | sort]
           | unique | length == 1' '[.results[] | [.trials[] | [.round, .position]]]'
}

@test "four rounds of four cases have each case after each other once" {
    json read --quick --rounds=4 --trial-time=100us --mode=sysread,pread,readv,mmap text
    holds '[.results[] as $case | $case.trials[] | select(.warmup | not)
            | {round, position, id: $case.id}] | group_by(.round)
           | [.[] | sort_by(.position) | [.[].id] | range(3) as $i | .[$i] + " " + .[$i + 1]]
           | length == 12 and (unique | length == 12)' \
        '[.results[] | [.id, (.trials[] | [.round, .position])]]'
}

@test "--rounds=N is exactly N rounds" {
    json read --quick --rounds=23 --trial-time=100us --mode=sysread,pread text
    holds 'all(.results[]; [.trials[] | select(.warmup | not)] | length == 23)'
    json read --quick --rounds=5 --trial-time=100us --mode=sysread text
    holds '[.results[0].trials[] | select(.warmup | not)] | length == 5'
}

@test "--time-limit ends the rounds early, and the report says what was cut" {
    json read --quick --rounds=1000000 --time-limit=0.3 --trial-time=1ms --mode=sysread,sysread text
    status_is 0
    holds '[.results[].trials[]] | length < 10000'
    figures_hold
    holds '.elapsed_ns > 3e8' .elapsed_ns
}

@test "a trial lasts about as long as --trial-time asks" {
    json read --quick --rounds=6 --trial-time=20ms --mode=sysread,getc text
    holds 'all(.results[]; [.trials[] | select(.warmup | not) | .wall_ns] | sort | .[3] > 1e7)' \
        '[.results[] | [.trials[] | .wall_ns]]'
}

# Of the first processes that are made, each sleeps once: as if something else had had the processor.
@test "a warm-up that was disturbed does not make the trials short" {
    count_with '
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static _Atomic uint64_t *counter;
static pid_t parent;
__attribute__((constructor)) static void start(void)
{
    int fd = open(getenv("COUNTER"), O_RDWR | O_CLOEXEC);
    counter = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    parent = getpid();
}
ssize_t read(int fd, void *buffer, size_t size)
{
    ssize_t (*next)(int, void *, size_t);
    *(void **)&next = dlsym(RTLD_NEXT, "read");
    if (size > 4096 && getpid() != parent) {
        parent = getpid();
        if (++*counter <= 2)
            usleep(100000);
    }
    return next(fd, buffer, size);
}' read --json --quick --rounds=6 --trial-time=10ms --mode=sysread text
    status_is 0
    [ "$counted" -gt 4 ] || fail 'nothing was disturbed'
    holds '[.results[0].trials[] | select(.warmup | not) | .wall_ns] | sort | .[3] > 2e6' \
        '.results[0].trials | map([.passes, .wall_ns])'
}

@test "--duration gives one trial of at least that length" {
    json read --quick --duration=200ms --mode=sysread,getc text
    status_is 0
    holds 'all(.results[]; [.trials[] | select(.warmup | not)] | length == 1)' '[.results[].trials]'
    holds 'all(.results[].trials[]; .wall_ns >= 2e8 and .wall_ns < 1e10)' '[.results[].trials[].wall_ns]'
    holds "all(.results[].trials[]; .passes > 1 and .bytes == .passes * $(size_of text))"
    holds 'all(.results[].summary.bytes_per_s; .stddev == null)'
}

@test "without a warm-up nothing is verified" {
    json read "${FASTER[@]}" --warmup=0 --mode=sysread,getc text
    status_is 0
    holds 'all(.results[]; .verified == null and .digest == null and .status == "ok")'
    holds "all(.results[].trials[]; .bytes == .passes * $(size_of text))"
}

@test "warm-up rounds are marked and do not count" {
    json read --quick --rounds=3 --warmup=4 --trial-time=1ms --mode=sysread,getc text
    holds 'all(.results[]; [.trials[] | select(.warmup)] | length >= 3)' '[.results[].trials]'
    holds 'all(.results[].summary.bytes_per_s; .n == 3)'
    figures_hold
}

@test "--cpu pins the trials, and the record shows it" {
    allowed=$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status)
    for cpu in "${allowed##*[,-]}" "${allowed%%[,-]*}"; do
        json read "${FAST[@]}" --mode=sysread,getc --cpu=$cpu text
        status_is 0
        holds "all(.results[].trials[]; .cpu == $cpu)" '[.results[].trials[].cpu]'
        holds ".options.cpu == [$cpu]" .options.cpu
    done
}

# --- memory

@test "a trial's memory grows by no more than the block" {
    json read --quick --rounds=3 --trial-time=1ms --mode=sysread,readv,pread -b 1M,3M mebi
    holds 'all(.results | group_by(.mode)[]
               | (.[1].summary.peak_rss_anon_bytes.max - .[0].summary.peak_rss_anon_bytes.max);
               . <= 2097152 + 131072 and . >= 2097152 - 131072)' \
        '[.results[] | [.id, .summary.peak_rss_anon_bytes.max]]'
}

@test "a trial's memory is the same after three hundred rounds" {
    json read --quick --rounds=300 --trial-time=20us --mode=sysread -b 4k text
    holds '.results[0].trials | (last.peak_rss_anon_bytes - first.peak_rss_anon_bytes) <= 131072' \
        '.results[0].trials | [first, last]'
    holds '.results[0].trials | (last.peak_rss_bytes - first.peak_rss_bytes) <= 262144' \
        '.results[0].trials | [first, last]'
}

@test "the program keeps nothing of a round but its samples" {
    peak_of() {
        "$PYTHON" - "$IOBENCH" read --quick --rounds="$1" --trial-time=20us --mode=sysread -b 4k text \
            <<'PYTHON'
import os, sys
null = os.open(os.devnull, os.O_RDWR)
pid = os.fork()
if pid == 0:
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.execv(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(pid, 0)
assert status == 0, status
print(usage.ru_maxrss)
PYTHON
    }
    few=$(peak_of 20) many=$(peak_of 820)
    # a sample is some 200 bytes, and growing room for them holds both copies for a moment
    [ $((many - few)) -le 1024 ] || fail "peak memory of 20 rounds: $few KiB, of 820: $many KiB"
}

@test "getline keeps a whole line in memory, fgets a block of it" {
    json read --quick --rounds=2 --trial-time=1us --mode=getline,fgets -b 4k mebi # one line
    holds '.results[0].summary.peak_rss_anon_bytes.median
           - .results[1].summary.peak_rss_anon_bytes.median > 524288' \
        '[.results[] | [.id, .summary.peak_rss_anon_bytes.median]]'
}

# --- known shapes

@test "fread of single bytes costs more than getc, and getc more than fread of 256" {
    json read "${FAST[@]}" --mode=fread,getc -b 1,256 text
    holds '[.results[].summary.cpu_ns_per_byte.median] | .[0] > 1.3 * .[2] and .[2] > 1.3 * .[1]' \
        '[.results[] | [.id, .summary.cpu_ns_per_byte.median]]'
}

@test "beside another thread getc pays for its lock" {
    json read "${FAST[@]}" --mode=getc,getc-unlocked --threads=2 text
    holds '[.results[].summary.cpu_ns_per_byte.median] | .[0] > 1.5 * .[1]' \
        '[.results[] | [.id, .summary.cpu_ns_per_byte.median]]'
}
