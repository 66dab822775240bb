# The cache, the order of blocks, single calls, the user's own commands, and what a strategy refuses.

load common

setup() {
    cd "$BATS_TEST_TMPDIR"
    seq 1 60000 >text
    SIZE=$(stat -c %s text)
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
    [ -d /dev/shm ] && [ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip 'no tmpfs'
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
        json read "${FASTER[@]}" --mode=sysread,io_uring text
        status_is 3
        holds '.results[0].status == "ok" and .results[1].status == "skipped"'
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
